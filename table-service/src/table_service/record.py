"""A table as it is stored: a version of the format, then the table in MessagePack."""

import msgspec

from table_service.domain.table import Table

FORMAT = 1
_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Table)


class BadRecord(ValueError):
    """What is stored is no table of this release; the words do not show it."""


def encode(table: Table) -> bytes:
    """Write a table."""
    return bytes([FORMAT]) + _ENCODER.encode(table)


def decode(record: bytes) -> Table:
    """Read a table.

    Raises:
        BadRecord: the format is another, or it is damaged.
    """
    if not record or record[0] != FORMAT:
        raise BadRecord(
            f"the record of a table begins with {record[:1].hex() or 'nothing'}, not with format {FORMAT}"
        )
    try:
        return _DECODER.decode(record[1:])
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadRecord("the record of a table is damaged") from None
