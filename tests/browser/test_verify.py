"""Verify: what holds of a race that is over, for whoever opens it, and what is found where it was tampered with."""

import itertools
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.line import Frame, through
from tests.browser.meeting import Rules, raced, resign, verdict
from tests.browser.replayed import (
    Answer,
    boards,
    case,
    failing,
    give,
    tamper,
    to_replay,
    verified,
)
from tests.browser.visitor import Visitor, first_useful

from engine import Board, Direction


@pytest.fixture
def over(visit: Visits) -> tuple[Visitor, Visitor, str]:
    """Give Ann and Bo, who have raced until Bo resigned, and their table's address."""
    ann, bo = raced(visit, Rules())
    ann.slides(4)
    bo.slides(3)
    resign(bo, sure=True)
    for each in (ann, bo):
        expect(verdict(each)).to_contain_text("Last one in the race.")
        expect(each.page.locator(".finals td", has_text=re.compile(r"^\d+$")).first).to_be_attached()
    return ann, bo, ann.page.url


def test_those_who_raced_find_that_all_holds_down_to_what_they_were_shown(
    over: tuple[Visitor, Visitor, str],
) -> None:
    for each in over[:2]:
        to_replay(each, over[2])
        expect(verified(each)).to_contain_text("All holds. The tiles were fixed before the race")
        assert each.page.locator(".checks li").count() == 11
        assert each.page.locator(".checks [data-holds=holds]").count() == 11
        expect(each.page.locator(".hashes code")).to_have_text([re.compile("^[0-9a-f]{64}$")] * 2)
        each.button("Close").click()
        expect(each.button("Verify")).to_be_focused()


def test_one_who_was_not_there_can_open_the_link_and_verify_all_but_what_was_shown_then(
    over: tuple[Visitor, Visitor, str], visit: Visits
) -> None:
    stranger = visit()
    to_replay(stranger, over[2])
    expect(verified(stranger)).to_have_text("All holds that can be checked from here.")
    assert stranger.page.locator(".checks [data-holds=open]").count() == 3
    assert failing(stranger) == []


def test_a_watcher_who_saw_the_race_can_compare_all(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    watcher = visit()
    watcher.page.goto(ann.page.url)
    expect(watcher.page.get_by_test_id("standing-1")).to_be_visible()
    ann.slides(3)
    resign(bo, sure=True)
    expect(verdict(watcher)).to_contain_text("Ann won")
    expect(watcher.page.locator(".finals td", has_text=re.compile(r"^\d+$")).first).to_be_attached()
    to_replay(watcher, ann.page.url)
    expect(verified(watcher)).to_contain_text("All holds. The tiles were fixed before the race")


def change_the_seed(answer: Answer) -> None:
    answer["seed"] = "00" * 32


def change_the_verdict(answer: Answer) -> None:
    winner = answer["verdict"]["winner"]
    answer["verdict"]["winner"] = 3 - winner


def change_the_commitment_with_the_seed(answer: Answer) -> None:
    other = case("four race until")
    answer["seed"], answer["commitment"] = other["seed"], other["commitment"]


def test_an_answer_that_was_tampered_with_does_not_hold_and_what_differs_is_said(
    over: tuple[Visitor, Visitor, str],
) -> None:
    ann, _, table = over
    tampered: dict[Callable[[Answer], None], str] = {
        change_the_seed: r"The SHA-256 of the seed is 66687aad…0d5f2925, and not \w{8}…\w{8}\.",
        change_the_verdict: r"By the log: Ann won: last one in the race\. The server says: Bo won",
        change_the_commitment_with_the_seed: r"This browser was shown \w{8}…\w{8} when the race was dealt",
    }
    for change, found in tampered.items():
        tamper(ann, change)
        ann.page.goto("about:blank")
        to_replay(ann, table)
        expect(verified(ann)).to_contain_text("This race does not hold")
        assert any(re.match(found, each) for each in failing(ann)), failing(ann)


def another_tile(frame: Frame) -> Frame:
    """Show another tile after the second slide than the seed makes, as a server that cheats could."""
    if frame["type"] == "board" and frame["n"] == 2 and frame["tile"]:
        tile = {**frame["tile"], "value": 6 - frame["tile"]["value"]}
        cells = [tile["value"] if at == tile["cell"] else value for at, value in enumerate(frame["cells"])]
        return {**frame, "tile": tile, "cells": cells}
    return frame


def moving(board: Board) -> Direction | None:
    """Give a direction that moves a tile whatever the tiles are: on the board that is shown, and on that of the race."""
    numbers = itertools.count(1)
    tiles = [[2 ** next(numbers) if value else 0 for value in row] for row in board.to_values()]
    return first_useful(Board.from_values(tiles))


def test_a_tile_that_was_shown_and_is_not_the_seeds_does_not_hold_though_all_else_does(
    visit: Visits,
) -> None:
    ann, bo = raced(visit, Rules())
    line = through(ann)
    line.to_page = another_tile
    ann.slides(4, moving)
    resign(bo, sure=True)
    expect(verdict(ann)).to_contain_text("You won!")
    expect(ann.page.locator(".finals td", has_text=re.compile(r"^\d+$")).first).to_be_attached()
    to_replay(ann, ann.page.url)
    expect(verified(ann)).to_contain_text("This race does not hold")
    (wrong,) = failing(ann)
    assert re.match(
        r"After your slide 2 this browser was shown a [24] in row \d, column \d, and the seed", wrong
    )


def test_an_answer_whose_parts_do_not_fit_together_is_not_shown(visit: Visits) -> None:
    answer = case("race to 64")
    reader = visit()
    give(reader, answer | {"order": answer["order"][:-1]})
    reader.page.goto("/t/K7QM2XWP/replay/1")
    expect(reader.page.get_by_role("alert")).to_contain_text(
        "Ann has 56 slides, but the order of all slides has 55 of them"
    )
    expect(boards(reader).first).to_be_hidden()
