"""Long answers that nobody reads."""

import asyncio

from starlette.responses import Response
from starlette.types import Message

from web_gateway.held import Held

FULL = Response(b"full", 503)


class Reader:
    """Who asked, and reads the body when it likes."""

    def __init__(self) -> None:
        self.told: list[Message] = []
        self.reads = asyncio.Event()

    async def receive(self) -> Message:
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if self.told and self.told[-1]["type"] == "http.response.body":
            await self.reads.wait()  # as a server does whose line is full
        self.told.append(message)

    async def asks(self, response: Response) -> None:
        await response({"type": "http"}, self.receive, self.send)


async def test_what_is_not_read_counts_until_it_is_and_then_there_is_room_again() -> None:
    held, slow, late, quick = Held(most_bytes=100), Reader(), Reader(), Reader()
    long = Response(b"x" * 80, headers={"x-of": "ours"})
    async with asyncio.TaskGroup() as tasks:
        waiting = tasks.create_task(slow.asks(held.answer(long, instead=FULL)))
        await asyncio.sleep(0)
        await asyncio.wait_for(late.asks(held.answer(long, instead=FULL)), 5)
        assert (late.told[0]["status"], held.bytes) == (503, 80)
        slow.reads.set()
        await waiting
    quick.reads.set()
    await quick.asks(held.answer(long, instead=FULL))
    assert held.bytes == 0
    assert quick.told[0]["status"] == 200
    assert (b"x-of", b"ours") in quick.told[0]["headers"]
    assert b"".join(message.get("body", b"") for message in quick.told) == b"x" * 80


async def test_what_is_given_up_counts_no_more() -> None:
    held, slow = Held(most_bytes=100), Reader()
    asking = asyncio.ensure_future(slow.asks(held.answer(Response(b"x" * 80), instead=FULL)))
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    assert held.bytes == 0
