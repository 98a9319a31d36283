"""What goes on and on is told once in a while."""

from wire.seldom import MOST, Seldom


def test_each_thing_is_told_at_once_and_then_once_a_minute() -> None:
    now = 0.0
    seldom = Seldom(monotonic=lambda: now)
    assert seldom.now("one")
    assert seldom.now("other")
    now = 59.9
    assert not seldom.now("one")
    now = 60.0
    assert seldom.now("one")
    assert not seldom.now("one")


def test_what_is_remembered_is_bounded_and_all_is_told() -> None:
    now = 0.0
    seldom = Seldom(monotonic=lambda: now)
    assert all(seldom.now(str(number)) for number in range(2 * MOST))
    assert not seldom.now("0")
    assert seldom.now(str(2 * MOST - 1)), "it is not remembered, so it is told again"
    now = 61.0
    assert seldom.now("new")
    assert not seldom.now("new")
