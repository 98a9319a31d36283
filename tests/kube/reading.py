"""Reading amounts of memory: as manifests write them, and as the kernel tells them."""

from pathlib import Path

_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


def memory_bytes(quantity: str) -> int:
    """Read an amount as a manifest has it.

    >>> memory_bytes("256Mi")
    268435456
    """
    return int(quantity[:-2]) * _UNITS[quantity[-2:]]


def own_memory_mib(pid: int) -> float:
    """Give the resident memory of a process that is not shared with files, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (held,) = [line.split()[1] for line in lines if line.startswith("RssAnon:")]
    return int(held) / 1024


def memory_limit(pid: int) -> int:
    """Give how much memory the kernel lets a process and its like have, in bytes; either version of cgroups has it."""
    cgroups = Path("/sys/fs/cgroup")
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            return int((cgroups / f"memory{path}" / "memory.limit_in_bytes").read_text())
        if not controllers and (limit := cgroups / path[1:] / "memory.max").exists():
            return int(limit.read_text())
    raise AssertionError(f"no memory is counted for process {pid}")
