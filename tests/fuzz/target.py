"""What is fuzzed: one function a target, which takes bytes and fails where these are taken for what they are not."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """`try_one` raises for an input that shows a fault; `of` are the modules whose coverage is told."""

    name: str
    of: tuple[str, ...]
    try_one: Callable[[bytes], object]
    most_bytes: int = 2048


class Tape:
    """Bytes that choices are read from; at their end every choice is 0."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, count: int) -> bytes:
        """Give the next bytes, fewer at the end."""
        start, self._at = self._at, self._at + count
        return self._data[start : self._at]

    def number(self, below: int) -> int:
        """Give a number from 0 to below `below`."""
        width = (max(below - 1, 1).bit_length() + 7) // 8
        return int.from_bytes(self.take(width), "little") % below

    def rest(self) -> bytes:
        """Give all that is left."""
        return self.take(len(self._data))

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self._at >= len(self._data)


def chunks(data: bytes, sizes: bytes) -> list[bytes]:
    """Cut data into pieces of these sizes, one behind the other, and what is left over into one."""
    cut, at = [], 0
    for size in sizes:
        cut.append(data[at : at + size])
        at += size
    return [*cut, data[at:]]
