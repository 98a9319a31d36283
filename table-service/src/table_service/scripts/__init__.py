"""The scripts that change a table in the store, as package data."""

from importlib.resources import files

from wire.store import Script


def _read(name: str) -> Script:
    return Script(files(__package__).joinpath(name).read_text())


COMMIT = _read("commit.lua")
SWEEP = _read("sweep.lua")
REMOVE = _read("remove.lua")
SETTLE = _read("settle.lua")
