"""What is sent in one turn of work, gathered: a socket is written once, however many frames it is sent.

A write is a call of the system, and costs more than making the frame did.
"""

from types import TracebackType
from typing import Protocol, Self


class Written(Protocol):
    """A socket."""

    def write(self, whole: bytes) -> None:
        """Write whole frames now; raises nothing."""


class Turn:
    """A block within which frames wait, each socket's in their order, until its end; blocks do not nest.

    Attributes:
        held: what waits, None outside of a block.
    """

    __slots__ = ("held",)

    def __init__(self) -> None:
        self.held: dict[Written, bytes] | None = None

    def __enter__(self) -> Self:
        if self.held is not None:
            raise RuntimeError("a turn within a turn")
        self.held = {}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        held, self.held = self.held, None
        for socket, whole in (held or {}).items():
            socket.write(whole)

    def take(self, socket: Written) -> bytes:
        """Give what waits for a socket, which is now for the caller to write."""
        return b"" if self.held is None else self.held.pop(socket, b"")
