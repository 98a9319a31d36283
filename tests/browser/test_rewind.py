"""A store that has lost its last moments meets the page's last slides again, also after a reload (docs/architecture.md, rule 5)."""

from collections.abc import Mapping

import redis
from playwright.sync_api import expect
from tests.browser.conftest import Visits
from tests.browser.meeting import RACE, Rules, away, raced, until_racing
from tests.browser.visitor import Visitor
from tests.browser.wire import Wire
from tests.stack import Stack


def kept(store: redis.Redis, table: str) -> Mapping[bytes, bytes]:
    """Give what the store holds of the table's race."""
    found = {key: store.dump(key) for key in store.scan_iter(f"*{table}.1*")}
    return {key: dump for key, dump in found.items() if dump is not None}


def put_back(store: redis.Redis, dumps: Mapping[bytes, bytes]) -> None:
    for key, dump in dumps.items():
        store.restore(key, 0, dump, replace=True)


def table_of(visitor: Visitor) -> str:
    return visitor.page.url.rpartition("/")[2]


def test_slides_that_the_store_has_lost_are_made_again_by_a_page_that_was_reloaded(
    visit: Visits, stack: Stack
) -> None:
    ann, bo = raced(visit, Rules())
    ann.slides(3)
    address, table = ann.page.url, table_of(ann)
    with redis.Redis.from_url(stack.game.environment["TILERACE_REDIS_URL"]) as store:
        earlier = kept(store, table)
        ann.slides(4)
        before = (ann.values, ann.figure("score"))
        away(ann)
        put_back(store, earlier)
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("3 moves")
    wire = Wire(ann.page)
    ann.page.goto(address)
    until_racing(ann)
    assert wire.first("board")["n"] == 3
    expect(ann.page.locator(f"{RACE} [data-testid=moves]")).to_have_text("7")
    assert (ann.values, ann.figure("score")) == before
    expect(bo.page.get_by_test_id("standing-1")).to_contain_text("7 moves")
