"""Offers of a draw, and racing on without a friend who stays away, by the buttons of the page."""

from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.meeting import Rules, away, raced, until_racing, verdict


def test_an_offer_is_declined_then_off_by_a_slide_and_the_next_one_agreed_to(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    ann.button("Offer a draw").click()
    expect(ann.page.get_by_text("You offer a draw; waiting for Bo.")).to_be_visible()
    expect(bo.page.get_by_text("Ann offers a draw.")).to_be_visible()
    bo.button("Decline").click()
    expect(ann.page.get_by_text("Your offer of a draw was declined by Bo.")).to_be_visible()

    expect(ann.button("Offer a draw")).to_be_disabled()
    ann.button("Offer a draw").press("Enter")  # out of reach it is not: it says why
    expect(ann.page.get_by_text("Offer again after 10 more of your own slides")).to_be_visible()
    bo.button("Offer a draw").click()
    expect(ann.page.get_by_text("Bo offers a draw.")).to_be_visible()
    ann.slides(1)
    expect(bo.page.get_by_text("Your offer of a draw is off: Ann slid on.")).to_be_visible()

    ann.slides(9)  # ten since her own offer closed
    ann.button("Offer a draw").click()
    bo.button("Agree to a draw").click()
    for racer, title in ((ann, "A draw with Bo"), (bo, "A draw with Ann")):
        expect(verdict(racer)).to_contain_text(title)
        expect(verdict(racer)).to_contain_text("Everyone agreed to a draw.")
        expect(racer.page.get_by_test_id("final-1")).to_contain_text("½ won")


def test_a_friend_who_stays_away_is_raced_on_without_by_the_button_only(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    away(bo)
    expect(ann.page.get_by_test_id("standing-2")).to_contain_text("away 0:0")
    expect(ann.button("Race on without Bo")).to_be_visible()
    expect(verdict(ann)).to_be_hidden()
    ann.button("Race on without Bo").click()
    expect(verdict(ann)).to_contain_text("Last one in the race.")
    expect(ann.page.get_by_test_id("final-2")).to_contain_text("left behind")


def test_a_friend_who_comes_back_after_the_grace_races_on_where_they_were(visit: Visits) -> None:
    ann, bo = raced(visit, Rules())
    bo.slides(2)
    before = bo.values
    address = bo.page.url
    away(bo)
    expect(ann.button("Race on without Bo")).to_be_visible()
    bo.page.goto(address)
    until_racing(bo)
    expect(ann.button("Race on without Bo")).to_be_hidden()
    assert bo.values == before
