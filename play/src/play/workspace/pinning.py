"""Pinning the image that the images stand on: its name with the digest that the registry gives for its tag now."""

import re
import shutil
import subprocess
from pathlib import Path

from play.workspace.installing import Failed, say

BASE = Path("k8s/images/base")
"""The file that names the image, from the root of the workspace."""
WAIT_S = 60.0
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

NO_CLIENT = "Digests are asked for with skopeo, or with docker and its buildx; install one of them."
NOT_REACHED = "No registry answered for {name}, so its digest is not known, and nothing was pinned."


def pin(root: Path) -> None:
    """Write the digest of the base's tag behind its name.

    Raises:
        Failed: the digest could not be had; the file is as it was.
    """
    file = root / BASE
    name = file.read_text().strip().partition("@")[0]
    digest = _digest(name)
    file.write_text(f"{name}@{digest}\n")
    say(f"{name} is pinned to {digest} in {BASE}.")


def _digest(name: str) -> str:
    """Ask for the digest of all that a tag stands for, whatever the architecture."""
    if shutil.which("skopeo"):
        command = ["skopeo", "inspect", "--no-tags", "--format", "{{.Digest}}", f"docker://{name}"]
    elif shutil.which("docker"):
        command = ["docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}", name]
    else:
        raise Failed(NO_CLIENT)
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=WAIT_S).stdout
    except (OSError, subprocess.SubprocessError):
        told = ""
    found = _DIGEST.fullmatch(told.strip())
    if found is None:
        raise Failed(NOT_REACHED.format(name=name))
    return found[0]
