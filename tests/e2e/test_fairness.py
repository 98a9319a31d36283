"""What was tried to learn a draw early or another's board, and what came of it (docs/fairness.md)."""

import asyncio
import base64
import re

import pytest
from tests.e2e.meeting import gathered, racing, started, verdicts
from tests.e2e.replaying import ask_replay, replayed
from tests.friend import Friend, call
from tests.secrecy import before_the_end, guises, secrets_in
from tests.stack import Stack

HASH = re.compile(r"[0-9a-f]{64}")
NUMBERS = (
    "1", "01", "0000000001", "+1", "-1", "-0", "0", "1.0", "1e0", "0x1", "%31", "1%00", "1%20", "1;", "1,2", "%D9%A1",
    "%EF%BC%91", "2", "9" * 9, "9" * 40, "null", "latest", "*",
)  # fmt: skip
RACE_PATHS = ("", "/", "/1", "/1/", "/1/reveal", "/1/seed", "/1/log", "/1/board", "/1/boards", "/1/standings")
PLACES = ("", "/", "/qr.svg", "/race", "/board", "/boards", "/seed", "/reveal", "/replay", "/log", "/socket")
ELSEWHERE = ("/metrics", "/debug", "/docs", "/openapi.json", "/.env", "/api", "/api/", "/healthz", "/readyz")
METHODS = ("GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE")
ASKING_AT_ONCE = 4


def paths_of(table: str) -> list[str]:
    """Give every address at which somebody might look for what is secret."""
    at = f"/api/tables/{table}"
    return [
        *(f"{at}{place}" for place in PLACES),
        *(f"{at}/races{path}" for path in RACE_PATHS),
        *(f"{at}/races/{number}/replay" for number in NUMBERS),
        *(f"{at.lower()}/races/1/replay", f"{at}/races/1/replay/", f"{at}/races/1/replay?number=1&over=1"),
        *(f"/t/{table}/replay/1", f"/t/{table}"),
        *ELSEWHERE,
    ]


async def said(friend: Friend, path: str, *, method: str = "GET", cookie: str | None = None) -> str:
    """Give all that one request is answered, headers and all."""
    answer = await asyncio.to_thread(call, friend.base, path, method=method, cookie=cookie)
    if "replay" in path and not path.startswith("/t/"):
        assert answer.status in {404, 405, 409}, (method, path, answer)
        assert "no-store" in answer.headers["cache-control"]
    return f"{answer.body} {answer.headers}"


async def test_no_address_tells_more_of_a_race_that_runs_than_its_commitment(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        for _ in range(3):
            await ann.slide(ann.useful() or "up")
        heard = [
            await said(ann, path, cookie=cookie)
            for path in paths_of(ann.table_id)
            for cookie in (None, bo.cookie)
        ]
        heard += [
            await said(ann, path, method=each) for each in METHODS for path in paths_of(ann.table_id)[:35]
        ]
        commitment = ann.table["race"]["commitment"]
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        seed = ann.latest["reveal"]["seed"]
        boards = [repr(friend.board["cells"]) for friend in (ann, bo)]
        for each in heard:
            assert set(HASH.findall(each)) <= {commitment}
            assert "'seed'" not in each
            assert not any(secret in each for secret in (seed, *boards))


async def test_a_replay_comes_at_no_moment_before_the_verdict(base: str) -> None:
    async with racing(base, 2, target=64) as (ann, bo):
        given: list[int] = []

        async def ask_again_and_again() -> None:
            while not given:
                answer = await ask_replay(bo)
                if answer.status == 200:
                    given.append(bo.board["n"])
                    assert answer.body["verdict"]["reason"] == "TARGET"
                    assert {seat["seat"]: len(seat["slides"]) for seat in answer.body["seats"]}[2] == 0
                else:
                    assert answer.body["error"] == "RACE_NOT_OVER"

        async with asyncio.TaskGroup() as tasks:
            for _ in range(ASKING_AT_ONCE):
                tasks.create_task(ask_again_and_again())
            await ann.slides_until(lambda: ann.verdict is not None)
        assert await bo.refused("slide", race=1, n=1, direction=bo.useful()) == "RACE_OVER"


def others_cookies(cookie: str) -> list[str]:
    """Give cookies that are nearly another's, or made of what others see of it."""
    name, _, secret = cookie.partition("=")
    hashed = secrets_in(cookie)[1]
    return [
        f"{name}={secret[:-1]}{'A' if secret[-1] != 'A' else 'Q'}",
        f"{name}={secret.swapcase()}",
        f"{name}x={secret}",
        f"{name}={base64.urlsafe_b64encode(hashed)[:22].decode()}",
        f"{name}={hashed.hex()}",
        f"{name.upper()}={secret}",
        f"{name}=%00{secret}",
    ]


async def test_a_board_comes_to_none_but_the_browser_that_was_dealt_in(base: str) -> None:
    async with racing(base, 2) as (ann, bo):
        await ann.slide(ann.useful() or "up")
        assert ann.cookie is not None
        for cookie in (None, *others_cookies(ann.cookie)):
            async with Friend.at(base, ann.table_id, cookie) as stranger:
                await stranger.until(lambda stranger=stranger: "race" in stranger.latest)
                assert await stranger.refused("slide", race=1, n=1, direction="up") == "NOT_A_RACER"
                assert await stranger.refused("resign", race=1) == "NOT_A_RACER"
                assert await stranger.refused("sit", name="Ann") == "NOT_GATHERING"
                assert "board" not in stranger.latest
        own = ann.board["cells"]
        async with Friend.at(base, ann.table_id, ann.cookie) as tab:
            await tab.until_racing()
            assert tab.board["cells"] == own
            assert {frame["race"] for frame in tab.received if frame["type"] == "board"} == {1}
        assert bo.board["n"] == 0


@pytest.mark.parametrize("more", [{"seat": 2}, {"handle": 2}, {"browser": "00" * 32}, {"connection": 2**53}])
async def test_no_frame_names_another_seat_to_act_for(base: str, more: dict[str, object]) -> None:
    async with racing(base, 2) as (ann, bo):
        slide = {"race": 1, "n": 1, "direction": bo.useful()}
        assert await ann.refused("slide", **slide, **more) == "BAD_FRAME"
        assert await ann.refused("resign", race=1, **more) == "BAD_FRAME"
        await bo.ask("ping", t=0)
        assert bo.board["n"] == 0
        assert bo.verdict is None


async def test_the_commitment_is_there_before_the_first_board_and_stays(base: str) -> None:
    async with racing(base, 2, target=64) as (ann, bo):
        await ann.slides_until(lambda: ann.verdict is not None)
        await verdicts([ann, bo])
        for friend in (ann, bo):
            first = next(at for at, frame in enumerate(friend.received) if frame["type"] == "board")
            races = [frame["race"] for frame in friend.received if frame["type"] == "table" and frame["race"]]
            told = [race["commitment"] for race in races if race["commitment"] is not None]
            before = [
                frame for frame in friend.received[:first] if frame["type"] == "table" and frame["race"]
            ]
            assert before[-1]["race"]["commitment"] == told[0]
            assert len(set(told)) == 1


async def test_a_start_board_that_one_does_not_like_costs_the_race(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        commitments = []
        for number in (1, 2, 3):
            await (ann.do("start") if number == 1 else ann.do("play_again", race=number - 1))
            await ann.until(lambda number=number: "board" in ann.latest and ann.board["race"] == number)  # type: ignore[misc]
            commitments.append(ann.table["race"]["commitment"])
            await ann.do("resign", race=number)
            verdict = await verdicts([ann, bo])
            assert verdict["winner"] == bo.seat
        assert len(set(commitments)) == 3
        tallies = {seat["name"]: seat["tally"] for seat in ann.table["seats"] if seat["name"]}
        assert tallies == {"Ann": 0, "Bo": 3}


async def test_a_second_seat_that_slides_ahead_meets_what_the_first_will_meet_and_is_seen_ahead(
    base: str,
) -> None:
    """What shared draws give away to one who holds two seats; docs/fairness.md says why it stays."""
    async with racing(base, 3) as (ann, puppet, cy):
        ahead = await puppet.slides_until(lambda: puppet.board["n"] >= 5)
        for direction in ahead:
            await ann.slide(direction)
        made = [
            [
                (frame["tile"], frame["cells"])
                for frame in friend.received
                if frame["type"] == "board" and frame["tile"]
            ]
            for friend in (puppet, ann)
        ]
        assert made[0] == made[1]
        await cy.until(lambda: [each["slides"] for each in cy.race["standings"]] == [5, 5, 0])
        first = [frame for frame in before_the_end(cy.received) if frame["type"] == "race"]
        assert any(frame["standings"][1]["slides"] > frame["standings"][0]["slides"] for frame in first)


async def test_races_of_one_table_share_no_seed(base: str) -> None:
    async with gathered(base, 2) as (ann, bo):
        await started([ann, bo])
        seeds = []
        for number in (1, 2):
            await bo.do("resign", race=number)
            await verdicts([ann, bo])
            seeds.append((await replayed(ann, number))["seed"])
            if number == 1:
                await ann.do("play_again", race=1)
                for friend in (ann, bo):
                    await friend.until(lambda friend=friend: friend.number == 2)  # type: ignore[misc]
                    await friend.until_racing()
        assert len(set(seeds)) == 2


async def test_logs_tell_no_secret_in_any_guise(base: str, stack: Stack) -> None:
    async with racing(base, 2, target=64) as (ann, bo):
        await ann.send_text("{" * 50)
        await ann.slides_until(lambda: ann.verdict is not None)
        await verdicts([ann, bo])
        await ask_replay(ann)
        secrets = [bytes.fromhex(ann.latest["reveal"]["seed"])]
        for friend in (ann, bo):
            assert friend.cookie is not None
            secrets += secrets_in(friend.cookie)
        logs = stack.logs
        for each in secrets:
            assert not any(guise in logs for guise in guises(each))
