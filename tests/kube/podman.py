"""A podman of a run's own: its storage, networks and settings apart from those of the machine, and gone with the run."""

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.kube.rendering import ROOT

CACHE = ROOT / ".test" / "kube"
"""What is kept between runs, and in a folder each what belongs to one run."""

# Limits that may not be raised are not asked for, and no service manager is needed, so that it works in containers too.
_CONTAINERS = """\
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
log_driver = "k8s-file"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
lock_type = "file"
tmp_dir = "{short}/tmp"
[network]
network_backend = "netavark"
network_config_dir = "{folder}/networks"
"""
_STORAGE = """\
[storage]
driver = "overlay"
graphroot = "{folder}/storage"
runroot = "{short}/run"
"""


@dataclass(frozen=True, slots=True)
class Podman:
    """Runs podman, and buildah beside it, on what lies in `folder`; `short` is for sockets, whose paths may not be long."""

    folder: Path
    short: Path

    @property
    def environment(self) -> dict[str, str]:
        """What podman and buildah are told by."""
        return {
            **os.environ,
            "CONTAINERS_CONF": str(self.folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"),
        }

    def configure(self) -> None:
        for name in ("networks", "storage"):
            (self.folder / name).mkdir(exist_ok=True)
        words = {"folder": self.folder, "short": self.short}
        (self.folder / "containers.conf").write_text(_CONTAINERS.format(**words))
        (self.folder / "storage.conf").write_text(_STORAGE.format(**words))
        (self.folder / "short").write_text(str(self.short))

    def run(self, *arguments: str, seconds: float = 120.0) -> str:
        """Run podman to its end; give what it printed."""
        return self.start("podman", *arguments, seconds=seconds)

    def start(self, *command: str | Path, seconds: float = 600.0, more: dict[str, str] | None = None) -> str:
        """Run any program that works on this storage; `more` are further variables."""
        ended = subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment | (more or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
        words = " ".join(map(str, command))
        assert ended.returncode == 0, f"{words}\n{ended.stdout[-4000:]}\n{ended.stderr[-4000:]}"
        return ended.stdout.strip()

    def logs(self, container: str) -> str:
        """Give what a container has written last."""
        command = ["podman", "logs", "--tail", "40", container]
        ended = subprocess.run(
            command,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return ended.stdout

    def asked(self, *arguments: str) -> Any:
        """Run podman, and read the JSON that it prints."""
        return json.loads(self.run(*arguments))

    def remove(self) -> None:
        """Remove all that was made: pods, networks, volumes, images, and the folders themselves."""
        for arguments in (
            ("pod", "rm", "--all", "--force", "--time", "0"),
            ("network", "prune", "--force"),
            ("volume", "rm", "--all", "--force"),
        ):
            with contextlib.suppress(AssertionError, subprocess.TimeoutExpired):
                self.run(*arguments)
        for folder in (self.short, self.folder):
            unmount(folder)
            shutil.rmtree(folder, ignore_errors=True)
        assert not self.folder.exists(), f"{self.folder} could not be removed"


@contextlib.contextmanager
def podman_of_its_own() -> Iterator[Podman]:
    """Have a podman within the block; whatever it made is gone after it, and what an ended run left behind too."""
    CACHE.mkdir(parents=True, exist_ok=True)
    _remove_left_behind()
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=CACHE))
    with _held(folder):
        podman = Podman(folder, Path(tempfile.mkdtemp(prefix="tilerace-")))
        podman.configure()
        try:
            yield podman
        finally:
            podman.remove()


def _remove_left_behind() -> None:
    for folder in CACHE.glob("run-*"):
        with contextlib.suppress(BlockingIOError, FileNotFoundError), _held(folder):
            Podman(folder, Path((folder / "short").read_text())).remove()


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold a run's folder, so that no other run takes it for left behind.

    Raises:
        BlockingIOError: another process holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def unmount(folder: Path) -> None:
    """Unmount what a program that was ended has left mounted below a folder, the innermost first."""
    points = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for point in sorted((each for each in points if each.startswith(f"{folder}/")), reverse=True):
        subprocess.run(["umount", "--lazy", point], check=False, capture_output=True)
