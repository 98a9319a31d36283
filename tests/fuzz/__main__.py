"""`make fuzz`: fuzz the targets in Python, one after the other, each for a while."""

import argparse
import secrets
import subprocess
import sys
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.lines import reached
from tests.fuzz.run import Run

try:
    import atheris
except ImportError:  # it is not made for every machine
    from tests.fuzz import blind as fuzzer
    from tests.fuzz.targets import TARGETS
else:
    from tests.fuzz import guided as fuzzer  # type: ignore[no-redef]
    from tests.fuzz.guided import PACKAGES

    with atheris.instrument_imports(include=list(PACKAGES)):
        from tests.fuzz.targets import TARGETS


HERE = Path(__file__).parent
NODE = Path(sys.executable).parent / "node"
PAGE = [f"page/{file.stem}" for file in sorted((seeds.SEEDS / "page").iterdir())]
"""The targets of the page, in node."""


def main() -> int:
    """Fuzz what is asked for; 1 where anything was found."""
    asked = _asked()
    names = asked.target or [*TARGETS, *PAGE]
    runs = [_fuzz(name, asked) for name in names if name in TARGETS]
    faults = [run for run in runs if run.fault is not None]
    inputs = sum(run.inputs for run in runs)
    print(f"{inputs:,} inputs to {len(runs)} targets, {len(faults)} faults, seed {asked.seed}", flush=True)
    return _fuzz_page([name for name in names if name in PAGE], asked) or int(bool(faults))


def _fuzz(name: str, asked: argparse.Namespace) -> Run:
    target, folder = TARGETS[name], asked.corpus and asked.corpus / name
    kept = [file.read_bytes() for file in sorted(folder.iterdir())] if folder and folder.exists() else []
    corpus = seeds.kept(seeds.SEEDS, name) + seeds.kept(seeds.FAULTS, name) + kept
    run = fuzzer.run(target, corpus, seconds=asked.seconds, seed=asked.seed, most=asked.inputs)
    _tell(
        run,
        "" if run.fault is not None or not folder else "{} of {} lines".format(*reached(target, run.corpus)),
    )
    if folder:
        _keep(folder, run.corpus)
    if run.fault is not None:
        print(f"{run.words[-4000:]}\n{name} fails with this input; once it is mended, keep it in tests/fuzz/faults/{name}.txt:\n"
              f"{seeds.line(run.fault)}\nThe same way again: make fuzz TARGET={name} SEED={asked.seed}", flush=True)  # fmt: skip
    return run


def _fuzz_page(names: list[str], asked: argparse.Namespace) -> int:
    """Fuzz the page's targets in node; 1 where anything was found."""
    told = ["--seconds", f"{asked.seconds:g}", "--inputs", str(asked.inputs), "--seed", str(asked.seed)]
    chosen = [part for name in names for part in ("--target", name.removeprefix("page/"))]
    return (
        subprocess.run([NODE, HERE / "page" / "fuzz.js", *told, *chosen], check=False).returncode
        if names
        else 0
    )


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--target", action="append", choices=sorted([*TARGETS, *PAGE]))
    parser.add_argument("--seconds", type=float, default=60.0, help="for each target")
    parser.add_argument("--inputs", type=int, default=0, help="at most, for each target")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6) + 1)
    parser.add_argument(
        "--corpus", type=Path, help="a folder to go on from, and to keep what reaches more in"
    )
    return parser.parse_args()


def _keep(folder: Path, corpus: list[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    for number, data in enumerate(corpus):
        (folder / str(number)).write_bytes(data)


def _tell(run: Run, lines: str) -> None:
    print(f"{run.target:<16} {run.inputs:>11,} inputs {run.inputs / run.seconds:>8,.0f}/s {run.edges:>4} edges "
          f"{run.grown_kb:>6,} KiB more  {lines} {'FAULT' if run.fault is not None else ''}", flush=True)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
