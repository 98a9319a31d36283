"""Each policy is content with what is shipped, and is not with what is wrong in one place."""

import pytest
from tests.manifests.assembling import assembled
from tests.manifests.breaking import Broken
from tests.manifests.broken import BROKEN
from tests.manifests.policy import POLICIES, violations
from tests.manifests.resources import Resources


@pytest.fixture(scope="module")
def whole() -> Resources:
    return assembled()


def test_what_is_shipped_is_as_every_policy_wants_it(whole: Resources) -> None:
    assert violations(whole) == []


@pytest.mark.parametrize("broken", BROKEN, ids=str)
def test_what_is_wrong_in_one_place_is_refused_by_its_policy(whole: Resources, broken: Broken) -> None:
    assert list(POLICIES[broken.policy](broken.of(whole)))


def test_each_policy_is_broken_once_at_least() -> None:
    assert POLICIES.keys() == {broken.policy for broken in BROKEN}


def test_each_way_to_break_it_is_another() -> None:
    assert len({str(broken) for broken in BROKEN}) == len(BROKEN)
