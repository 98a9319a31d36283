"""Names of things on the wire: tables, races, browsers.

A table's id is eight characters of Crockford's base 32 (https://www.crockford.com/base32.html), a race's is the
table's with the race's number behind a dot, a browser's is the SHA-256 of a secret that only its cookie holds.
"""

import hashlib
import hmac
import secrets
from typing import NewType

TableId = NewType("TableId", str)
RaceId = NewType("RaceId", str)
BrowserSecret = NewType("BrowserSecret", bytes)
BrowserHash = NewType("BrowserHash", bytes)

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TABLE_ID_LENGTH = 8
SECRET_BYTES = 16
# Crockford's rule for letters that are read as digits.
_READ_AS = str.maketrans("OIL", "011")


def new_table_id() -> TableId:
    """Make an id from the system's generator: 40 random bits."""
    return TableId("".join(secrets.choice(ALPHABET) for _ in range(TABLE_ID_LENGTH)))


def parse_table_id(text: str) -> TableId | None:
    """Read an id as a person may write it, or None where it is none.

    Case is ignored, a dash in the middle is allowed, and O, I and L are read as digits.

    >>> parse_table_id("k7qm-2xwp")
    'K7QM2XWP'
    >>> parse_table_id("K7QM2XW") is None
    True
    """
    plain = text[:4] + text[5:] if len(text) == TABLE_ID_LENGTH + 1 and text[4] == "-" else text
    if len(plain) != TABLE_ID_LENGTH or not plain.isascii():
        return None
    read = plain.upper().translate(_READ_AS)
    return TableId(read) if all(letter in ALPHABET for letter in read) else None


def race_id(table: TableId, number: int) -> RaceId:
    """Name race `number` (1, 2, …) of a table.

    >>> race_id(TableId("K7QM2XWP"), 3)
    'K7QM2XWP.3'
    """
    return RaceId(f"{table}.{number}")


def parse_race_id(text: str) -> tuple[TableId, int]:
    """Split a race's id into its table and number.

    Raises:
        ValueError: `text` is no race's id.
    """
    table, dot, number = text.partition(".")
    canonical = parse_table_id(table)
    digits = number.isascii() and number.isdigit() and len(number) <= 9
    if (
        not dot
        or canonical != table
        or canonical is None
        or not digits
        or str(int(number)) != number
        or number == "0"
    ):
        msg = f"{text!r} is no race's id; one looks like K7QM2XWP.1"
        raise ValueError(msg)
    return canonical, int(number)


def new_secret() -> BrowserSecret:
    """Make a browser's secret: 128 bits from the system's generator."""
    return BrowserSecret(secrets.token_bytes(SECRET_BYTES))


def browser_hash(secret: BrowserSecret) -> BrowserHash:
    """Give what the rest of tilerace knows a browser by: SHA-256 of its secret, 32 bytes."""
    return BrowserHash(hashlib.sha256(secret).digest())


def same_browser(one: BrowserHash | None, other: BrowserHash | None) -> bool:
    """Tell whether two hashes are of one browser, in a time that does not tell how much of them is alike.

    Whatever decides what somebody may do compares hashes by this; None is no browser, and the same as none.
    """
    return one is not None and other is not None and hmac.compare_digest(one, other)
