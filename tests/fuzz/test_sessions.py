"""Sockets of a running stack: whatever frames come in whatever order from several friends, what must hold, holds."""

import asyncio
import time

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from tests.e2e.test_bad_frames import GOOD, NO_FRAMES
from tests.fuzz.health import health_of, see_well
from tests.fuzz.session import Party, Step, check, party
from tests.stack import Stack

EXAMPLES = 6

_number = st.sampled_from([0, 1, 2, 3, 4, 5, 2**31 - 1, -1, 1.5, None, "1"])
_value = _number | st.sampled_from(
    ["left", "up", "", "Zoe", "Ann", "\u202e", True, False, [], {}, 64, 100, 180]
)


@st.composite
def frames(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """Make a frame as it should be, or with a field of it changed."""
    kind = draw(st.sampled_from(sorted(GOOD)))
    fields: dict[str, object] = dict(GOOD[kind])
    if fields and draw(st.integers(0, 3)) == 0:
        fields[draw(st.sampled_from(sorted(fields)))] = draw(_value)
    return kind, fields


_who = st.sampled_from([0, 0, 1, 1, 2, 3])
_steps: st.SearchStrategy[Step] = st.one_of(
    st.tuples(_who, st.just("send"), frames()),
    st.tuples(_who, st.just("send"), frames()),
    st.tuples(_who, st.just("slide"), st.sampled_from(["up", "down", "left", "right"])),
    st.tuples(_who, st.just("slide"), st.sampled_from(["up", "down", "left", "right"])),
    st.tuples(
        _who, st.just("text"), st.sampled_from(NO_FRAMES) | st.text(max_size=40) | st.binary(max_size=9)
    ),
    st.tuples(_who, st.sampled_from(["come", "drop"]), st.none()),
    st.tuples(_who, st.just("wait"), st.sampled_from([1, 30, 400])),
)
_RACING: list[Step] = [(0, "send", ("start", {})), (0, "wait", 500)]
sessions = st.tuples(st.sampled_from([_RACING, _RACING, []]), st.lists(_steps, min_size=20, max_size=60)).map(
    lambda parts: [*parts[0], *parts[1]]
)


async def play(base: str, steps: list[Step]) -> Party:
    async with party(base) as found:
        await found.play(steps)
        await found.settle()
        await check(found)
        return found


def test_whatever_friends_send_what_must_hold_holds(
    stack: Stack, seed: int, pytestconfig: pytest.Config
) -> None:
    before, sent, end = health_of(stack), 0, time.monotonic() + 60 * pytestconfig.getoption("--minutes")

    @settings(
        max_examples=EXAMPLES, deadline=None, database=None, phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(sessions)
    def any_session(steps: list[Step]) -> None:
        nonlocal sent
        asyncio.run(play(stack.base, steps))
        sent += len(steps)

    rounds = 0
    while not rounds or time.monotonic() < end:
        seeded(seed + rounds)(any_session)()
        rounds += 1
    print(f"{sent:,} steps of sessions")  # noqa: T201
    see_well(stack, before)
