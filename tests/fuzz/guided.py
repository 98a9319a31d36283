"""Fuzzing guided by coverage: atheris (libFuzzer) in a process of its own a target, which ends at the first fault."""

import logging
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, MutableSequence
from multiprocessing.sharedctypes import RawArray
from pathlib import Path

import atheris
from tests.fuzz.run import Run
from tests.fuzz.target import Target

HANG_S = 5.0
"""How long one input may take, in seconds of the processor: a busy machine makes nothing hang."""
STUCK_S = 120
"""How long one input may take by the clock, in seconds, whatever it waits for."""
SETTLED = 20_000
"""After how many inputs the memory is looked at first: caches are full by then."""
MOST_GROWN_KB = 64 * 1024
"""By how much a target's process may grow from then on; libFuzzer's own corpus is within it."""
PACKAGES = ("engine", "wire", "game_service", "table_service", "web_gateway")

_COUNT, _THEN, _NOW = 0, 1, 2
_PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024
_EDGES = re.compile(r"cov: (\d+)")


def run(target: Target, corpus: Iterable[bytes], *, seconds: float, seed: int, most: int = 0) -> Run:
    """Fuzz one target for a while, or until it took `most` inputs (0 is any number), beginning with a corpus."""
    with tempfile.TemporaryDirectory() as folder:
        return _run(target, corpus, Path(folder), seconds=seconds, seed=seed, most=most)


def _run(
    target: Target, corpus: Iterable[bytes], folder: Path, *, seconds: float, seed: int, most: int
) -> Run:
    counts: MutableSequence[int] = RawArray("Q", 3)
    began = time.monotonic()
    found = folder / "corpus"
    found.mkdir()
    for number, data in enumerate(corpus):
        (found / f"seed-{number}").write_bytes(data)
    child = os.fork()
    if child == 0:
        _fuzz(target, counts, folder, seconds=seconds, seed=seed, most=most)
    _, status = os.waitpid(child, 0)
    words = (folder / "told").read_text(errors="replace")
    faults = sorted(folder.glob("fault-*"))
    fault = faults[0].read_bytes() if faults else None
    grown = max(0, counts[_NOW] - counts[_THEN]) if counts[_THEN] else 0
    if fault is None and (status or grown > MOST_GROWN_KB):
        fault, words = b"", f"{words}\nended with {status}, grown by {grown} KiB"
    edges = max(map(int, _EDGES.findall(words)), default=0)
    kept = [file.read_bytes() for file in found.iterdir()]
    seconds_taken = time.monotonic() - began
    return Run(target.name, counts[_COUNT], seconds_taken, grown, edges, kept, fault, words)


def _fuzz(
    target: Target, counts: MutableSequence[int], folder: Path, *, seconds: float, seed: int, most: int
) -> None:
    """Become the process that fuzzes; it ends in libFuzzer."""
    told = os.open(folder / "told", os.O_CREAT | os.O_WRONLY)
    os.dup2(told, 1)
    os.dup2(told, 2)
    logging.disable()
    try_one, look_at = target.try_one, 0

    def counted(data: bytes) -> None:
        nonlocal look_at
        counts[_COUNT] += 1
        if counts[_COUNT] >= look_at:
            look_at = counts[_COUNT] + SETTLED
            counts[_NOW] = _rss_kb()
            if counts[_COUNT] > SETTLED and not counts[_THEN]:
                counts[_THEN] = counts[_NOW]
        signal.setitimer(signal.ITIMER_PROF, HANG_S)
        try:
            try_one(data)
        except BaseException:
            (folder / "fault-raised").write_bytes(data)
            raise

    options = [
        f"-max_total_time={max(1, round(seconds))}", f"-runs={most or -1}", f"-seed={seed or 1}", f"-timeout={STUCK_S}",
        f"-max_len={target.most_bytes}", f"-artifact_prefix={folder}/fault-", "-rss_limit_mb=1024", "-use_value_profile=1",
        str(folder / "corpus"),
    ]  # fmt: skip
    signal.signal(signal.SIGPROF, _hang)
    code: object = 1
    try:
        atheris.Setup([sys.argv[0], *options], counted)
        atheris.Fuzz()
    except SystemExit as end:
        code = end.code
    finally:
        os._exit(
            code if isinstance(code, int) else 0
        )  # what the parent does at its end is not the child's to do


class Hangs(BaseException):
    """An input takes too long; no `except Exception` of what is fuzzed is to catch it."""


def _hang(_number: int, _frame: object) -> None:
    raise Hangs


def _rss_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE_KB
