"""The chart: well-formed, to scale, and with everything that was measured."""

from xml.etree import ElementTree as ET

import pytest
from bench.race.chart import Bar, Bars, draw, step_of
from bench.race.rounds import Spread

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawn() -> ET.Element:
    bars = [Bar("tilerace", Spread(40, 50, 60), ours=True), Bar("<other> & co", Spread(240, 250, 300))]
    more = Bars("How long a slide takes", "ms", [Bar("p50", Spread(1, 2, 3))])
    return ET.fromstring(draw([Bars("What a slide costs", "µs", bars), more]))  # noqa: S314  our own


def test_every_group_bar_and_unit_is_named(drawn: ET.Element) -> None:
    texts = {each.text for each in drawn.iter(f"{SVG}text")}
    assert {
        "What a slide costs",
        "How long a slide takes",
        "µs",
        "ms",
        "tilerace",
        "<other> & co",
        "p50",
    } <= texts


def test_bars_are_as_long_as_their_medians(drawn: ET.Element) -> None:
    ours, other, _ = [float(each.attrib["width"]) for each in drawn.iter(f"{SVG}rect")][1:]
    assert other / ours == pytest.approx(5, rel=0.01)


def test_all_is_within_the_picture(drawn: ET.Element) -> None:
    width, height = float(drawn.attrib["width"]), float(drawn.attrib["height"])
    for line in drawn.iter(f"{SVG}line"):
        assert 0 <= float(line.attrib["x2"]) <= width
        assert 0 <= float(line.attrib["y2"]) <= height


@pytest.mark.parametrize("most", [0.003, 0.9, 7, 42, 250, 99_999])
def test_an_axis_has_four_to_eight_marks(most: float) -> None:
    assert 3 <= most / step_of(most) <= 8
