"""The rendered manifests as pods that run, and a race of four through all that befalls pods.

The tests go in their order, as the pods are the same throughout: what one leaves behind, the next one finds.
"""

import asyncio
import random
from collections.abc import AsyncIterator
from functools import partial

import pytest
from tests.faults.party import Party, racing
from tests.faults.racer import Racer, careful
from tests.kube.bridges import PROBES
from tests.kube.cluster import Cluster, Pod
from tests.kube.front import Front
from tests.kube.images import PREFIX, SECOND, SERVICES, build
from tests.kube.podman import Podman
from tests.kube.reading import memory_bytes, memory_limit, own_memory_mib

BACK_S = 60.0
"""How long racers may wait for their next answer: a machine of two cores is busy while podman makes a pod."""
KEYS_A_SECOND = 1.0
"""Few, so that the boards last for as long as it takes to replace every pod."""


@pytest.fixture
async def base(cluster: Cluster) -> AsyncIterator[str]:
    """Give the address that friends call: what leads to the gateways' pods."""
    async with Front.of(cluster) as base:
        yield base


async def go_on(party: Party) -> None:
    """See that the slides of everyone who can slide are answered still."""
    begun = asyncio.get_running_loop().time()
    for racer in party.racers:
        await racer.until(partial(is_answered_or_stuck, racer, begun), seconds=BACK_S)
    assert any(racer.acks[-1] > begun for racer in party.racers)


def is_answered_or_stuck(racer: Racer, since: float) -> bool:
    return racer.acks[-1:] > [since] or ("board" in racer.latest and racer.careful() is None)


def test_every_pod_passes_all_that_its_probes_ask(cluster: Cluster) -> None:
    assert len(cluster.pods) == 7
    assert all(set(PROBES) <= set(pod.workload.container) for pod in cluster.pods)
    assert [failure for pod in cluster.pods for failure in cluster.failures(pod)] == []


def test_every_pod_is_confined_as_its_manifest_says(cluster: Cluster) -> None:
    for pod in cluster.pods:
        status = cluster.status(pod)
        assert status["Uid"].split() == status["Gid"].split() == ["10001"] * 4, pod.name
        assert {status[name] for name in ("CapPrm", "CapEff", "CapBnd", "CapInh")} == {"0" * 16}, pod.name
        assert status["NoNewPrivs"] == "1", pod.name
        assert status["Seccomp"] == "2", pod.name
        mounted = pod.workload.container.get("volumeMounts", [])
        assert cluster.writable(pod) == {each["mountPath"] for each in mounted if not each.get("readOnly")}, (
            pod.name
        )


def test_every_pod_has_the_memory_that_its_manifest_allows(cluster: Cluster) -> None:
    for pod in cluster.pods:
        allowed = pod.workload.container["resources"]["limits"]["memory"]
        assert memory_limit(cluster.pid(pod)) == memory_bytes(allowed), pod.name


async def test_four_race_through_the_gateways_pods_to_a_target(base: str, rng: random.Random) -> None:
    async with racing([base], rng, size=4, watched=True, choose=careful, target=64) as party:
        party.press()
        replay = await party.over(seconds=BACK_S)
        assert replay["verdict"]["reason"] == "TARGET"


async def test_a_pod_of_each_service_is_killed_during_a_race_and_nothing_acknowledged_is_lost(
    base: str, cluster: Cluster, rng: random.Random
) -> None:
    async with racing(
        [base], rng, size=4, watched=True, choose=careful, keys_a_second=KEYS_A_SECOND
    ) as party:
        party.press()
        await go_on(party)
        for workload in ("game-service", "table-service", "web-gateway", "store"):
            await asyncio.to_thread(cluster.kill, cluster.of(workload)[0])
            await go_on(party)
        await party.end()
        assert party.acks > 0


async def test_an_image_is_rolled_out_under_a_race(
    base: str, cluster: Cluster, podman: Podman, rng: random.Random
) -> None:
    await asyncio.to_thread(build, podman, cluster.base, tag=SECOND)
    async with racing(
        [base], rng, size=4, watched=True, choose=careful, keys_a_second=KEYS_A_SECOND
    ) as party:
        party.press()
        await go_on(party)
        before = {pod.name for pod in cluster.pods if pod.workload.name in SERVICES}
        for workload in cluster.workloads:
            if workload.name in SERVICES:
                image = f"{PREFIX}{workload.name}:{SECOND}"
                await asyncio.to_thread(cluster.roll, workload, image)
                await go_on(party)
        assert before.isdisjoint(pod.name for pod in cluster.pods)
        for racer in party.racers:
            await racer.until(partial(says_release, racer, SECOND), seconds=BACK_S)
        assert not party.absences
        await party.end()


async def test_the_stores_pod_is_made_anew_and_has_its_tables_from_its_volume(
    base: str, cluster: Cluster, rng: random.Random
) -> None:
    async with racing(
        [base], rng, size=4, watched=True, choose=careful, keys_a_second=KEYS_A_SECOND
    ) as party:
        party.press()
        await go_on(party)
        (old,) = cluster.of("store")
        await asyncio.to_thread(anew, cluster, old)
        assert cluster.of("store") != [old]
        await go_on(party)
        await party.end()


def test_every_pod_is_healthy_after_all_that_and_says_what_it_holds(
    cluster: Cluster, figures: list[str]
) -> None:
    assert [failure for pod in cluster.pods for failure in cluster.failures(pod)] == []
    for pod in cluster.pods:
        allowed = pod.workload.container["resources"]["limits"]["memory"]
        held = own_memory_mib(cluster.pid(pod))
        figures.append(f"{pod.name}: {held:.0f} MiB of its own, {allowed}B allowed")
        assert 0 < held * 2**20 < memory_bytes(allowed)


def anew(cluster: Cluster, pod: Pod) -> None:
    """Remove a pod, and make one in its place, as a StatefulSet does."""
    cluster.remove(pod)
    cluster.wait_ready(cluster.add(pod.workload, 0))


def says_release(racer: Racer, release: str) -> bool:
    """Tell whether the gateway that a racer is connected to says that it is of a release."""
    return bool(racer.closed is None and racer.latest["hello"]["build"] == release)
