"""What runs targets: a fault that is there is found, told and given back, and so is what hangs or grows."""

import contextlib
import importlib.util
from types import ModuleType

import pytest
from tests.fuzz import blind
from tests.fuzz.target import Target

FUZZERS: list[ModuleType] = [blind]
if importlib.util.find_spec("atheris"):  # it is not made for every machine
    from tests.fuzz import guided

    FUZZERS.append(guided)

LEAKED: list[bytes] = []


def breaks(data: bytes) -> None:
    if data[:1] == b"\xee":
        raise ValueError("the fault that was planted")


def hangs(data: bytes) -> None:
    while data[:1] == b"\xee":
        with contextlib.suppress(Exception):  # as a target of ours might
            sum(range(100))


def grows(_data: bytes) -> None:
    LEAKED.append(bytes(20_000))


@pytest.mark.parametrize("fuzzer", FUZZERS)
def test_a_fault_is_found_told_and_given_back(fuzzer: ModuleType) -> None:
    run = fuzzer.run(Target("breaks", (), breaks), [b"\x00\x01"], seconds=20, seed=1)
    assert run.fault is not None
    assert run.fault[:1] == b"\xee"
    assert "the fault that was planted" in run.words


@pytest.mark.parametrize("fuzzer", FUZZERS)
def test_where_there_is_none_all_inputs_are_taken_and_counted(fuzzer: ModuleType) -> None:
    taken = fuzzer.run(Target("fine", (), len), [b"one", b"two"], seconds=20, seed=1, most=500)
    assert taken.fault is None
    assert taken.inputs >= 500


@pytest.mark.parametrize("fuzzer", FUZZERS[1:])
def test_what_hangs_is_a_fault(fuzzer: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzer, "HANG_S", 1.0)
    run = fuzzer.run(Target("hangs", (), hangs), [b"\xee"], seconds=20, seed=1)
    assert run.fault == b"\xee"


@pytest.mark.parametrize("fuzzer", FUZZERS[1:])
def test_what_goes_on_growing_is_a_fault(fuzzer: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzer, "SETTLED", 500)
    run = fuzzer.run(Target("grows", (), grows), [b"x"], seconds=20, seed=1, most=8000)
    assert run.fault is not None
    assert "grown by" in run.words
