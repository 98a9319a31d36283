"""The image that all others stand on in the rehearsal: this machine's own distribution, as small as it comes, with Python.

It is made once, by debootstrap, from where this machine has its packages from, and kept in `.test/kube` between runs.
"""

import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.kube.podman import CACHE, Podman, unmount

BASE = "localhost/tilerace-rehearsal/base"
PACKAGES = ("python3", "python3-venv")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NOT_NEEDED = (
    "./dev/*", "./var/cache/apt/*", "./var/lib/apt/lists/*", "./var/log/*",
    "./usr/share/doc/*", "./usr/share/info/*", "./usr/share/locale/*", "./usr/share/man/*",
)  # fmt: skip
MAKE_S = 900.0


def make_base(podman: Podman) -> str:
    """Give the name of the base image, made where it is not there yet."""
    podman.run("import", "--change", f"ENV PATH={PATH}", str(_rootfs()), BASE, seconds=MAKE_S)
    return BASE


def suite() -> str:
    """Name this machine's release of its distribution, such as bookworm."""
    return platform.freedesktop_os_release()["VERSION_CODENAME"]


def _rootfs() -> Path:
    """Give the file that holds the root file system."""
    kept = CACHE / f"base-{suite()}-{platform.machine()}-{'-'.join(PACKAGES)}.tar"
    if not kept.exists():
        with tempfile.TemporaryDirectory(prefix="base-", dir=CACHE) as folder:
            made = Path(folder) / "base.tar"
            _make(Path(folder) / "root", made)
            made.replace(kept)
    return kept


def _make(root: Path, made: Path) -> None:
    wanted = f"--include={','.join(PACKAGES)}"
    try:
        _run(["debootstrap", "--variant=minbase", wanted, suite(), str(root), _mirror()])
        left_out = [f"--exclude={each}" for each in NOT_NEEDED]
        _run(["tar", "--create", "--numeric-owner", f"--file={made}", f"--directory={root}", *left_out, "."])
    finally:
        unmount(root)
        shutil.rmtree(root, ignore_errors=True)


def _mirror() -> str:
    """Ask apt where this machine has this release from."""
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    found = _run([*asked, f"Release: {suite()}", "Component: main"]).split()
    assert found, f"apt names no mirror of {suite()}"
    return found[0]


def _run(command: list[str]) -> str:
    ended = subprocess.run(
        command,
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=MAKE_S,
    )
    assert ended.returncode == 0, f"{command}\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
    return ended.stdout
