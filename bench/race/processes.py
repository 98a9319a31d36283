"""The processes that are measured: their time on the processors and their memory, as the system counts them."""

import os
from collections.abc import Iterable
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


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


def cpu_s(processes: Iterable[int]) -> float:
    """Give the seconds on a processor that processes have used, with those of the system on their behalf."""
    return sum(_cpu_s(process) for process in processes)


def _cpu_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


def memory_kib(processes: Iterable[int]) -> int:
    """Give the KiB of memory that processes take, shared pages by their share."""
    total = 0
    for process in processes:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total


def name(process: int) -> str:
    """Give a short name of a process, as its command has it."""
    words = Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")
    for word in words:
        if word in {"game_service", "table_service", "web_gateway"}:
            return word
    return Path(words[0]).name
