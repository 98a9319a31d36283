"""Fuzzing by chance alone, where there is no atheris for a machine: the same oracles, without guidance, hangs or memory."""

import random
import time
import traceback
from collections.abc import Iterable

from tests.fuzz.run import Run
from tests.fuzz.target import Target

_MIX = 5


def run(target: Target, corpus: Iterable[bytes], *, seconds: float, seed: int, most: int = 0) -> Run:
    """Fuzz one target for a while, or until it took `most` inputs (0 is any number), with changes of a corpus."""
    known, rng, began, count = [*corpus, b""], random.Random(f"{target.name} {seed}"), time.monotonic(), 0
    while time.monotonic() - began < seconds and not (most and count >= most):
        data = known[count] if count < len(known) else changed(rng, known)[: target.most_bytes]
        count += 1
        try:
            target.try_one(data)
        except Exception:  # noqa: BLE001  whatever it is, it is what is looked for
            spent = time.monotonic() - began
            return Run(target.name, count, spent, 0, 0, [], data, traceback.format_exc())
    return Run(target.name, count, time.monotonic() - began, 0, 0, [], None, "")


def changed(rng: random.Random, known: list[bytes]) -> bytes:
    """Change one of the known inputs a little."""
    data = bytearray(rng.choice(known))
    for _ in range(rng.randrange(1, _MIX)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[at : at + rng.randrange(1, 9)]
            case 2:
                data[at:at] = rng.randbytes(rng.randrange(1, 9))
            case _:
                other = rng.choice(known)
                data[at:] = other[rng.randrange(len(other) + 1) :]
    return bytes(data)
