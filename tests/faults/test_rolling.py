"""A release rolled out under load: every replica of every service goes and comes back, and nobody loses a thing."""

import asyncio
import contextlib
import random
import urllib.error
import urllib.request
from collections.abc import Iterator
from itertools import pairwise

import grpc
import pytest
from grpc_health.v1 import health_pb2
from tests.faults.figures import Figures
from tests.faults.fleet import Fleet, sailing
from tests.faults.party import Party, racing
from tests.faults.racer import careful
from tests.stack import Service

from wire.serving import GRACE_S, LIVENESS

SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
GRACE_MS = 4_000


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Give a fleet in which a seat would soon be counted away, and its grace be over."""
    with sailing(tmp_path_factory.mktemp("rolling"), grace_ms=str(GRACE_MS)) as fleet:
        yield fleet


async def leave(service: Service) -> float:
    """Tell a service to stop; give the seconds that it took."""
    loop = asyncio.get_running_loop()
    begun = loop.time()
    assert service.process is not None
    service.process.terminate()
    assert await asyncio.to_thread(service.process.wait, 3 * GRACE_S) == 0
    return loop.time() - begun


def longest_wait(party: Party, since: float) -> float:
    """Give the longest that any racer went without an answer, in seconds, keys pressed at their pace."""
    waits = []
    for racer in party.racers:
        acks = [since, *(at for at in racer.acks if at > since)]
        waits += [after - before for before, after in pairwise(acks)]
    return max(waits)


def away_frames(party: Party) -> list[object]:
    """Give all that anybody was told of a racer's being away."""
    return [
        seat
        for each in party.everyone
        for frame in each.received
        if frame["type"] == "table"
        for seat in frame["seats"]
        if seat["name"] is not None and not seat["connected"] and frame["phase"] != "gathering"
    ]


async def test_every_replica_of_every_service_is_replaced_while_friends_race(
    fleet: Fleet, rng: random.Random, figures: Figures
) -> None:
    async with (
        racing(fleet.bases, rng, size=4, watched=True, choose=careful) as four,
        racing(fleet.bases, rng, size=3, choose=careful) as three,
    ):
        for party in (four, three):
            party.press()
            await party.until_acked()
        for service in fleet.services:
            begun = asyncio.get_running_loop().time()
            figures.note("a service is told to stop: it has ended", await leave(service), promised=GRACE_S)
            await asyncio.to_thread(fleet.restart, service)
            for party in (four, three):
                await party.until_acked()
                figures.note(
                    f"a {service.module} is replaced: the longest between two answers",
                    longest_wait(party, begun),
                    promised=2,
                )
        for party in (four, three):
            await party.end()
            assert not away_frames(party)
            told_to_leave = {
                each.received[at - 1]["type"] for each in party.everyone for at in each.connections[1:]
            }
            assert told_to_leave <= {"bye"}


async def test_a_gateway_that_goes_is_not_ready_first_and_sends_its_friends_away_with_a_word(
    fleet: Fleet, rng: random.Random
) -> None:
    async with racing(fleet.bases, rng, size=2, choose=careful) as party:
        party.press()
        seen = asyncio.create_task(asyncio.to_thread(watch_readiness, fleet.bases[0]))
        await asyncio.sleep(0.2)
        await leave(fleet.gateways[0])
        assert await seen == 503
        await party.until_back()
        await asyncio.to_thread(fleet.restart, fleet.gateways[0])
        await party.end()
        assert party.racers[0].connections[1:]
        assert [frame["type"] for frame in party.racers[0].received].count("bye") == 1


async def test_a_service_that_goes_says_so_and_is_alive_to_its_end(fleet: Fleet, rng: random.Random) -> None:
    async with racing(fleet.bases, rng, size=2, choose=careful) as party:
        party.press()
        await party.until_acked()
        for service in (fleet.games[0], fleet.tables[0]):
            at = next(at for name, at in service.environment.items() if name.endswith("_LISTEN"))
            async with grpc.aio.insecure_channel(at) as channel:
                serving, alive = (asyncio.create_task(health(channel, name)) for name in ("", LIVENESS))
                await asyncio.sleep(0.2)
                await leave(service)
                assert await serving == [SERVING, NOT_SERVING]
                assert await alive == [SERVING]
            await asyncio.to_thread(fleet.restart, service)
        await party.end()


async def health(channel: grpc.aio.Channel, name: str) -> list[int]:
    """Hear how a service is until it is gone; give all that it said."""
    watch: grpc.aio.UnaryStreamMultiCallable[
        health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse
    ] = channel.unary_stream(
        "/grpc.health.v1.Health/Watch",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    said: list[int] = []
    with contextlib.suppress(grpc.aio.AioRpcError):
        async for told in watch(health_pb2.HealthCheckRequest(service=name)):
            said.append(told.status)  # noqa: PERF401  what was said before it was gone is kept
    return said


def watch_readiness(base: str) -> int:
    """Ask whether a gateway is ready until it is not; give what it said, 0 where it was gone without a word."""
    while True:
        try:
            urllib.request.urlopen(f"{base}/readyz", timeout=5).close()
        except urllib.error.HTTPError as error:
            error.close()
            return error.code
        except OSError:
            return 0
