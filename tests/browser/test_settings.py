"""The settings: opened from the top bar, closed in every way, kept, and followed by other tabs."""

from collections.abc import Callable

from playwright.sync_api import Locator, expect
from tests.browser.conftest import Visits
from tests.browser.visitor import Visitor

THEME = "() => document.documentElement.dataset.theme ?? null"


def opened_settings(visitor: Visitor) -> Locator:
    """Open the settings from what opens them."""
    opener(visitor).click()
    dialog = visitor.page.get_by_role("dialog", name="Settings")
    expect(dialog).to_be_visible()
    return dialog


def opener(visitor: Visitor) -> Locator:
    return visitor.page.locator("[data-open=settings]").first


def test_colours_are_chosen_kept_and_given_back_to_the_system(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    dialog = opened_settings(alone)
    expect(dialog.get_by_label("System")).to_be_checked()
    dialog.get_by_label("Dark").check()
    assert alone.page.evaluate(THEME) == "dark"
    alone.page.reload()
    assert alone.page.evaluate(THEME) == "dark"
    opened_settings(alone).get_by_label("System").check()
    assert alone.page.evaluate(THEME) is None


def test_done_escape_and_a_tap_beside_close_the_settings_and_focus_comes_back(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    ways: tuple[Callable[[], None], ...] = (
        lambda: alone.button("Done").click(),
        lambda: alone.page.keyboard.press("Escape"),
        lambda: alone.page.mouse.click(5, 5),
    )
    for close in ways:
        dialog = opened_settings(alone)
        close()
        expect(dialog).to_be_hidden()
        expect(opener(alone)).to_be_focused()


def test_sounds_and_vibration_are_off_until_switched_on_and_other_tabs_follow(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    other = Visitor(alone.page.context.new_page())
    other.page.goto("/")
    dialog = opened_settings(alone)
    for name in ("Sounds", "Vibration"):
        expect(dialog.get_by_role("switch", name=name)).not_to_be_checked()
        dialog.get_by_role("switch", name=name).check()
    for name in ("Sounds", "Vibration"):
        expect(opened_settings(other).get_by_role("switch", name=name)).to_be_checked()
        other.page.keyboard.press("Escape")
    assert other.troubles == []


def test_without_vibration_in_the_browser_there_is_no_switch_for_it(visit: Visits) -> None:
    alone = visit()
    alone.page.add_init_script("delete Navigator.prototype.vibrate")
    alone.page.goto("/")
    dialog = opened_settings(alone)
    expect(dialog.get_by_role("switch", name="Sounds")).to_be_visible()
    expect(dialog.get_by_text("Vibration")).to_be_hidden()


def test_keys_slide_nothing_while_the_settings_are_open(visit: Visits) -> None:
    alone = visit()
    alone.page.goto("/")
    opened_settings(alone)
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "w", "a", "s", "d"):
        alone.page.keyboard.press(key)
    alone.page.keyboard.press("Escape")
    assert alone.figure("moves") == 0
