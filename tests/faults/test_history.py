"""The checker of histories finds what it is there to find: a good history passes, and each way to spoil one is told."""

import copy
import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from tests.faults.history import Witness, check
from tests.friend import Frame

from engine import Direction, Seed, can_slide, draw, place, slide, start_board

SEED = hashlib.sha256(b"a history that makes tests repeatable").digest()
RULES = {"target": None, "clock_s": None}
VERDICT = {"winner": 1, "tied": [], "reason": "LAST_IN_RACE"}
SLIDES = 6


def made(seat: int) -> tuple[list[str], list[tuple[list[int], int]]]:
    """Make some slides, each seat its own; give the directions, and the boards and scores after each."""
    order = list(Direction) if seat == 1 else list(Direction)[::-1]
    board, score = start_board(Seed(SEED)), 0
    directions, boards = [], [([value for row in board.to_values() for value in row], 0)]
    for number in range(1, SLIDES + 1):
        assert can_slide(board)
        direction = next(each for each in order if slide(board, each))
        slid = slide(board, direction)
        assert slid is not None
        board, score = place(slid.board, draw(Seed(SEED), number + 1)), score + slid.points
        directions.append(direction.name.lower())
        boards.append(([value for row in board.to_values() for value in row], score))
    return directions, boards


def replay() -> Frame:
    return {
        "race": 1,
        "seed": SEED.hex(),
        "commitment": hashlib.sha256(SEED).hexdigest(),
        "rules": dict(RULES),
        "starts_at": 1_000_000,
        "ended_at": 1_001_000,
        "seats": [
            {
                "seat": seat,
                "name": f"R{seat}",
                "slides": [[10 * n, word] for n, word in enumerate(made(seat)[0], 1)],
            }
            for seat in (1, 2)
        ],
        "order": [1, 2] * SLIDES,
        "events": [{"ms": 100, "type": "resigned", "seat": 2, "after": 2 * SLIDES}],
        "verdict": dict(VERDICT),
    }


def race_frame(version: int, slides: int, *, over: bool = False) -> Frame:
    standings = []
    for seat in (1, 2):
        cells, score = made(seat)[1][slides]
        out = {"state": "out", "out": "resigned"} if over and seat == 2 else {"state": "sliding"}
        standings.append({"seat": seat, "score": score, "biggest": max(cells), "slides": slides, **out})
    return {
        "type": "race", "race": 1, "version": version, "standings": standings, "offer": None, "last_offer": None,
        "verdict": dict(VERDICT) if over else None, "now": 1,
    }  # fmt: skip


def board_frame(seat: int, n: int, re: str | None) -> Frame:
    cells, score = made(seat)[1][n]
    return {
        "type": "board", "race": 1, "n": n, "cells": cells, "score": score, "stuck": False, "slide": None,
        "tile": None, "re": re,
    }  # fmt: skip


def table_frame(seat: int, version: int) -> Frame:
    race = {
        "number": 1, "rules": RULES, "starts_at": 1_000_000, "deadline": None, "ended_at": None,
        "commitment": hashlib.sha256(SEED).hexdigest(),
        "racers": [{"seat": 1, "name": "R1"}, {"seat": 2, "name": "R2"}],
    }  # fmt: skip
    return {
        "type": "table", "version": version, "table": "K7QM2XWP", "phase": "racing", "host": 1, "seats": [],
        "watchers": 0, "rules": RULES, "race": race, "you": {"seat": seat, "host": seat == 1}, "now": 1,
    }  # fmt: skip


def history(seat: int) -> dict[str, Any]:
    directions, _ = made(seat)
    sent = [
        {"type": "slide", "id": f"slide-{n}", "race": 1, "n": n, "direction": word}
        for n, word in enumerate(directions, 1)
    ]
    received = [table_frame(seat, 1), race_frame(1, 0), board_frame(seat, 0, None)]
    for n in range(1, SLIDES + 1):
        received += [board_frame(seat, n, f"slide-{n}"), race_frame(1 + n, n)]
    reveal = {
        "type": "reveal", "race": 1, "seed": SEED.hex(),
        "boards": [{"seat": each, "cells": made(each)[1][-1][0]} for each in (1, 2)],
    }  # fmt: skip
    received += [race_frame(20, SLIDES, over=True), table_frame(seat, 2), reveal]
    return {
        "name": f"racer {seat}",
        "sent": sent,
        "received": received,
        "connections": (0,),
        "made": directions,
    }


def checked(truth: Frame, *histories: dict[str, Any], rewound: bool = False) -> None:
    check(truth, [Witness(**each) for each in histories], rewound=rewound)


def test_a_history_in_which_all_is_well_passes() -> None:
    checked(replay(), history(1), history(2))


def first(frames: list[Frame], kind: str) -> Frame:
    return next(frame for frame in frames if frame["type"] == kind)


def last(frames: list[Frame], kind: str) -> Frame:
    return first(frames[::-1], kind)


def lose_the_last_slide(truth: Frame, _: dict[str, Any]) -> None:
    truth["seats"][0]["slides"].pop()
    truth["order"] = [*truth["order"][:-2], 2]
    truth["events"][0]["after"] -= 1


def make_a_slide_twice(_: Frame, heard: dict[str, Any]) -> None:
    del heard["made"][-1]
    heard["received"] = [each for each in heard["received"] if each.get("re") != f"slide-{SLIDES}"]


def make_a_slide_that_was_never_asked_for(_: Frame, heard: dict[str, Any]) -> None:
    make_a_slide_twice({}, heard)
    heard["under_way"] = [next(word for word in ("up", "left") if word != heard["sent"][-1]["direction"])]


def change_a_direction(_: Frame, heard: dict[str, Any]) -> None:
    heard["sent"][2]["direction"] = next(
        word for word in ("up", "left") if word != heard["sent"][2]["direction"]
    )


def answer_twice(_: Frame, heard: dict[str, Any]) -> None:
    heard["received"].insert(4, copy.deepcopy(heard["received"][3]))


def show_another_board(_: Frame, heard: dict[str, Any]) -> None:
    last(heard["received"], "board")["cells"][0] += 2


def show_another_score(_: Frame, heard: dict[str, Any]) -> None:
    last(heard["received"], "board")["score"] += 4


def let_a_standing_fall(_: Frame, heard: dict[str, Any]) -> None:
    heard["received"].insert(-3, race_frame(19, 2))


def show_a_standing_that_never_was(_: Frame, heard: dict[str, Any]) -> None:
    race_frames = [frame for frame in heard["received"] if frame["type"] == "race"]
    race_frames[2]["standings"][1]["score"] += 2


def bring_one_back_who_is_out(_: Frame, heard: dict[str, Any]) -> None:
    race_frames = [frame for frame in heard["received"] if frame["type"] == "race"]
    race_frames[1]["standings"][1]["state"] = "out"


def tell_another_verdict(_: Frame, heard: dict[str, Any]) -> None:
    last(heard["received"], "race")["verdict"]["winner"] = 2


def tell_no_verdict(_: Frame, heard: dict[str, Any]) -> None:
    last(heard["received"], "race")["verdict"] = None
    heard["received"].pop()


def give_a_verdict_against_the_rules(truth: Frame, heard: dict[str, Any]) -> None:
    truth["verdict"]["winner"] = 2
    last(heard["received"], "race")["verdict"]["winner"] = 2


def go_on_after_the_end(truth: Frame, _: dict[str, Any]) -> None:
    truth["events"][0]["after"] -= 1


def tell_the_seed_early(_: Frame, heard: dict[str, Any]) -> None:
    first(heard["received"], "table")["rules"] = {"seed": SEED.hex()}


def tell_a_field_too_many(_: Frame, heard: dict[str, Any]) -> None:
    first(heard["received"], "race")["standings"][1]["cells"] = [0] * 16


def reveal_another_end(_: Frame, heard: dict[str, Any]) -> None:
    heard["received"][-1]["boards"][1]["cells"] = [2] * 16


def show_another_commitment(_: Frame, heard: dict[str, Any]) -> None:
    first(heard["received"], "table")["race"]["commitment"] = "00" * 32


def let_the_table_go_back(_: Frame, heard: dict[str, Any]) -> None:
    heard["received"].insert(3, table_frame(1, 0))


def let_the_race_go_back(_: Frame, heard: dict[str, Any]) -> None:
    heard["received"].insert(6, race_frame(0, 1))


def slide_before_the_start(truth: Frame, _: dict[str, Any]) -> None:
    truth["seats"][0]["slides"][0][0] = -1


def slide_after_the_deadline(truth: Frame, _: dict[str, Any]) -> None:
    truth["rules"]["clock_s"] = 1
    truth["seats"][1]["slides"][-1][0] = 1000


Spoil = Callable[[Frame, dict[str, Any]], None]
SPOILT: dict[Spoil, str] = {
    lose_the_last_slide: "acknowledged and is not in the log",
    make_a_slide_twice: "made 5 to 5 slides, the log has 6",
    make_a_slide_that_was_never_asked_for: "racer 1's slide 6 was",
    change_a_direction: "was acknowledged as",
    answer_twice: "heard 2 answers",
    show_another_board: "is another",
    show_another_score: "is another",
    let_a_standing_fall: "fall",
    show_a_standing_that_never_was: "not as the log has it",
    bring_one_back_who_is_out: "come back",
    tell_another_verdict: "heard",
    tell_no_verdict: "never heard the verdict",
    give_a_verdict_against_the_rules: "winner",
    go_on_after_the_end: "over",
    tell_the_seed_early: "told the seed",
    tell_a_field_too_many: "standing",
    reveal_another_end: "shown another end",
    show_another_commitment: "another commitment",
    let_the_table_go_back: "saw the table go",
    let_the_race_go_back: "saw the race go",
    slide_before_the_start: "come alive",
    slide_after_the_deadline: "over",
}


@pytest.mark.parametrize(("spoil", "told"), SPOILT.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_each_way_to_spoil_a_history_is_told(spoil: Spoil, told: str) -> None:
    truth, heard = replay(), history(1)
    spoil(truth, heard)
    with pytest.raises((AssertionError, ValueError)) as found:
        checked(truth, heard, history(2))
    assert told in str(found.value)


def test_a_board_of_another_seat_is_told() -> None:
    heard = history(1)
    heard["received"][3 : 3 + 2 * SLIDES] = [board_frame(2, n, None) for n in range(1, SLIDES + 1)]
    heard["sent"] = []
    with pytest.raises(AssertionError, match="is another"):
        checked(replay(), heard)


def test_a_board_told_to_a_watcher_is_told() -> None:
    heard = history(1)
    for frame in heard["received"]:
        if frame["type"] == "table":
            frame["you"] = {"seat": None, "host": False}
    heard["sent"], heard["made"] = [], None
    with pytest.raises(AssertionError, match="is no racer"):
        checked(replay(), heard)


def test_standings_may_fall_where_the_store_went_back() -> None:
    heard = history(1)
    let_a_standing_fall({}, heard)
    checked(replay(), heard, rewound=True)


def test_standings_may_fall_from_one_connection_to_the_next_where_two_replicas_served() -> None:
    heard = history(1)
    back = len(heard["received"]) - 3
    let_a_standing_fall({}, heard)
    with pytest.raises(AssertionError, match="fall"):
        check(replay(), [Witness(**heard)], apart=True)
    heard["connections"] = (0, back)
    check(replay(), [Witness(**heard)], apart=True)
    with pytest.raises(AssertionError, match="fall"):
        check(replay(), [Witness(**heard)])
