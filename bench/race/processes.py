"""The processes that are measured: their time on the processors and their memory, as the system counts them."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
SERVICES = ("game-service", "table-service", "web-gateway")


class Memory(NamedTuple):
    """KiB of memory: with shared pages in full, and with shared pages by their share."""

    rss_kib: int = 0
    pss_kib: int = 0

    def and_also(self, other: "Memory") -> "Memory":
        """Add another's."""
        return Memory(self.rss_kib + other.rss_kib, self.pss_kib + other.pss_kib)


NONE = Memory()


def family(leader: int) -> list[int]:
    """Give a process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    found, left = [], [leader]
    while left:
        process = left.pop()
        found.append(process)
        left += children.get(process, [])
    return found


def cpu_s(process: int) -> float:
    """Give the seconds on a processor that a process has used, with those of the system on its behalf."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


def memory(process: int) -> Memory:
    """Give the memory that a process takes."""
    found = {
        name: int(value.split()[0])
        for name, _, value in (
            line.partition(":") for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
        )
    }
    return Memory(found["Rss"], found["Pss"])


def memory_of(processes: Iterable[int]) -> Memory:
    """Give the memory that processes take together."""
    total = NONE
    for process in processes:
        total = total.and_also(memory(process))
    return total


def most_files(process: int) -> int:
    """Give how many files and sockets a process may have open."""
    lines = Path(f"/proc/{process}/limits").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Max open files")).split()[3])


def name(process: int) -> str:
    """Give a short name of a process, as its command has it."""
    words = Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")
    for word in words:
        if (service := word.replace("_", "-")) in SERVICES:
            return service
    return Path(words[0].partition(" ")[0]).name
