"""What a race says to those who do not see it, sounds, and writes into the tab's title."""

from collections.abc import Callable

from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, gathered, joined, opened, resign, start, verdict
from tests.browser.test_sounds import NOTE, switch_on
from tests.browser.visitor import Visitor

# All words that screen readers find in the page's own live regions, which nobody sees.
LISTEN = """() => {
    window.heard = [];
    for (const region of document.querySelectorAll('body > .unseen[role=status]')) {
        new MutationObserver(() => heard.push(region.textContent.trim())).observe(region, {childList: true});
    }
}"""
STANDS = (
    "() => [...document.querySelectorAll('body > .unseen[role=status]')].map(region => region.textContent)"
)
TONES = "() => tones.length"


def titled(state: str) -> str:
    return f"{state} \N{EN DASH} tilerace"


def heard(visitor: Visitor) -> list[str]:
    words: list[str] = visitor.page.evaluate("heard")
    return words


def test_the_start_the_slides_and_the_verdict_are_said(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    bo.page.evaluate(LISTEN)
    start(ann, bo)
    bo.page.wait_for_function("() => heard.includes('Go!')")
    bo.slides(1)
    bo.page.wait_for_function("() => heard.some(words => / in row [1-4], column [1-4]\\.$/.test(words))")
    resign(ann, sure=True)
    expect(verdict(bo)).to_be_visible()
    bo.page.wait_for_function("() => heard.includes('You won! Last one in the race.')")
    assert heard(bo).count("You won! Last one in the race.") == 1
    assert not [words for words in bo.page.evaluate(STANDS) if " in row " in words]


def test_a_rivals_slides_are_not_said(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    start(ann, bo)
    bo.page.evaluate(LISTEN)
    ann.slides(3)
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("3 moves")
    assert [words for words in heard(bo) if words != "Go!"] == []


def test_a_tab_in_the_background_is_known_by_how_things_stand(visit: Visits) -> None:
    ann = opened(visit)
    expect(ann.page).to_have_title(titled("Waiting for friends"))
    bo = joined(visit, ann, "Bo")
    expect(bo.page).to_have_title(titled("Press Ready"))
    bo.button("Ready").click()
    expect(ann.page).to_have_title(titled("Bo is ready"))
    start(ann, bo)
    expect(ann.page).to_have_title(titled("Racing"))
    bo.button("Offer a draw").click()
    expect(ann.page).to_have_title(titled("Bo offers a draw"))
    resign(bo, sure=True)
    expect(ann.page).to_have_title(titled("You won!"))
    expect(bo.page).to_have_title(titled("Player won"))


def test_a_friend_the_countdown_slides_and_the_end_are_heard_once_sounds_are_on(visit: Visits) -> None:
    ann = opened(visit)
    ann.page.add_init_script(NOTE)
    ann.page.reload()
    joined(visit, ann, "Bo").button("Leave the table").click()
    expect(ann.page.get_by_text("Bo's seat is free.")).to_be_visible()
    assert ann.page.evaluate(TONES) == 0
    switch_on(ann, "Sounds")
    before = ann.page.evaluate(TONES)
    bo = joined(visit, ann, "Bo")
    bo.button("Ready").click()
    ann.page.wait_for_function("before => tones.length > before", arg=before)
    counts = [ann.page.evaluate(TONES)]
    happenings: list[Callable[[], None]] = [
        lambda: start(ann, bo), lambda: ann.slides(1), lambda: resign(ann, sure=True),
    ]  # fmt: skip
    for happen in happenings:
        happen()
        ann.page.wait_for_function("before => tones.length > before", arg=counts[-1])
        counts.append(ann.page.evaluate(TONES))
