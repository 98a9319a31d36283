"""Rendezvous routing: balanced, stable, and around replicas that failed."""

import asyncio
import contextlib
import socket
from collections import Counter

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from wire.refusal import Refusal, Refused, status_of
from wire.routing import AVOID_S, PATIENCE_S, Replicas, choose
from wire.serving import channel

THREE = ("10.0.0.1:50", "10.0.0.2:50", "10.0.0.3:50")
RACES = [f"K7QM2XWP.{number}" for number in range(1, 3001)]


def test_races_spread_evenly() -> None:
    counts = Counter(choose(race, THREE)[0] for race in RACES)
    assert min(counts.values()) > 900
    assert max(counts.values()) < 1100


def test_only_races_of_a_replica_that_left_move() -> None:
    for race in RACES[:500]:
        before, after = choose(race, THREE), choose(race, THREE[:2])
        assert after == [address for address in before if address in THREE[:2]]


def test_a_replica_that_failed_is_avoided_for_some_seconds() -> None:
    now = [100.0]
    replicas = Replicas(THREE, monotonic=lambda: now[0])
    first = replicas.preferred("K7QM2XWP.1")
    replicas.avoid(first[0])
    assert replicas.preferred("K7QM2XWP.1") == [*first[1:], first[0]]
    now[0] += AVOID_S + 0.1
    assert replicas.preferred("K7QM2XWP.1") == first


def test_where_all_have_failed_the_one_that_failed_first_is_tried_first() -> None:
    now = [100.0]
    replicas = Replicas(THREE, monotonic=lambda: now[0])
    for address in (first := replicas.preferred("K7QM2XWP.1"))[::-1]:
        replicas.avoid(address)
        now[0] += 1
    assert replicas.preferred("K7QM2XWP.1") == first[::-1]


async def test_a_name_stands_for_its_addresses_and_a_failed_look_up_keeps_the_old() -> None:
    replicas = Replicas(["127.0.0.1:5000"])
    assert not await replicas.resolve()
    assert replicas.addresses == ("127.0.0.1:5000",)
    lost = Replicas(["no-such-name.invalid:5000"])
    assert not await lost.resolve()
    assert lost.addresses == ("no-such-name.invalid:5000",)


async def test_a_name_of_both_kinds_of_addresses_is_one_replica(monkeypatch: pytest.MonkeyPatch) -> None:
    async def both(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET6, 1, 6, "", ("::1", 50, 0, 0)), (socket.AF_INET, 1, 6, "", ("127.0.0.1", 50))]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", both)  # a host without IPv6 gives one kind
    replicas = Replicas(["localhost:50"])
    assert await replicas.resolve()
    assert replicas.addresses == ("127.0.0.1:50",)


async def test_a_call_without_an_answer_is_tried_once_more_elsewhere() -> None:
    server = grpc.aio.server()
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    tried = []

    async def check(address: str) -> health_pb2.HealthCheckResponse:
        tried.append(address)
        async with grpc.aio.insecure_channel(address) as channel:
            return await health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined,no-any-return]

    replicas = Replicas([f"127.0.0.1:{port}", "127.0.0.1:1"])
    key = next(race for race in RACES if replicas.preferred(race)[0] == "127.0.0.1:1")
    answer = await replicas.call(key, check)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    assert tried == ["127.0.0.1:1", f"127.0.0.1:{port}"]
    await server.stop(None)


@pytest.mark.parametrize("code", ["UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"])
async def test_a_call_that_a_vanishing_hanging_or_stopping_server_cut_off_is_tried_elsewhere(
    code: str,
) -> None:
    tried: list[str] = []

    async def attempt(address: str) -> str:
        tried.append(address)
        if len(tried) == 1:
            raise grpc.aio.AioRpcError(grpc.StatusCode[code], grpc.aio.Metadata(), grpc.aio.Metadata())
        return "answer"

    replicas = Replicas(THREE)
    expected = replicas.preferred("K7QM2XWP.1")[:2]
    assert await replicas.call("K7QM2XWP.1", attempt) == "answer"
    assert tried == expected


async def test_a_call_that_a_replica_cannot_carry_out_is_tried_elsewhere_and_a_refusal_is_not() -> None:
    for refusal, tries in ((Refusal.UNAVAILABLE, 2), (Refusal.NOT_HOST, 1)):
        tried: list[str] = []
        status = rpc_status.to_status(status_of(Refused(refusal)))

        async def attempt(address: str, tried: list[str] = tried, status: grpc.Status = status) -> str:
            tried.append(address)
            if len(tried) < 2:
                trailing = grpc.aio.Metadata(*status.trailing_metadata)
                raise grpc.aio.AioRpcError(status.code, grpc.aio.Metadata(), trailing)
            return "answer"

        with contextlib.suppress(grpc.aio.AioRpcError):
            await Replicas(THREE).call("K7QM2XWP.1", attempt)
        assert len(tried) == tries


async def test_a_call_finds_a_replica_that_is_back_a_little_after_the_other_has_died() -> None:
    server = grpc.aio.server()
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")

    async def check(address: str) -> health_pb2.HealthCheckResponse:
        async with channel(address) as to:
            return await health_pb2_grpc.HealthStub(to).Check(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined,no-any-return]

    calling = asyncio.create_task(
        Replicas(["127.0.0.1:1", f"127.0.0.1:{port}"]).call("K7QM2XWP.1", check),
    )
    await asyncio.sleep(PATIENCE_S / 2)
    assert not calling.done()
    await server.start()
    assert (await calling).status == health_pb2.HealthCheckResponse.SERVING
    await server.stop(None)


async def test_a_call_that_nobody_answers_ends_with_an_error_after_a_while() -> None:
    tried = []

    async def check(address: str) -> health_pb2.HealthCheckResponse:
        tried.append(address)
        async with channel(address) as to:
            return await health_pb2_grpc.HealthStub(to).Check(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined,no-any-return]

    begun = asyncio.get_running_loop().time()
    with pytest.raises(grpc.aio.AioRpcError):
        await Replicas(["127.0.0.1:1", "127.0.0.1:2"]).call("K7QM2XWP.1", check)
    assert set(tried) == {"127.0.0.1:1", "127.0.0.1:2"}
    assert PATIENCE_S <= asyncio.get_running_loop().time() - begun < 2 * PATIENCE_S


async def test_a_call_that_every_replica_says_it_cannot_carry_out_ends_at_once() -> None:
    tried: list[str] = []
    status = rpc_status.to_status(status_of(Refused(Refusal.UNAVAILABLE)))

    async def attempt(address: str) -> str:
        tried.append(address)
        raise grpc.aio.AioRpcError(
            status.code, grpc.aio.Metadata(), grpc.aio.Metadata(*status.trailing_metadata)
        )

    with pytest.raises(grpc.aio.AioRpcError):
        await Replicas(THREE).call("K7QM2XWP.1", attempt)
    assert len(tried) == 2
