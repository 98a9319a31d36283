"""Inputs that are kept: seeds, and what found a fault once. One file a target; a line is a JSON string of bytes as Latin-1."""

import json
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).parent
SEEDS, FAULTS = HERE / "seeds", HERE / "faults"


def kept(folder: Path, target: str) -> list[bytes]:
    """Give the inputs of a target, none where it has no file; lines that begin with # are words."""
    file = folder / f"{target}.txt"
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line).encode("latin-1") for line in lines if line[:1] not in {"", "#"}]


def line(data: bytes) -> str:
    """Write an input as a line."""
    return json.dumps(data.decode("latin-1"))


def keep(target: str, inputs: Iterable[bytes]) -> None:
    """Make a target's seeds anew."""
    SEEDS.mkdir(exist_ok=True)
    lines = sorted({line(data) for data in inputs}, key=lambda each: (len(each), each))
    (SEEDS / f"{target}.txt").write_text("".join(f"{each}\n" for each in lines))
