"""The table before a race: inviting, sitting, names, Ready, who goes and who comes, by the page's own controls."""

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, away, choose, gathered, joined, opened, until_racing
from tests.browser.told import LONG, Scene, tell
from tests.browser.visitor import Visitor

NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"
NO_COPYING = "document.execCommand = () => false"
SHEET = "navigator.share = async (what) => { window.shared = what; }"
SELECTED = "field => field.value.slice(field.selectionStart, field.selectionEnd)"
ABOVE = """element => {
    const {x, y, width, height} = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""


def pasted(page: Page) -> str:
    """Give what is on the clipboard, as one who pastes it."""
    field = page.get_by_label("Your name")
    field.fill("")
    field.press("ControlOrMeta+V")
    return field.input_value()


def link_of(host: Visitor) -> str:
    return host.page.get_by_label("Link to this table").input_value()


def test_the_link_is_copied(visit: Visits) -> None:
    ann = opened(visit)
    ann.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ann.button("Copy link").click()
    expect(ann.page.get_by_text("The link is copied.")).to_be_visible()
    assert ann.copied == link_of(ann)


def test_without_the_clipboard_as_on_plain_http_the_link_is_copied_the_old_way(visit: Visits) -> None:
    ann = visit()
    ann.page.add_init_script(NO_CLIPBOARD)
    open_table(ann)
    ann.button("Copy link").click()
    expect(ann.page.get_by_text("The link is copied.")).to_be_visible()
    assert pasted(ann.page) == link_of(ann)


def test_where_nothing_can_be_copied_the_link_is_marked(visit: Visits) -> None:
    ann = visit()
    ann.page.add_init_script(NO_CLIPBOARD + ";" + NO_COPYING)
    open_table(ann)
    ann.button("Copy link").click()
    expect(ann.page.get_by_text("Copy the marked link.")).to_be_visible()
    assert ann.page.get_by_label("Link to this table").evaluate(SELECTED) == link_of(ann)


def test_the_systems_sheet_is_given_the_link_and_without_one_there_is_no_button(visit: Visits) -> None:
    ann = opened(visit)
    if ann.page.evaluate("typeof navigator.share") == "undefined":
        expect(ann.button("Share…")).to_be_hidden()
    ann.page.add_init_script(SHEET)
    ann.page.reload()
    ann.button("Share…").click()
    assert ann.page.evaluate("window.shared.url") == link_of(ann)


def test_the_qr_code_opens_large_enough_for_a_camera_and_closes_again(visit: Visits) -> None:
    ann = opened(visit, viewport={"width": 390, "height": 844}, color_scheme="dark")
    ann.button("QR code of the link").click()
    large = ann.page.get_by_role("dialog", name="Scan to come to this table")
    code = large.get_by_role("img").bounding_box()
    assert code is not None
    assert min(code["width"], code["height"]) >= 300
    expect(large).to_contain_text(link_of(ann))
    large.get_by_role("button", name="Done").click()
    expect(large).to_be_hidden()
    expect(ann.button("QR code of the link")).to_be_focused()


def test_start_is_in_reach_of_the_keyboard_and_says_why_it_cannot_be_pressed(visit: Visits) -> None:
    ann = opened(visit)
    start = ann.button("Start")
    expect(start).to_be_disabled()
    expect(start).to_have_accessible_description("Waiting for a friend to sit down.")
    start.press("Enter")
    expect(ann.page.get_by_role("button", name="Waiting for a friend to sit down.")).to_be_visible()
    expect(start).to_be_focused()


def test_everyone_hears_who_sits_down_and_whose_seat_is_free(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    expect(ann.page.get_by_text("Bo sat down.")).to_be_visible()
    cleo = joined(visit, ann, "Cleo")
    expect(bo.page.get_by_text("Cleo sat down.")).to_be_visible()
    cleo.button("Leave the table").click()
    expect(cleo.page.get_by_text("You have left the table. You can sit down again.")).to_be_visible()
    expect(bo.page.get_by_text("Cleo's seat is free.")).to_be_visible()


def test_a_friend_whom_the_host_removes_is_told_so_and_may_sit_down_again(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    ann.button("Remove Bo from the table").click()
    ann.button("Remove Bo").click()
    expect(bo.page.get_by_text("The host has freed your seat.")).to_be_visible()
    bo.button("Sit down").click()
    expect(bo.button("Ready")).to_be_visible()
    expect(bo.page.get_by_text("The host has freed your seat.")).to_be_hidden()


def assert_bo_still_sits(host: Visitor) -> None:
    """See that Bo sits there once all is answered that the host has asked before."""
    host.page.get_by_label("Your name").fill("Anna")
    host.button("Rename").click()
    expect(host.page.get_by_test_id("seat-1")).to_contain_text("Anna")
    expect(host.page.get_by_test_id("seat-2")).to_contain_text("Bo")


def test_the_host_is_asked_before_a_friend_is_removed_and_may_think_better_of_it(visit: Visits) -> None:
    ann, _ = gathered(visit, Rules())
    question = ann.page.get_by_role("group", name="Remove Bo from the table? They can sit down again.")
    for take_back in ("Enter", "Escape"):
        ann.button("Remove Bo from the table").press("Enter")
        expect(question).to_be_visible()
        expect(ann.button("Keep Bo")).to_be_focused()
        ann.page.keyboard.press(take_back)
        expect(question).to_be_hidden()
        expect(ann.button("Remove Bo from the table")).to_be_focused()
    assert_bo_still_sits(ann)


def test_a_second_tap_on_the_same_place_removes_nobody(visit: Visits) -> None:
    ann, _ = gathered(visit, Rules(), viewport={"width": 390, "height": 844}, has_touch=True)
    ann.button("Remove Bo from the table").scroll_into_view_if_needed()
    place = ann.button("Remove Bo from the table").bounding_box()
    assert place is not None
    for _ in range(2):
        ann.page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(ann.button("Remove Bo from the table")).to_be_visible()
    assert_bo_still_sits(ann)


def test_friends_can_be_removed_and_one_is_asked_about_at_a_time(visit: Visits) -> None:
    ann = visit()
    tell(ann, Scene().gathering())
    expect(ann.page.get_by_test_id("seat-1").get_by_role("button")).to_have_count(0)
    ann.button("Remove Bo from the table").click()
    ann.button("Remove Cleo from the table").click()
    expect(ann.button("Remove Bo from the table")).to_be_visible()
    expect(ann.button("Keep Cleo")).to_be_visible()


def test_what_is_asked_about_one_who_leaves_is_not_asked_about_the_next_one_there(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    ann.button("Remove Bo from the table").click()
    bo.button("Leave the table").click()
    expect(ann.page.get_by_test_id("seat-2")).to_contain_text("Open seat")
    joined(visit, ann, "Cleo")
    expect(ann.button("Remove Cleo from the table")).to_be_visible()
    expect(ann.button("Remove Cleo")).to_be_hidden()


def test_a_friend_who_was_away_for_too_long_is_told_so_when_they_come_back(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    address = bo.page.url
    away(bo)
    expect(ann.page.get_by_test_id("seat-2")).to_contain_text("Open seat")
    bo.page.goto(address)
    expect(bo.page.get_by_text("While you were away your seat was freed.")).to_be_visible()


def test_the_host_who_leaves_hands_on_and_both_are_told(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    cleo = joined(visit, ann, "Cleo")
    ann.button("Leave the table").click()
    expect(bo.page.get_by_text("You are the host now.")).to_be_visible()
    expect(cleo.page.get_by_text("Bo is the host now.")).to_be_visible()
    expect(bo.button("Start")).to_be_visible()
    expect(ann.button("Sit down")).to_be_visible()


def test_the_host_alone_is_told_how_friends_could_reach_this_computer(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    port = urlsplit(ann.page.url).port
    expect(ann.page.get_by_text(f"make play TILERACE_HOST=0.0.0.0 TILERACE_PORT={port}")).to_be_visible()
    expect(
        ann.page.get_by_text("such as TILERACE_DATA, is to be set again; then this table is still there")
    ).to_be_visible()
    expect(bo.page.get_by_text("This link opens on this computer only.")).to_be_visible()
    expect(bo.page.get_by_text("make play")).to_be_hidden()


def test_any_combination_of_rules_is_said_to_everyone_in_words(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    choose(ann, Rules(target="512", clock="3 minutes"))
    expect(bo.page.locator("rules-form")).to_contain_text(
        "First to 512 wins; after 3 minutes the highest score does"
    )
    ann.button("Endless").click()
    expect(bo.page.locator("rules-form")).to_contain_text("Play until you are stuck; the highest score wins")
    expect(ann.button("Endless")).to_have_attribute("aria-pressed", "true")


def test_the_next_table_begins_with_the_rules_and_the_name_chosen_last(visit: Visits) -> None:
    ann, _ = gathered(visit, Rules(target="512", clock="3 minutes"))
    open_table(ann)
    expect(ann.page.locator("rules-form")).to_contain_text(
        "First to 512 wins; after 3 minutes the highest score does"
    )
    expect(ann.page.get_by_test_id("seat-1")).to_contain_text("Ann")


def test_rules_that_the_server_no_longer_offers_keep_nobody_from_opening_a_table(visit: Visits) -> None:
    ann = visit()
    ann.page.goto("/")
    ann.page.evaluate("localStorage.setItem('tilerace.rules', '{\"target\": null, \"clock_s\": 7}')")
    open_table(ann)
    expect(ann.page.locator("rules-form")).to_contain_text("The first to make a 2048 wins")
    ann.troubles.clear()  # the refusal


def test_one_who_watches_is_not_counted_to_themselves_as_another(visit: Visits) -> None:
    ann = opened(visit)
    watcher = visit()
    watcher.page.goto(ann.page.url)
    expect(watcher.page.get_by_text("You are watching", exact=True)).to_be_visible()
    expect(ann.page.get_by_text("1 watching", exact=True)).to_be_visible()


def test_names_are_text_and_nothing_else(visit: Visits) -> None:
    ann = opened(visit)
    bo = joined(visit, ann, "<b>Bo</b>")
    expect(ann.page.get_by_test_id("seat-2").locator("bdi")).to_have_text("<b>Bo</b>")
    assert bo.page.locator("seat-list b").count() == 0


def test_who_is_refused_a_name_reads_what_is_wrong_with_it_and_has_it_still_to_mend(visit: Visits) -> None:
    ann = opened(visit)
    field = ann.page.get_by_label("Your name")
    for name, words in (("W" * 21, "more than 20 characters"), ("A\u200bnn", "a character that is hidden")):
        field.fill(name)
        ann.button("Rename").click()
        expect(ann.page.locator(".toast", has_text=words)).to_be_visible()
        assert field.input_value() == name


def test_names_of_twenty_wide_letters_hide_neither_whose_they_are_nor_a_button(visit: Visits) -> None:
    phone = visit(viewport={"width": 320, "height": 568})
    tell(phone, Scene(LONG, unready=[2]).gathering())
    for shown in (
        phone.page.get_by_test_id("seat-1").get_by_text("(you)"),
        phone.button(f"Remove {LONG[1]} from the table"),
    ):
        expect(shown).to_be_visible()
        assert shown.evaluate(ABOVE)
    phone.button(f"Remove {LONG[1]} from the table").click()
    expect(phone.page.get_by_test_id("seat-2").get_by_text("not ready yet")).to_be_hidden()
    for answer in ("Keep", "Remove"):
        assert phone.button(f"{answer} {LONG[1]}").evaluate(ABOVE)


def test_the_focus_goes_on_to_the_board_when_the_race_starts(visit: Visits) -> None:
    ann, bo = gathered(visit, Rules())
    expect(
        ann.page.get_by_text("Everyone is ready.")
    ).to_be_visible()  # a key waits for nothing, as a click does
    ann.button("Start").press("Enter")
    until_racing(ann, bo)
    for racer in (ann, bo):
        assert racer.page.evaluate("document.activeElement.closest('tile-board') !== null")


def open_table(host: Visitor) -> None:
    host.page.goto("/")
    host.button("Race a friend").click()
    host.page.wait_for_url("**/t/*")


def test_a_name_that_is_refused_is_said_to_be_and_not_kept_for_the_next_table(visit: Visits) -> None:
    ann = opened(visit)
    ann.page.get_by_label("Your name").fill("Anne Sophie von Hohenstein")
    ann.button("Rename").click()
    expect(ann.page.get_by_text("That name has more than 20 characters")).to_be_visible()
    ann.page.goto("/")
    ann.button("Race a friend").click()
    ann.page.wait_for_url("**/t/*")
    expect(ann.page.get_by_test_id("seat-1")).to_contain_text("Player")


def test_rubbish_that_is_kept_for_a_name_stops_nobody_from_opening_a_table(visit: Visits) -> None:
    ann = visit()
    ann.page.goto("/rules")
    ann.page.evaluate("localStorage.setItem('tilerace.name', 'x'.repeat(10_000))")
    ann.page.goto("/")
    ann.button("Race a friend").click()
    ann.page.wait_for_url("**/t/*")
    expect(ann.page.get_by_test_id("seat-1")).to_contain_text("Player")
    ann.troubles = [trouble for trouble in ann.troubles if "400" not in trouble]
