"""Clients that stop reading: what they are not sent takes little memory, nobody else waits, and they are dropped."""

import asyncio
import json
import random
import secrets
import select
import socket
import statistics
from collections.abc import Sequence
from pathlib import Path

from tests.faults.figures import Figures
from tests.faults.fleet import Fleet
from tests.faults.history import Witness, check
from tests.faults.party import Party, racing
from tests.faults.racer import WORDS, Racer, careful
from tests.friend import Frame, Friend
from tests.stack import Service

from web_gateway.seam.codec import LIMIT, apply_mask
from web_gateway.seam.frames import BACKLOG, STALL_S

WATCHERS = 60
QUIET_S = 4.0
FILLS_S = 5
"""In how long what lies between fills up, at a busy table."""
KERNEL_BUFFER = 2048
NOISE_S = 0.03


class Deaf:
    """A client that speaks and never reads; give what kernels take for it as little room as they allow."""

    def __init__(self, base: str, table: str, cookie: str | None = None) -> None:
        host, _, port = base.removeprefix("http://").rpartition(":")
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, KERNEL_BUFFER)
        self._socket.connect((host, int(port)))
        lines = [
            f"GET /api/tables/{table}/socket HTTP/1.1",
            f"Host: {host}:{port}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            *([f"Cookie: {cookie}"] if cookie else []),
        ]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())

    def say(self, frame: Frame) -> None:
        """Send a frame: who speaks is alive, and is not dropped for its silence."""
        payload, mask = json.dumps(frame).encode(), secrets.token_bytes(4)
        try:
            self._socket.sendall(bytes([0x81, 0x80 | len(payload)]) + mask + apply_mask(payload, mask))
        except OSError:
            assert self.dropped

    @property
    def dropped(self) -> bool:
        poll = select.poll()
        poll.register(self._socket, 0)
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))

    def close(self) -> None:
        self._socket.close()


async def test_watchers_who_stop_reading_cost_little_slow_nobody_and_are_dropped(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True, choose=careful) as party:
        table, gateway = party.racers[0].table_id, fleet.gateways[0]
        usual = await waits_of(party.racers, seconds=QUIET_S)
        deaf = [Deaf(fleet.bases[0], table) for _ in range(WATCHERS)]
        try:
            await party.until_acked()
            memory, took, slow = await until_dropped(deaf, party, gateway)
        finally:
            for each in deaf:
                each.close()
        figures.note("clients stop reading: they are dropped", took, promised=STALL_S + FILLS_S)
        assert took < STALL_S + 2 * FILLS_S
        allowed = WATCHERS * (BACKLOG + LIMIT)
        assert memory < allowed, f"{memory} bytes for {WATCHERS} who do not read, {allowed} are allowed"
        note_waits(figures, usual, slow)
        assert dropped_by(gateway) >= WATCHERS
        async with Friend.at(fleet.bases[0], table) as back:
            await back.until(lambda: "race" in back.latest)
            assert back.kinds[:3] == ["hello", "table", "race"]
        await party.end()


async def test_a_racer_who_stops_reading_slows_nobody_is_dropped_and_comes_back_to_the_board(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with racing(fleet.bases, rng, size=4, watched=True, choose=careful) as party:
        usual = await waits_of(party.racers, seconds=QUIET_S)
        racer = party.racers.pop(2)
        racer.stop()
        await racer.close()
        before = dropped_by(fleet.gateways[0])
        deaf = Deaf(fleet.bases[0], racer.table_id, racer.cookie)
        asked = racer.board["n"]
        try:
            begun = asyncio.get_running_loop().time()
            for racing_on in party.racers:
                racing_on.waits.clear()
            while not deaf.dropped:
                asked += 1
                deaf.say({"type": "slide", "race": 1, "n": asked, "direction": rng.choice(WORDS)})
                await asyncio.sleep(0.02)
            took = asyncio.get_running_loop().time() - begun
        finally:
            deaf.close()
        figures.note("a racer stops reading: it is dropped", took, promised=STALL_S)
        note_waits(figures, usual, [wait for each in party.racers for wait in each.waits])
        assert dropped_by(fleet.gateways[0]) > before
        async with Friend.at(fleet.bases[1], racer.table_id, racer.cookie) as back:
            await back.until(lambda: "board" in back.latest)
            assert back.board["slide"] is None
            assert (await back.slide(back.useful() or "up"))["type"] == "board"
            await back.do("resign", race=1)
            replay = await party.end()
            await back.until_over()
            check(replay, [Witness(name="the racer who is back", sent=back.sent, received=back.received)])


async def waits_of(racers: Sequence[Racer], *, seconds: float) -> list[float]:
    """Have everyone press keys for a while; give how long each slide took."""
    for racer in racers:
        racer.pressing = True
        racer.waits.clear()
    await asyncio.sleep(seconds)
    return [wait for racer in racers for wait in racer.waits]


async def until_dropped(
    deaf: Sequence[Deaf], party: Party, gateway: Service
) -> tuple[int, float, list[float]]:
    """Wait until all of them are dropped; give what memory that took at most, how long, and how long slides took."""
    loop = asyncio.get_running_loop()
    begun, before, most, turns = loop.time(), memory_of(gateway), 0, 0
    for racer in party.racers:
        racer.waits.clear()
    while not all(each.dropped for each in deaf):
        turns += 1
        if turns % 10 == 0:
            for each in deaf:
                each.say({"type": "ping", "t": turns})
        await asyncio.sleep(0.1)
        most = max(most, memory_of(gateway) - before)
        assert loop.time() - begun < 5 * STALL_S, "they are never dropped"
    return most, loop.time() - begun, [wait for racer in party.racers for wait in racer.waits]


def note_waits(figures: Figures, usual: Sequence[float], slow: Sequence[float]) -> None:
    """Hold how long slides took against how long they took before."""
    before, during = (statistics.quantiles(waits, n=20)[-1] for waits in (usual, slow))
    figures.note(
        "clients stop reading: nineteen in twenty slides of others are answered",
        during * 1000,
        promised=(before + NOISE_S) * 1000,
        unit="ms",
    )


def memory_of(service: Service) -> int:
    """Give the bytes that a process holds in memory (proc_pid_status(5))."""
    assert service.process is not None
    fields = Path(f"/proc/{service.process.pid}/status").read_text()
    return 1024 * int(fields.partition("VmRSS:")[2].split()[0])


def dropped_by(service: Service) -> int:
    """Count the slow readers that a gateway says to have dropped."""
    return service.log.read_text().count("slow reader dropped")
