"""Inputs that are kept, one by one: what found a fault finds it no more, and the seeds find none."""

import pytest
from tests.fuzz import seeds
from tests.fuzz.targets import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_what_found_a_fault_finds_it_no_more(name: str) -> None:
    for data in seeds.kept(seeds.FAULTS, name):
        TARGETS[name].try_one(data)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_find_no_fault(name: str) -> None:
    found = seeds.kept(seeds.SEEDS, name)
    assert found
    for data in found:
        TARGETS[name].try_one(data)


def test_every_input_that_is_kept_is_of_a_target() -> None:
    files = [file.stem for folder in (seeds.SEEDS, seeds.FAULTS) for file in folder.glob("*.txt")]
    assert {*files} <= {*TARGETS}
