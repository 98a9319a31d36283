"""The scripts that change a table in the store, as package data."""

from importlib.resources import files

from wire.store import Script


def _read(name: str) -> Script:
    return Script(files(__package__).joinpath(f"{name}.lua").read_text(), name)


COMMIT = _read("commit")
SWEEP = _read("sweep")
REMOVE = _read("remove")
SETTLE = _read("settle")
LIMITS = _read("limits")
ROOM = _read("room")
