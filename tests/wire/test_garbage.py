"""How often Python looks for garbage: seldom, and what a service leaves in a circle is found none the less."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from wire import garbage


class Node:
    """Something that holds itself."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def _as_before() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.unfreeze()


@pytest.mark.usefixtures("_as_before")
def test_what_holds_itself_is_found_once_enough_is_made() -> None:
    garbage.started()
    left = weakref.ref(Node())
    made = [[number] for number in range(2 * garbage.YOUNG)]
    assert left() is None, f"after {len(made)} more"


@pytest.mark.usefixtures("_as_before")
def test_a_batch_of_slides_has_no_collection_made() -> None:
    garbage.started()
    before = gc.get_stats()[0]["collections"]
    made = [[number] for number in range(garbage.YOUNG // 4)]
    assert gc.get_stats()[0]["collections"] == before, f"after {len(made)}"
