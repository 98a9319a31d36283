"""The store as it is shipped: the services may do all that they do there, and nobody more than their part."""

import asyncio
import re
from collections.abc import Iterator, Mapping

import pytest
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError
from tests.e2e.meeting import racing, verdicts
from tests.e2e.replaying import replayed
from tests.friend import Friend
from tests.manifests.assembling import make_secrets
from tests.manifests.reading import ROOT
from tests.manifests.stores import ShippedStore, client_of, denied, running, secrets_in
from tests.stack import Stack, make_stack
from tests.stack import running as started

from wire import keys
from wire.ids import TableId

SHORT = {"countdown_ms": "400", "ping_ms": "500", "grace_ms": "1000", "clocks_s": "2,180"}
OF_THE_CLIENT = {"ping", "client|setinfo", "sunsubscribe"}
"""What the client library sends by itself."""
GONE_S = 20.0

Opened = tuple[ShippedStore, Mapping[str, str]]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder = tmp_path_factory.mktemp("store")
    made = secrets_in(folder)
    store = ShippedStore(folder, folder)
    with running(store):
        yield store, made


@pytest.fixture(scope="module")
def stack(opened: Opened, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    store, made = opened
    with started(
        make_stack(store.url(made["redis-url"]), tmp_path_factory.mktemp("stack"), **SHORT)
    ) as stack:
        yield stack


def services_client(opened: Opened) -> Redis:
    store, made = opened
    return client_of(store.url(made["redis-url"]))


async def until_gone(client: Redis, table: str) -> None:
    async with asyncio.timeout(GONE_S):
        while client.exists(keys.table_key(TableId(table))):
            await asyncio.sleep(0.05)


async def test_races_are_dealt_raced_settled_replayed_and_expire_and_nothing_is_denied(
    opened: Opened, stack: Stack
) -> None:
    async with racing(stack.base, 3, target=64) as friends:
        ann, bo, cy = friends
        await cy.do("offer", race=1)
        await bo.do("answer", race=1, agree=False)
        await cy.do("resign", race=1)
        await asyncio.gather(*(each.slides_until(lambda: ann.verdict is not None) for each in (ann, bo)))
        assert (await verdicts(friends))["reason"] == "TARGET"
        assert (await replayed(ann))["order"]
        await ann.do("play_again", race=1)
        await ann.until(lambda: ann.number == 2)
        await ann.until_racing()
        await bo.close()
        await ann.until(lambda: any(seat["away_until"] for seat in ann.table["seats"] if seat["name"]))
        table = ann.table_id
    async with racing(stack.base, 2, clock_s=2) as friends:
        assert (await verdicts(friends))["reason"] == "TIME_UP"
    with services_client(opened) as client:
        client.zadd(keys.clocks_key(keys.bucket_of(TableId(table))), {f"expire:{table}": 1})
        await until_gone(client, table)
    assert denied(opened[0], opened[1]["operator-url"]) == []


def commands_used() -> set[str]:
    """Find every command in scripts and in what the services send by themselves."""
    found: set[str] = set()
    for member in ("proto/src/wire", "game-service/src", "table-service/src"):
        for path in (ROOT / member).rglob("*.lua"):
            found |= set(re.findall(r"redis\.p?call\(\s*'(\w+)'", path.read_text()))
        for path in (ROOT / member).rglob("*.py"):
            text = path.read_text()
            found |= {" ".join(each).strip() for each in re.findall(r"\(\"(CLUSTER)\", \"(\w+)\"", text)}
            found |= set(re.findall(r"(?:\(|ask\()\"([A-Z]{3,})\",? ?", text)) - {
                "CLUSTER",
                "ANN",
                "NFC",
                "NFKC",
                "NFKD",
                "OIL",
            }
    return {each.lower().replace(" ", "|") for each in found}


def test_the_services_may_do_what_they_do_and_nothing_else() -> None:
    allowed = set(re.findall(r"\+(\S+)", make_secrets().TILERACE)) - OF_THE_CLIENT
    used = commands_used() - {"auth", "select"} | {"ssubscribe"}
    assert used >= {"evalsha", "append", "waitaof", "hmget", "spublish", "cluster|slots", "zmscore"}
    assert allowed == used


@pytest.mark.parametrize(
    "command",
    [
        "FLUSHALL", "FLUSHDB", "CONFIG GET *", "CONFIG SET appendonly no", "KEYS *", "SCAN 0", "SHUTDOWN", "MONITOR",
        "ACL LIST", "ACL WHOAMI", "SCRIPT FLUSH", "FUNCTION LIST", "REPLICAOF NO ONE", "CLIENT LIST",
        "CLUSTER RESET", "SAVE", "BGREWRITEAOF", "RENAME {b00}:a {b00}:b", "GET other", "SET other 1",
        "HGETALL {c00}:table:K7QM2XWP", "EVAL return 1 1 other", "PUBLISH {b00}:races x", "SPUBLISH other x",
        "SSUBSCRIBE other", "PSUBSCRIBE *",
    ],
)  # fmt: skip
def test_the_services_may_not_do_what_they_need_not(opened: Opened, command: str) -> None:
    with services_client(opened) as client, pytest.raises(NoPermissionError):
        client.execute_command(*command.split())


@pytest.mark.parametrize(
    "command",
    [
        "GET {b00}:x", "KEYS *", "CONFIG GET *", "FLUSHALL", "ACL LIST", "EVAL return 0", "MONITOR", "SLOWLOG GET",
        "COMMANDLOG GET 1 slow", "PSUBSCRIBE *", "SSUBSCRIBE {b00}:races", "DUMP {b00}:x", "SYNC",
    ],
)  # fmt: skip
@pytest.mark.parametrize("user", ["operator", "probe"])
def test_whoever_looks_after_the_store_sees_no_table(opened: Opened, user: str, command: str) -> None:
    store, made = opened
    url = (
        store.url(made["operator-url"])
        if user == "operator"
        else f"redis://probe:any@127.0.0.1:{store.port}/0"
    )
    with client_of(url) as client:
        assert client.ping()
        with pytest.raises(NoPermissionError):
            client.execute_command(*command.split())


@pytest.mark.parametrize("command", ["PING", "GET {b00}:x", "INFO"])
def test_whoever_gives_no_name_may_do_nothing(opened: Opened, command: str) -> None:
    with client_of(f"redis://127.0.0.1:{opened[0].port}/0") as client, pytest.raises(AuthenticationError):
        client.execute_command(*command.split())


@pytest.mark.parametrize("user", ["default", "tilerace", "operator", "replica"])
def test_a_wrong_password_opens_nothing(opened: Opened, user: str) -> None:
    with (
        client_of(f"redis://{user}:wrong@127.0.0.1:{opened[0].port}/0") as client,
        pytest.raises(AuthenticationError),
    ):
        client.ping()


async def test_what_was_answered_is_there_after_the_store_was_killed(opened: Opened, stack: Stack) -> None:
    store, _ = opened
    async with racing(stack.base, 2, target=64) as friends:
        await friends[0].slides_until(lambda: friends[0].verdict is not None)
        await verdicts(friends)
        before = await replayed(friends[0])
        assert store.process is not None
        store.process.kill()
        store.process.wait()
        await asyncio.to_thread(store.start)
        assert await until_replayed(friends[0]) == before


async def until_replayed(friend: Friend) -> object:
    async with asyncio.timeout(GONE_S):
        while True:
            try:
                return await replayed(friend)
            except AssertionError:
                await asyncio.sleep(0.1)
