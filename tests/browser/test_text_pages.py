"""The pages of text: each drawn board is what the engine makes of it, and everything can be found and read."""

from itertools import pairwise
from typing import TypedDict, cast

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect
from tests.browser.conftest import Visits
from tests.stack import Stack

from engine import Board, Direction, can_slide, slide

PAGES = ("/rules", "/how-to-win")
READ_FIGURES = """figures => figures.map((figure) => ({
    caption: figure.querySelector("figcaption").textContent,
    ways: [...figure.querySelectorAll(".way")].map(({dataset, textContent}) =>
        ({direction: dataset.slide, points: dataset.points ?? null, words: textContent})),
    boards: [...figure.querySelectorAll("table")].map((table) => ({
        ...table.dataset,
        rows: [...table.rows].map(({cells}) => [...cells].map(({textContent}) => Number(textContent))),
        exponents: [...table.querySelectorAll("td")].map(({dataset}) => Number(dataset.exponent ?? 0)),
        comes: [...table.querySelectorAll("td")].findIndex(({dataset}) => "comes" in dataset),
    })),
}))"""


class DrawnWay(TypedDict):
    """The way of a slide, its points where they are told, and what is written there."""

    direction: str
    points: str | None
    words: str


class DrawnBoard(TypedDict, total=False):
    """A board or a line of one; `comes` is the place of the tile that came up after the slide, -1 without one."""

    rows: list[list[int]]
    exponents: list[int]
    comes: int
    stuck: str
    still: str
    empty: str


class Figure(TypedDict):
    """Boards with a way between one and the next, or boards to be compared."""

    caption: str
    ways: list[DrawnWay]
    boards: list[DrawnBoard]


def figures(visit: Visits) -> list[Figure]:
    """Read all that is drawn on the pages of text."""
    reader, found = visit(), []
    for address in PAGES:
        reader.page.goto(address)
        found += cast("list[Figure]", reader.page.eval_on_selector_all("figure.drawn", READ_FIGURES))
    return found


def board_of(rows: list[list[int]]) -> Board:
    """Lay a line along the first row or column of an empty board."""
    wide = [row + [0] * (4 - len(row)) for row in rows]
    return Board.from_values(wide + [[0] * 4] * (4 - len(rows)))


def slid(rows: list[list[int]], direction: Direction) -> tuple[list[list[int]], int]:
    """Slide what is drawn, and give what is left and its points."""
    height, width = len(rows), len(rows[0])
    assert (width if direction in {Direction.LEFT, Direction.RIGHT} else height) == 4, (
        "a line slides along itself"
    )
    made = slide(board_of(rows), direction)
    assert made is not None
    return [row[:width] for row in made.board.to_values()[:height]], made.points


def before_new_tile(board: DrawnBoard) -> list[list[int]]:
    rows, place = [list(row) for row in board["rows"]], board["comes"]
    if place >= 0:
        row, column = divmod(place, len(rows[0]))
        assert rows[row][column] in {2, 4}
        rows[row][column] = 0
    return rows


def test_every_slide_that_is_drawn_is_what_the_engine_makes_of_it(visit: Visits) -> None:
    drawn = [figure for figure in figures(visit) if figure["ways"]]
    assert len(drawn) > 20
    for figure in drawn:
        steps = zip(figure["ways"], pairwise(figure["boards"]), strict=True)
        for way, (before, after) in steps:
            made, points = slid(before["rows"], Direction.from_word(way["direction"]))
            assert before_new_tile(after) == made, figure["caption"]
            assert way["points"] in {None, str(points)}, figure["caption"]
            assert way["words"] == way["direction"]


def test_every_drawn_tile_has_the_colour_of_its_value(visit: Visits) -> None:
    for figure in figures(visit):
        for board in figure["boards"]:
            values = [value for row in board["rows"] for value in row]
            assert [2**exponent if exponent else 0 for exponent in board["exponents"]] == values, figure[
                "caption"
            ]


def test_what_is_said_of_drawn_boards_is_so(visit: Visits) -> None:
    boards = [board for figure in figures(visit) for board in figure["boards"]]
    stuck = {board["stuck"]: can_slide(board_of(board["rows"])) for board in boards if "stuck" in board}
    assert stuck == {"yes": False, "no": True}
    still = [board for board in boards if "still" in board]
    assert len(still) == 2
    for board in still:
        useless = {way for way in Direction if slide(board_of(board["rows"]), way) is None}
        assert {Direction.from_word(word) for word in board["still"].split()} <= useless
    for board in boards:
        empty = sum(value == 0 for row in board["rows"] for value in row)
        assert board.get("empty", str(empty)) == str(empty)


def test_a_tile_is_worth_what_merging_twos_to_it_scores(visit: Visits) -> None:
    reader = visit()
    reader.page.goto("/how-to-win")
    rows = [row.split() for row in reader.page.locator(".worth tbody tr").all_inner_texts()]
    told = {int(tile): int(points.replace(",", "")) for tile, points in rows}
    assert told == {tile: scored_by_twos(tile) for tile in (64, 128, 256, 512, 1024, 2048, 4096, 8192)}


def scored_by_twos(tile: int) -> int:
    return 0 if tile == 2 else tile + 2 * scored_by_twos(tile // 2)


@pytest.mark.parametrize("address", PAGES)
def test_the_contents_lead_to_every_section(visit: Visits, address: str) -> None:
    page = visit(reduced_motion="reduce").page
    page.goto(address)
    links = page.get_by_role("navigation", name="On this page").get_by_role("link")
    ids = page.eval_on_selector_all("main section", "sections => sections.map(({id}) => id)")
    assert [f"#{id_}" for id_ in ids] == [link.get_attribute("href") for link in links.all()]
    for link in links.all():
        target = link.get_attribute("href")
        assert target is not None
        link.click()
        expect(page.locator(f"{target} h2")).to_be_in_viewport()


@pytest.mark.parametrize("address", PAGES)
def test_everything_can_be_read_without_scripts(stack: Stack, chromium: Browser, address: str) -> None:
    # No visitor: what scripts a page asks for is refused, and that is no trouble here.
    with chromium.new_context(base_url=stack.base, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        for figure in page.locator("figure.drawn").all():
            expect(figure.locator("table").first).to_be_visible()


def test_the_formula_of_the_draws_is_told_whole(visit: Visits) -> None:
    page = visit().page
    page.goto("/rules#fair")
    page.get_by_text("The exact formula").click()
    for part in (
        "SHA-256(seed)",
        "HMAC-SHA256(key = seed, message = k as 8 bytes, big-endian)",
        "(b \u00d7 n) >> 64",
    ):
        expect(page.get_by_text(part, exact=True)).to_be_visible()


def test_the_six_ways_a_race_ends_stand_in_the_order_they_are_looked_at(visit: Visits) -> None:
    page = visit().page
    page.goto("/rules")
    firsts = page.locator("#end .reasons strong").all_inner_texts()
    words = (
        "target",
        "one is left",
        "Everyone in the race is stuck",
        "catch up",
        "Time is up",
        "agreed to a draw",
    )
    assert len(firsts) == len(words)
    assert all(word in first for word, first in zip(words, firsts, strict=True))


@pytest.mark.parametrize("size", [(240, 320), (720, 450), (1440, 900), (3840, 2160)])
def test_lines_have_a_length_that_reads_well_and_tiles_digits_that_do(
    visit: Visits, size: tuple[int, int]
) -> None:
    page = visit(viewport=ViewportSize(width=size[0], height=size[1])).page
    for address in PAGES:
        page.goto(address)
        assert max(line_lengths(page)) <= 48, "in ems, of which a letter takes about a half"
        assert smallest_digits(page) >= 8


def line_lengths(page: Page) -> list[float]:
    found: list[float] = page.eval_on_selector_all(
        "main p", "all => all.map((p) => p.clientWidth / parseFloat(getComputedStyle(p).fontSize))"
    )
    return found


def smallest_digits(page: Page) -> float:
    found: float = page.eval_on_selector_all(
        "td[data-exponent]",
        "all => Math.min(...all.map((cell) => parseFloat(getComputedStyle(cell).fontSize)))",
    )
    return found
