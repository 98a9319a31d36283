"""Words and tiles can be read and told apart, in light and in dark, as Chromium paints them."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Literal, cast, get_args

import pytest
from tests.browser.conftest import Visits
from tests.browser.eyes import EYES, USUAL, Colour, contrast, distance
from tests.browser.meeting import opened
from tests.browser.visitor import Visitor

Scheme = Literal["light", "dark"]
TILES = [2**exponent for exponent in range(1, 18)]
# Far apart in the scale, and told apart by their numbers and the glow of 2048.
CONFUSED = {("deutan", 512, 32768), ("tritan", 8, 2048)}
TEXT, MARK = 4.5, 3.0
"""What WCAG 2.2 asks of words (1.4.3), and of what is no word (1.4.11)."""
TILE_TEXT = 4.7
# Paints what lies behind a text, from the root on, and then the text's own colour.
PAINTED = """(html) => {
    const place = document.createElement("div");
    place.innerHTML = html;
    document.body.append(place);
    const words = place.querySelector("[data-seen]") ?? place.firstElementChild;
    const behind = [];
    for (let at = words; at !== null; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
    const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const paint = (colour) => {
        brush.fillStyle = colour;
        brush.fillRect(0, 0, 1, 1);
        return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
    };
    const ground = behind.map(paint).at(-1);
    const seen = [paint(getComputedStyle(words).color), ground];
    place.remove();
    return seen;
}"""
RING = """() => {
    const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    brush.fillStyle = getComputedStyle(document.activeElement).outlineColor;
    brush.fillRect(0, 0, 1, 1);
    return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""
# What is written where; data-seen marks the words where they are not the outermost element.
WORDS = {
    "on the page": "<p>a</p>",
    "quiet on the page": "<p class='quiet'>a</p>",
    "a link on the page": "<a href='/'>a</a>",
    "a warning on the page": "<p class='is-warning'>a</p>",
    "on a panel": "<div class='card'><p data-seen>a</p></div>",
    "quiet on a panel": "<div class='card'><p class='quiet' data-seen>a</p></div>",
    "a link on a panel": "<div class='card'><a href='/' data-seen>a</a></div>",
    "a warning on a panel": "<div class='card'><p class='is-warning' data-seen>a</p></div>",
    "on a button": "<button>a</button>",
    "on the main button": "<button class='is-main'>a</button>",
    "on a dangerous button": "<button class='is-danger'>a</button>",
    "on a chosen segment": "<div class='segments'><button aria-pressed='true' data-seen>a</button></div>",
    "on another segment": "<div class='segments'><button aria-pressed='false' data-seen>a</button></div>",
    "in a field": "<div class='card'><input data-seen></div>",
    "on a badge": "<div class='card'><span class='badge' data-seen>a</span></div>",
    "on a good badge": "<div class='card'><span class='badge' data-mood='good' data-seen>a</span></div>",
    "on a good badge on the page": "<span class='badge' data-mood='good'>a</span>",
    "on a bad badge": "<div class='card'><span class='badge' data-mood='bad' data-seen>a</span></div>",
    "on a bad badge on the page": "<span class='badge' data-mood='bad'>a</span>",
    "on a notice": "<p class='notice'>a</p>",
    "on a toast": "<button class='toast'>a</button>",
    "over the board": "<tile-board><section class='over' data-seen>a</section></tile-board>",
}
TEXT_WORDS = {
    "a caption": "<figure class='drawn'><figcaption data-seen>a</figcaption></figure>",
    "the word of a way": "<figure class='drawn'><span class='way' data-slide='up' data-seen>up</span></figure>",
    "a key": "<main class='text'><kbd data-seen>a</kbd></main>",
    "a chapter": "<main class='text'><nav class='contents'><a href='#a' data-seen>a</a></nav></main>",
    "the number of a reason": "<main class='text'><ol class='reasons'><li data-seen>a</li></ol></main>",
}


@pytest.fixture
def visit(visit: Visits) -> Visits:
    """Visit pages that a test may write words into: by their policy no text becomes markup."""
    return partial(visit, bypass_csp=True)


def painted(visitor: Visitor, html: str) -> tuple[Colour, Colour]:
    """Give the colour of words, and of what they stand on."""
    colour, ground = cast("list[list[int]]", visitor.page.evaluate(PAINTED, html))
    return Colour(*colour), Colour(*ground)


def tile(value: int) -> str:
    exponent = value.bit_length() - 1
    return f"<div class='tile' data-exponent='{exponent}'><b data-seen>{value}</b></div>"


def fills(visitor: Visitor) -> Mapping[int, Colour]:
    return {value: painted(visitor, tile(value))[1] for value in TILES}


def in_every_scheme(visitor: Visitor) -> Iterator[Scheme]:
    for scheme in get_args(Scheme):
        visitor.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        yield scheme


def faint(visitor: Visitor, words: Mapping[str, str], least: float) -> list[str]:
    """Give what has less contrast than it needs."""
    found = []
    for scheme in in_every_scheme(visitor):
        for name, html in words.items():
            ratio = contrast(*painted(visitor, html))
            if ratio < least:
                found.append(f"{scheme}, {name}: {ratio:.2f}")
    return found


def test_the_number_of_every_tile_can_be_read(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    assert faint(alone, {str(value): tile(value) for value in TILES}, TILE_TEXT) == []


def test_words_can_be_read_on_all_that_they_stand_on(visit: Visits) -> None:
    host = opened(visit)
    assert faint(host, WORDS, TEXT) == []
    host.page.goto("/rules")
    assert faint(host, TEXT_WORDS, TEXT) == []


def test_where_the_focus_is_can_be_seen(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    alone.page.keyboard.press("Tab")
    for scheme in in_every_scheme(alone):
        ring = Colour(*alone.page.evaluate(RING))
        assert contrast(ring, painted(alone, WORDS["on the page"])[1]) >= MARK, scheme
        assert contrast(ring, painted(alone, WORDS["on a panel"])[1]) >= MARK, scheme


def test_no_two_tiles_look_alike(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    for _ in in_every_scheme(alone):
        found = fills(alone)
        assert len(set(found.values())) == 17
        assert min(distance(found[one], found[other]) for one, other in combinations(TILES, 2)) > 8


@pytest.mark.parametrize("eyes", sorted(EYES.keys() - {USUAL}))
def test_tiles_can_be_told_apart_by_colour_blind_eyes(visit: Visits, eyes: str) -> None:
    alone = visit()
    alone.page.goto("/")
    found = fills(alone)
    alike = {
        (eyes, one, other)
        for one, other in combinations(TILES, 2)
        if distance(found[one], found[other], eyes) < 3
    }
    assert alike == {pair for pair in CONFUSED if pair[0] == eyes}
    assert not any(other == 2 * one for _, one, other in alike), "neighbours are"


def test_the_order_of_tiles_shows_without_colour(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    black, found = Colour(0, 0, 0), fills(alone)
    for climb in (TILES[:10], TILES[10:]):
        lightness = [contrast(found[value], black) for value in climb]
        assert lightness == sorted(lightness, reverse=True)


@pytest.mark.parametrize("scheme", get_args(Scheme))
def test_a_chosen_scheme_looks_as_the_systems_does(visit: Visits, scheme: Scheme) -> None:
    by_system = visit(color_scheme=scheme)
    by_system.page.goto("/rules")
    other = visit(color_scheme="dark" if scheme == "light" else "light")
    other.page.goto("/rules")
    other.button("Settings").click()
    other.page.get_by_role("radio", name=scheme.capitalize()).check(force=True)
    for name, html in TEXT_WORDS.items():
        assert painted(other, html) == painted(by_system, html), name
