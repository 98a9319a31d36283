"""Nobody acts for another by anything that others see, and nothing that is answered tells who a browser is."""

import asyncio
import json

import pytest
from tests.e2e.meeting import racing, verdicts
from tests.friend import WAIT_S, Frame, Friend, call
from tests.secrecy import guises, secrets_in
from websockets.asyncio.client import connect

PATHS = (
    "/", "/rules", "/boot.js", "/sw.js", "/nothing", "/healthz", "/t/{}", "/t/{}/replay/1", "/api/tables/{}",
    "/api/tables/{}/qr.svg", "/api/tables/{}/races/1/replay", "/api/tables/{}/races/9/replay", "/api/nothing",
)  # fmt: skip
VIEWERS = ("racer", "stranger", "nobody")


def answered(base: str, path: str, cookie: str | None) -> str:
    """Give an answer whole, head and body."""
    answer = call(base, path, cookie=cookie)
    return f"{answer.headers} {answer.body}"


@pytest.mark.parametrize("viewer", VIEWERS)
async def test_no_page_and_no_answer_carries_a_secret_or_its_hash(base: str, viewer: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        stranger = call(base, "/").cookie
        cookie = {"racer": bo.cookie, "stranger": stranger, "nobody": None}[viewer]
        for path in PATHS:
            said = await asyncio.to_thread(answered, base, path.format(ann.table_id), cookie)
            for owner in (ann.cookie, bo.cookie, stranger):
                assert owner is not None
                assert not [
                    guise for secret in secrets_in(owner) for guise in guises(secret) if guise in said
                ], path


async def test_no_frame_carries_a_secret_or_its_hash(base: str) -> None:
    async with racing(base, 2) as (ann, bo), Friend.at(base, ann.table_id) as watcher:
        await ann.slide(ann.useful() or "up")
        await ann.refused("start")
        await ann.do("offer", race=1)
        await bo.do("resign", race=1)
        await verdicts([ann, bo, watcher])
        said = json.dumps([*ann.received, *bo.received, *watcher.received])
        for friend in (ann, bo, watcher):
            assert friend.cookie is not None
            assert not [
                guise for secret in secrets_in(friend.cookie) for guise in guises(secret) if guise in said
            ]


async def test_a_secret_is_told_to_its_own_browser_only_and_once(base: str) -> None:
    fresh = call(base, "/")
    assert fresh.cookie is not None
    assert "set-cookie" not in call(base, "/", cookie=fresh.cookie).headers
    assert call(base, "/").cookie not in {None, fresh.cookie}


async def test_a_request_id_of_anothers_lets_nobody_act(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        seen = call(base, f"/api/tables/{ann.table_id}", cookie=ann.cookie).headers["x-request-id"]
        url = f"{base.replace('http', 'ws', 1)}/api/tables/{ann.table_id}/socket"
        for said in (seen, ann.table_id, f"{ann.table_id}.1", ann.latest["table"]["race"]["commitment"]):
            headers = {"X-Request-Id": said, "X-Browser": said, "Authorization": f"Bearer {said}"}
            async with connect(url, additional_headers=headers) as socket:
                await socket.send(json.dumps({"type": "resign", "id": "resign-1", "race": 1}))
                answers: list[Frame] = []
                async with asyncio.timeout(WAIT_S):
                    while not answers or answers[-1]["type"] != "refused":
                        answers.append(json.loads(await socket.recv()))
            assert answers[-1]["code"] == "NOT_A_RACER"
            seats = {answer["you"]["seat"] for answer in answers if answer["type"] == "table"}
            assert seats == {None}
        await ann.ask("ping", t=0)
        assert ann.verdict is None
        assert bo.verdict is None


async def test_a_frame_of_anothers_id_is_answered_to_who_sent_it(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await ann.send_text('{"type": "ping", "id": "ping-7", "t": 1}')
        await bo.send_text('{"type": "ping", "id": "ping-7", "t": 2}')
        for friend, told in ((ann, 1), (bo, 2)):
            await friend.until(lambda friend=friend: "ping-7" in friend.answers)  # type: ignore[misc]
            assert [answer["t"] for answer in friend.answers["ping-7"]] == [told]


async def test_a_table_opened_under_anothers_request_id_is_another_table_and_browser(base: str) -> None:
    first = call(base, "/api/tables", body={}, method="POST", headers={"X-Request-Id": "trace-0123456789"})
    again = call(base, "/api/tables", body={}, method="POST", headers={"X-Request-Id": "trace-0123456789"})
    assert first.body["table"] != again.body["table"]
    assert None not in {first.cookie, again.cookie}
    assert first.cookie != again.cookie
