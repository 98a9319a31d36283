"""What belongs to the work tree: all that git tracks, and what it is about to."""

import subprocess
from pathlib import Path


def tracked(root: Path) -> list[str]:
    """Name the files, as paths from the root; those that were deleted and not yet said to be are none."""
    asked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    listed = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (root / name).is_file()]
