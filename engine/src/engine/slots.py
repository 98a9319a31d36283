"""Cheaper ways to make the few values that every slide makes anew."""

from collections.abc import Callable
from dataclasses import fields


def slot_setters(value: type) -> tuple[Callable[[object, object], None], ...]:
    """Give the setters of a frozen dataclass's slots, in the order of its fields, for its own `__init__` only.

    The `__init__` of a frozen dataclass goes through `object.__setattr__` for each field, which takes thrice as long.
    """
    return tuple(value.__dict__[each.name].__set__ for each in fields(value))


named = tuple.__new__
"""Makes a NamedTuple of a tuple of its fields; its own `__new__` is a function in Python and takes twice as long."""
