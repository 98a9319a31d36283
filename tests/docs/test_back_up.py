"""docs/operations.md, "Back up and restore": its commands, run as they stand there, on a real store that is in use.

What they ask of Kubernetes is done for it: a pod's command runs here, its /data is the store's folder, its process 1 the
store, which is started again when it ends. Nothing else is left to Kubernetes by them.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from tests.friend import call
from tests.stack import STOP_S, Stack, Valkey, make_stack

PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()
SECTION = PAGE.split("\n## Back up and restore\n")[1].split("\n## ")[0]
BACK_UP, RESTORE = re.findall(r"^```\n(.+?)^```$", SECTION, re.DOTALL | re.MULTILINE)
SAID = "^ln: failed to access|^tar: .*file changed as we read it"
LN = """#!/bin/sh
if [ -e {taken} ]; then echo 2 >> {taken}; exec {ln} "$@"; fi
echo 1 > {taken}
{ln} appendonly.aof.*.base.* appendonly.aof.*.incr.* {data}/backup
{python} -c '
import redis, time
client = redis.Redis(port={port})
client.bgrewriteaof()
while client.info("persistence")["aof_rewrite_in_progress"]:
    time.sleep(0.01)'
{ln} appendonly.aof.manifest {data}/backup
"""
"""An ln that has the store write its file anew once, when it has linked all but the manifest."""
IN_A_POD = """
kubectl() {
    [ "$3" = exec ] || return 0
    shift 3
    [ "$1" = -i ] && shift
    [ "$1 $2" = "store-0 --" ] || return 1
    shift 2
    "$@"
}
"""


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    folder = tmp_path / "data"
    folder.mkdir()
    valkey = Valkey(folder)
    valkey.start()
    try:
        yield valkey
    finally:
        valkey.stop()


@pytest.fixture
def stack(valkey: Valkey, tmp_path: Path) -> Iterator[Stack]:
    stack = make_stack(valkey.url, tmp_path)
    stack.start()
    try:
        yield stack
    finally:
        stack.stop()


def do(commands: str, valkey: Valkey, *, first: Path | None = None) -> None:
    """Run commands of the page, which says what ln and tar may say of a store that is in use."""
    assert valkey.process is not None
    here = commands.replace("/data", str(valkey.folder)).replace("kill 1'", f"kill {valkey.process.pid}'")
    ran = subprocess.run(
        ["sh", "-c", IN_A_POD + here],
        cwd=valkey.folder.parent,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.pathsep.join([str(first or "/nowhere"), os.environ["PATH"]])},
    )
    assert ran.returncode == 0, ran.stderr
    assert [line for line in ran.stderr.splitlines() if not re.search(SAID, line)] == []


def opened(stack: Stack) -> str:
    return str(call(stack.base, "/api/tables", body={}).body["table"])


def is_known(stack: Stack, table: str) -> bool:
    status = call(stack.base, f"/api/tables/{table}").status
    assert status in {200, 404}
    return status == 200


def test_tables_that_were_backed_up_are_there_again_and_later_ones_are_not(
    valkey: Valkey, stack: Stack
) -> None:
    before = [opened(stack) for _ in range(3)]
    do(BACK_UP, valkey)
    after = opened(stack)
    stack.stop()
    do(RESTORE, valkey)
    assert valkey.process is not None
    assert valkey.process.wait(STOP_S) == 0
    valkey.start()
    stack.start()
    assert [is_known(stack, table) for table in before] == [True] * 3
    assert not is_known(stack, after)
    assert is_known(stack, opened(stack))


def test_a_backup_in_whose_midst_the_file_was_written_anew_is_taken_again(
    valkey: Valkey, tmp_path: Path
) -> None:
    with redis.Redis(port=valkey.port) as client:
        client.mset({f"key {number}": number for number in range(100)})
    taken = tmp_path / "taken"
    ln = tmp_path / "ln"
    ln.write_text(
        LN.format(
            taken=taken, data=valkey.folder, python=sys.executable, port=valkey.port, ln=shutil.which("ln")
        )
    )
    ln.chmod(0o700)
    do(BACK_UP, valkey, first=tmp_path)
    assert taken.read_text().splitlines() == ["1", "2"], (
        "it was not written anew meanwhile, or nobody noticed"
    )
    do(RESTORE, valkey)
    assert valkey.process is not None
    valkey.process.wait(STOP_S)
    valkey.start()
    with redis.Redis(port=valkey.port) as client:
        assert client.dbsize() == 100
