"""Sounds and shakes: none until they are switched on, then for what happens, and never loud."""

from typing import cast

import pytest
from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.saved import game_of, put
from tests.browser.visitor import Visitor

from engine import Direction

NOTE = """(() => {
    window.opened = 0;
    window.tones = [];
    window.shakes = [];
    const Own = AudioContext;
    window.AudioContext = class extends Own {
        constructor(...how) { super(...how); opened += 1; }
        createOscillator() {
            const tone = super.createOscillator();
            const start = tone.start;
            tone.start = when => { tones.push(Math.round(tone.frequency.value)); start.call(tone, when); };
            return tone;
        }
    };
    Navigator.prototype.vibrate = pattern => { shakes.push(pattern); return true; };
})()"""
# Plays every tune by itself into a recording, and gives how loud its loudest moment is.
LOUDEST = """async () => {
    const [, digest] = document.querySelector("meta[name=build]").content.split("+");
    const { Sounds, TUNES, countTune, slideTune } = await import(`/at/${digest}/js/sounds.js`);
    const slides = [0, ...Array.from({length: 16}, (_, more) => more + 2)].map(slideTune);
    const peaks = [];
    for (const tune of [...slides, countTune(3), countTune(0), ...Object.values(TUNES)]) {
        const tape = new OfflineAudioContext(1, 1.5 * 44100, 44100);
        new Sounds(() => tape).play(tune);
        const heard = (await tape.startRendering()).getChannelData(0);
        peaks.push(heard.reduce((most, each) => Math.max(most, Math.abs(each)), 0));
    }
    return peaks;
}"""
MERGE = [16, 16, *[0] * 14]
NO_MERGE = [0, 16, *[0] * 13, 64]


@pytest.fixture
def alone(visit: Visits) -> Visitor:
    visitor = visit()
    visitor.page.add_init_script(NOTE)
    return visitor


def switch_on(visitor: Visitor, name: str) -> None:
    visitor.page.locator("[data-open=settings]").click()
    visitor.page.get_by_role("switch", name=name).check()
    visitor.button("Done").click()


def forget(visitor: Visitor) -> None:
    visitor.page.evaluate("() => { tones.length = 0; shakes.length = 0; }")


def tones(visitor: Visitor) -> list[int]:
    return cast("list[int]", visitor.page.evaluate("tones"))


def shakes(visitor: Visitor) -> list[list[int]]:
    return cast("list[list[int]]", visitor.page.evaluate("shakes"))


def slid(visitor: Visitor, values: list[int]) -> None:
    """Slide left from this board, with what was noted before forgotten."""
    put(visitor, game_of(values))
    forget(visitor)
    visitor.press(Direction.LEFT)
    expect(visitor.page.locator("#live")).not_to_be_empty()


def test_nothing_sounds_or_shakes_and_nothing_is_opened_for_it_until_it_is_switched_on(
    alone: Visitor,
) -> None:
    slid(alone, MERGE)
    assert [tones(alone), shakes(alone), alone.page.evaluate("opened")] == [[], [], 0]


def test_switched_on_one_hears_it_at_once_and_then_every_slide_the_merges_higher(alone: Visitor) -> None:
    alone.page.goto("/")
    switch_on(alone, "Sounds")
    assert len(tones(alone)) > 0
    slid(alone, NO_MERGE)
    tap = tones(alone)
    slid(alone, MERGE)
    merged = tones(alone)
    slid(alone, [512, 512, *[0] * 14])
    bigger = tones(alone)
    assert 0 < len(tap) < len(merged) == len(bigger)
    assert max(tap) < max(merged) < max(bigger)
    assert shakes(alone) == []
    assert alone.page.evaluate("opened") == 1


def test_vibration_is_felt_for_merges_only_and_by_itself(alone: Visitor) -> None:
    alone.page.goto("/")
    switch_on(alone, "Vibration")
    assert len(shakes(alone)) == 1
    slid(alone, NO_MERGE)
    assert shakes(alone) == []
    slid(alone, MERGE)
    assert len(shakes(alone)) == 1
    assert tones(alone) == []


def test_a_win_and_the_end_sound_otherwise_than_a_slide(alone: Visitor) -> None:
    alone.page.goto("/")
    switch_on(alone, "Sounds")
    slid(alone, [1024, 1024, 4, 2, *[0] * 12])
    won = tones(alone)
    slid(alone, [64, 64, 32, 8, 8, 16, 64, 32, 16, 32, 8, 64, 32, 64, 16, 128])
    stuck = tones(alone)
    # Each note is a tone and another two octaves above it.
    assert won[::2] == sorted(set(won[::2]))
    assert stuck[::2] == sorted(set(stuck[::2]), reverse=True)


def test_a_reloaded_page_opens_nothing_before_it_is_touched(alone: Visitor) -> None:
    alone.page.goto("/")
    switch_on(alone, "Sounds")
    alone.page.reload()
    assert alone.page.evaluate("opened") == 0


def test_every_tune_can_be_heard_and_none_is_loud(alone: Visitor) -> None:
    alone.page.goto("/")
    peaks = cast("list[float]", alone.page.evaluate(LOUDEST))
    assert len(peaks) > 20
    assert min(peaks) > 0.02
    assert max(peaks) < 0.35
