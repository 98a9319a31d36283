"""What dies comes back, and without the supervisor nothing stays."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from tests.play.one_machine import SERVICES, STORE, OneMachine, eventually, started

from play.child import Child, running


@pytest.mark.parametrize("name", [STORE, *SERVICES])
def test_a_child_that_was_killed_comes_back_and_serves_again(machine: OneMachine, name: str) -> None:
    before = machine.find(name)
    os.kill(before, signal.SIGKILL)
    after = eventually(
        lambda: machine.find(name) not in {0, before} and machine.find(name), f"{name} is not back"
    )
    eventually(lambda: machine.answer("/readyz") == 200, "it serves again")
    assert machine.find(name) == after
    assert f"{name} ended (SIGKILL); starting it again." in machine.said


def test_what_was_stored_is_there_after_the_store_was_killed(tmp_path: Path) -> None:
    with started(tmp_path) as machine:
        with machine.store() as store:
            store.set("kept", "so")
        before = machine.find(STORE)
        os.kill(before, signal.SIGKILL)
        eventually(lambda: machine.find(STORE) not in {0, before}, "the store is not back")
        eventually(lambda: machine.answer("/readyz") == 200, "it serves again")
        with machine.store() as store:
            assert store.get("kept") == "so"


def test_nothing_is_left_when_the_supervisor_itself_is_killed(tmp_path: Path) -> None:
    with started(tmp_path) as machine:
        machine.process.kill()
        machine.process.wait()
        eventually(lambda: not machine.others(), "there are orphans", seconds=5)
        with started(tmp_path) as again:
            assert again.answer("/readyz") == 200


async def test_one_that_keeps_ending_is_started_after_growing_pauses(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def at_once() -> bool:
        return True

    child = Child(name="moth", command=(sys.executable, "-c", ""), environment={}, is_ready=at_once)
    said = await _said_while_kept(child, capsys, until="in 0.5 s")
    assert said[:3] == [
        "moth ended (exit code 0); starting it again.",
        "moth ended (exit code 0); starting it again in 0.25 s.",
        "moth ended (exit code 0); starting it again in 0.5 s.",
    ]


async def _said_while_kept(child: Child, capsys: pytest.CaptureFixture[str], *, until: str) -> list[str]:
    said = ""
    async with running(child, seconds=1), asyncio.timeout(20):
        keeping = asyncio.create_task(child.keep())
        while until not in said:
            await asyncio.sleep(0.01)
            said += capsys.readouterr().out
        keeping.cancel()
    return said.splitlines()
