"""A thousand who come back at once, and hundreds who want a table: races that run hardly feel it."""

import asyncio
import json
import random
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from tests.faults.crowd import crowding
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing
from tests.faults.party import Party, racing
from tests.faults.racer import careful
from tests.proxy import STALLED

from web_gateway.api import MOST_OPENING

TABLES, EACH = 250, 4
ASKED_AT_ONCE = 600
CALM_S = 3.0
PATIENT_S = 1.5
"""After how long nobody waits for a table any more who was not waiting before."""
BACK_S = 30.0
UNNOTICED_S = 0.01
"""What is answered sooner still, on a quiet machine, is no better for whoever slides."""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Have sockets pinged as often as by default, as there are many."""
    with sailing(tmp_path_factory.mktemp("crowd"), ping_ms="10000", grace_ms="60000") as fleet:
        yield fleet


@dataclass
class Pace:
    """How soon the slides of two races are answered."""

    parties: list[Party]
    calm: float
    """Within what time 19 of 20 were, before anything happened (s)."""

    @classmethod
    async def of(cls, parties: list[Party]) -> "Pace":
        """Look on for some seconds."""
        for party in parties:
            party.press()
            await party.until_acked()
        begun = asyncio.get_running_loop().time()
        await asyncio.sleep(CALM_S)
        pace = cls(parties, 0.0)
        pace.calm = pace.since(begun)
        return pace

    def since(self, at: float) -> float:
        """Give within what time 19 of 20 were of those answered since a time of the loop."""
        racers = [racer for party in self.parties for racer in party.racers]
        answered = [pair for racer in racers for pair in zip(racer.acks, racer.waits, strict=True)]
        waits = sorted(wait for acked, wait in answered if acked > at)
        return waits[int(len(waits) * 0.95)]

    def note(self, figures: Figures, what: str, at: float) -> None:
        """Hold what was answered since a time against how it was before."""
        during = self.since(at)
        figures.note(f"{what}: 19 of 20 slides of running races are answered", during, promised=0.3)
        before = max(self.calm, UNNOTICED_S)
        figures.note(f"{what}: that is longer than before", during / before, promised=20, unit="times")


@asynccontextmanager
async def two_races(bases: list[str], rng: random.Random) -> AsyncIterator[Pace]:
    """Have two races of four run, and end well."""
    async with (
        racing(bases, rng, size=4, keys_a_second=10, choose=careful) as one,
        racing(bases, rng, size=4, keys_a_second=10, choose=careful) as other,
    ):
        yield await Pace.of([one, other])
        for party in (one, other):
            await party.end()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=lambda how: how.name)
async def test_a_thousand_come_back_at_once_and_running_races_keep_their_latency(
    fleet: Fleet, rng: random.Random, figures: Figures, how: signal.Signals
) -> None:
    gateway, now = fleet.gateways[0], asyncio.get_running_loop().time
    async with (
        crowding(fleet.ports, rng, tables=TABLES, each=EACH) as crowd,
        two_races(fleet.bases[1:], rng) as pace,
    ):
        what, begun = f"a gateway gets {how.name} and {TABLES * EACH} come to the other", now()
        logged = len(fleet.gateways[1].log.read_text())
        gateway.signal(how)
        await crowd.until_away()
        figures.note(f"{what}: all are back", await crowd.until_back(seconds=BACK_S) - begun, promised=5)
        pace.note(figures, what, begun)
        check_spread(crowd.told_to_wait_s, TABLES * EACH if how is signal.SIGTERM else 0)
        told = fleet.gateways[1].log.read_text()[logged:]
        assert "the Watch broke" not in told, "its pings had to wait for the crowd"
        assert gateway.process is not None
        await asyncio.to_thread(gateway.process.wait, BACK_S)
        fleet.restart(gateway)


def check_spread(told_s: list[float], count: int) -> None:
    """See that each was told when to come back, over about two seconds, and no more than a fifth in any quarter of one."""
    assert len(told_s) == count
    quarters = [int(told * 4) for told in told_s]
    assert all(quarters.count(each) <= count / 5 for each in set(quarters)), sorted(told_s)
    assert max(told_s, default=0) <= 2


async def test_of_hundreds_who_want_a_table_at_once_each_is_given_one_or_refused_soon_and_in_words(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    what, now = f"{ASKED_AT_ONCE} want a table at once", asyncio.get_running_loop().time
    async with two_races(fleet.bases, rng) as pace:
        begun = now()
        asking = [ask_for_table(fleet.ports[index % 2]) for index in range(ASKED_AT_ONCE)]
        answers = await asyncio.gather(*asking)
        pace.note(figures, what, begun)
    opened = [answer for answer in answers if answer.status == 201]
    refused = [answer for answer in answers if answer.status != 201]
    assert len({answer.body["table"] for answer in opened}) == len(opened) > 0
    for answer in refused:
        assert (answer.status, answer.body["error"]) == (503, "UNAVAILABLE")
        assert answer.body["message"]
        assert "retry-after" in answer.head
        figures.note(f"{what}: whoever gets none hears so", answer.took_s, promised=2)
    for answer in opened:
        figures.note(f"{what}: whoever gets one has it", answer.took_s, promised=2)
    figures.note(f"{what}: how many get none", len(refused), promised=ASKED_AT_ONCE, unit="")


async def test_while_no_table_can_be_opened_whoever_asks_for_one_is_soon_refused_at_once(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    what, now = (
        "table-service does not reach the store, and many want a table",
        asyncio.get_running_loop().time,
    )
    async with two_races(fleet.bases, rng) as pace:
        begun = now()
        for name in ("table-0", "table-1"):
            fleet.store_lines[name].weather(up=STALLED)
        try:
            asking = [asyncio.create_task(ask_for_table(fleet.ports[0])) for _ in range(ASKED_AT_ONCE)]
            refused, waiting = await asyncio.wait(asking, timeout=PATIENT_S)
            assert len(waiting) == MOST_OPENING
            late = [await ask_for_table(fleet.ports[0]) for _ in range(5)]
            pace.note(figures, what, begun)
        finally:
            fleet.calm()
        for answer in [*late, *(task.result() for task in refused)]:
            assert (answer.status, answer.body["error"]) == (503, "UNAVAILABLE")
            figures.note(f"{what}: whoever is too many hears so", answer.took_s, promised=0.5)
        answers = await asyncio.gather(*waiting)
        assert {answer.status for answer in answers} <= {201, 503}
        while (await ask_for_table(fleet.ports[0])).status != 201:
            assert now() < begun + BACK_S
            await asyncio.sleep(0.1)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request for a table was answered, and after how many seconds."""

    status: int
    head: str
    body: dict[str, str]
    took_s: float


async def ask_for_table(port: int) -> Asked:
    """Ask for a table over a connection of its own."""
    now = asyncio.get_running_loop().time
    begun = now()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    )
    head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    return Asked(int(head.split()[1]), head.lower(), json.loads(body), now() - begun)
