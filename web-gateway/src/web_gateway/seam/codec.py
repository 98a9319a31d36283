"""The bytes of RFC 6455 frames: those a server sends, and the rules for what it is sent. No I/O."""

try:
    from websockets.speedups import apply_mask
except ImportError:  # built without its C extension
    from websockets.utils import apply_mask

__all__ = [
    "CLOSE",
    "LIMIT",
    "PING",
    "PONG",
    "TEXT",
    "Failure",
    "apply_mask",
    "close_code",
    "decoded",
    "frame",
]

LIMIT = 4096
"""Bytes that one message from a peer may have, over all its fragments."""

TEXT, CLOSE, PING, PONG = 0x81, 0x88, 0x89, 0x8A

_SHORT, _MIDDLE = 126, 65536
_USUAL = 1024
# RFC 6455 §7.4 and IANA's registry: 1004 to 1006 and 1015 are never sent.
_SENDABLE = frozenset({*range(1000, 1004), *range(1007, 1015), *range(3000, 5000)})


class Failure(Exception):
    """The peer broke the protocol; `code` is the close code it is told."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def frame(payload: bytes, first: int = TEXT) -> bytes:
    r"""Build one whole unmasked frame; build it once to send it to many.

    Args:
        payload: at most 2^63 - 1 bytes, UTF-8 in a text frame.
        first: the frame's first byte, its final bit included.

    >>> frame(b"hi")
    b'\x81\x02hi'
    """
    size = len(payload)
    return (_HEADS[size] if first == TEXT and size < _USUAL else _head(first, size)) + payload


def _head(first: int, size: int) -> bytes:
    if size < _SHORT:
        return bytes((first, size))
    if size < _MIDDLE:
        return bytes((first, 126)) + size.to_bytes(2)
    return bytes((first, 127)) + size.to_bytes(8)


_HEADS = [_head(TEXT, size) for size in range(_USUAL)]


def decoded(payload: bytes | bytearray) -> str:
    """Give the text of a payload.

    Raises:
        Failure: it is not UTF-8 (1007).
    """
    try:
        return payload.decode()
    except UnicodeDecodeError:
        raise Failure(1007) from None


def close_code(payload: bytes) -> int:
    r"""Give the code of a peer's close frame, 1005 where it gave none (RFC 6455 §7.4).

    Raises:
        Failure: half a code, one that must not be sent (1002), or a reason that is not UTF-8 (1007).

    >>> close_code(b"\x03\xe9bye")
    1001
    """
    if not payload:
        return 1005
    code = int.from_bytes(payload[:2])
    if len(payload) == 1 or code not in _SENDABLE:
        raise Failure(1002)
    decoded(payload[2:])
    return code
