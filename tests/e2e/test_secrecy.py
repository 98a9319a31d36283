"""Nobody is told another's board, slides or the seed before the end, nor a draw before it falls (docs/rules.md §2, §4)."""

import asyncio
import hashlib
import hmac

from tests.e2e.meeting import racing, verdicts
from tests.friend import Friend
from tests.secrecy import before_the_end, check_fields, texts
from tests.stack import Stack


async def test_no_frame_before_the_end_carries_what_it_must_not(base: str, stack: Stack) -> None:
    async with racing(base, 3, target=64) as friends, Friend.at(base, friends[0].table_id) as watcher:
        async with asyncio.TaskGroup() as tasks:
            for friend in friends:
                tasks.create_task(friend.slides_until(lambda friend=friend: friend.verdict is not None))  # type: ignore[misc]
        await verdicts([*friends, watcher])
        seed = watcher.latest["reveal"]["seed"]
        draws = [hmac.digest(bytes.fromhex(seed), k.to_bytes(8), "sha256").hex()[:32] for k in range(400)]
        for friend in [*friends, watcher]:
            own_boards = 0
            for frame in before_the_end(friend.received):
                kind = frame["type"]
                check_fields(frame)
                if kind == "board":
                    own_boards += 1
                    assert friend is not watcher
                    assert frame["n"] <= friend.board["n"]
                said = set(texts(frame))
                assert seed not in said
                assert not any(draw in text for draw in draws for text in said if len(text) >= 32)
            sent = sum(frame["type"] == "slide" for frame in friend.sent)
            assert own_boards <= sent + 4
        assert seed not in stack.logs


async def test_the_revealed_seed_keeps_the_commitment_and_makes_every_board(base: str) -> None:
    async with racing(base, 2, target=64) as (ann, bo):
        commitment = ann.table["race"]["commitment"]
        await ann.slides_until(lambda: ann.verdict is not None)
        await verdicts([ann, bo])
        seed = bytes.fromhex(bo.latest["reveal"]["seed"])
        assert hashlib.sha256(seed).hexdigest() == commitment
        boards = {board["seat"]: board["cells"] for board in bo.latest["reveal"]["boards"]}
        assert boards[1] == ann.board["cells"]


async def test_no_log_line_carries_a_name_or_a_cookie(base: str, stack: Stack) -> None:
    async with racing(base, 2) as (ann, bo):
        await bo.do("resign", race=1)
        await verdicts([ann, bo])
        logs = stack.logs
        assert '"Ann"' not in logs
        assert ann.cookie is not None
        assert ann.cookie.partition("=")[2] not in logs
