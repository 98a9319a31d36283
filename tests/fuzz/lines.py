"""How much of a decoder its inputs reach: lines within functions of the modules that a target is of."""

import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import CodeType, FrameType

from tests.fuzz.target import Target

Line = tuple[str, int]


def reached(target: Target, corpus: Iterable[bytes]) -> tuple[int, int]:
    """Give how many lines a corpus reaches, of how many there are."""
    there = {line for name in target.of for line in _lines(name)}
    files = {file for file, _ in there}
    found: set[Line] = set()

    def within(frame: FrameType, _event: str, _argument: object) -> object:
        found.add((frame.f_code.co_filename, frame.f_lineno))
        return within

    def called(frame: FrameType, _event: str, _argument: object) -> object:
        return within(frame, "", None) if frame.f_code.co_filename in files else None

    sys.settrace(called)  # type: ignore[arg-type]
    try:
        for data in corpus:
            target.try_one(data)
    finally:
        sys.settrace(None)
    return len(found & there), len(there)


def _lines(name: str) -> Iterator[Line]:
    module = importlib.import_module(name)
    file = str(module.__file__)
    for code in _functions(compile(Path(file).read_text(), file, "exec")):
        yield from ((file, line) for _, _, line in code.co_lines() if line is not None)


def _functions(code: CodeType) -> Iterator[CodeType]:
    """Give the functions of a module, without what runs once as it is imported."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if (
                inner.co_flags & 0x2
            ):  # CO_NEWLOCALS: a function, a lambda or a comprehension, and no class's body
                yield inner
            yield from _functions(inner)
