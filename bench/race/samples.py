"""A profile's samples, as py-spy writes them for speedscope: which functions a process is in, and how often."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec


class _Frame(msgspec.Struct):
    name: str
    file: str = ""


class _Shared(msgspec.Struct):
    frames: list[_Frame]


class _Thread(msgspec.Struct):
    samples: list[list[int]]


class _File(msgspec.Struct):
    shared: _Shared
    profiles: list[_Thread]


@dataclass(frozen=True, slots=True)
class Shares:
    """Shares of a process's time by function: in it itself, and in it or in what it called."""

    samples: int
    own: Sequence[tuple[str, float]]
    cumulated: Sequence[tuple[str, float]]
    """Both from the greatest on."""


def read(path: Path) -> Shares:
    """Read a file of one process."""
    found = msgspec.json.decode(path.read_bytes(), type=_File)
    names = [_name(frame) for frame in found.shared.frames]
    own, cumulated, count = Counter[str](), Counter[str](), 0
    for thread in found.profiles:
        for sample in filter(None, thread.samples):
            own[names[sample[-1]]] += 1
            cumulated.update({names[frame] for frame in sample})
            count += 1
    return Shares(count, list(_shares(own, count)), list(_shares(cumulated, count)))


def _shares(counted: Counter[str], count: int) -> Iterator[tuple[str, float]]:
    return ((name, times / count) for name, times in counted.most_common())


def _name(frame: _Frame) -> str:
    """Name a function with the last two parts of its file."""
    return f"{frame.name} ({'/'.join(Path(frame.file).parts[-2:])})"
