"""The store on a real Valkey: scripts run once, time is heard, news arrives."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
import redis
from tests.counted import counted, value
from tests.proxy import CLEAR, LOST, Loss, Proxy
from tests.stack import Valkey

from wire import keys, news
from wire.store import OutcomeUnknown, Script, Store, StoreError, StoreRefused, WrongType

COUNT = Script("return redis.call('INCR', KEYS[1])")


async def test_a_script_the_store_does_not_know_is_loaded_and_runs_once(store_url: str) -> None:
    store = await Store.connect(store_url)
    await store.client.script_flush()
    assert await store.run(COUNT, ["{b00}:n"], []) == 1
    assert await store.run(COUNT, ["{b00}:n"], []) == 2
    await store.aclose()


async def test_a_script_whose_reply_was_lost_is_not_sent_again(store_port: int, store_url: str) -> None:
    assert store_url
    async with Proxy.to(store_port) as line:
        store = await Store.connect(line.store_url)
        await store.run(COUNT, ["{b00}:n"], [])
        line.loss = Loss(b"EVALSHA")
        with pytest.raises(OutcomeUnknown):
            await store.run(COUNT, ["{b00}:n"], [])
        assert line.loss.happened
        assert await store.read([("GET", "{b00}:n")]) == [b"2"]
        await store.aclose()


async def test_many_at_once_wait_their_turn(store_url: str) -> None:
    store = await Store.connect(store_url)
    counts = await asyncio.gather(*[store.run(COUNT, ["{b00}:n"], []) for _ in range(400)])
    assert sorted(map(int, filter(None, counts))) == list(range(1, 401))  # type: ignore[arg-type]
    await store.aclose()


async def test_a_connection_that_uvloop_finds_closed_is_lost_like_any_other(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object) -> None:
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")

    store = await Store.connect(store_url)
    monkeypatch.setattr("asyncio.selector_events._SelectorSocketTransport.write", closed)
    with pytest.raises(OutcomeUnknown):
        await store.run(COUNT, ["{b00}:n"], [])
    with pytest.raises(OutcomeUnknown):
        await store.read([("GET", "{b00}:n")])
    monkeypatch.undo()
    assert await store.run(COUNT, ["{b00}:n"], []) == 1
    await store.aclose()


async def test_news_is_listened_to_again_after_uvloop_finds_a_connection_closed(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed, heard = asyncio.Event(), asyncio.Event()

    async def closed(*_: object, **__: object) -> None:
        failed.set()
        raise RuntimeError("unable to perform operation on <TCPTransport closed=True>; the handler is closed")

    store = await Store.connect(store_url)
    monkeypatch.setattr("redis.asyncio.connection.Connection.send_packed_command", closed)
    listening = asyncio.create_task(
        news.listen(store, keys.races_channel, buckets=[0], on_news=lambda *_: None, on_gap=heard.set)
    )
    await failed.wait()
    monkeypatch.undo()
    await asyncio.wait_for(heard.wait(), 5)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
    await store.aclose()


async def test_an_error_reply_is_a_refusal(store_url: str) -> None:
    store = await Store.connect(store_url)
    with pytest.raises(StoreRefused, match="no such"):
        await store.run(Script("return redis.error_reply('no such thing')"), ["{b00}:n"], [])
    await store.aclose()


async def test_a_key_of_the_wrong_type_spoils_no_other(store_url: str) -> None:
    store = await Store.connect(store_url)
    await store.client.set("{b00}:n", 7)
    commands = [("HGET", "{b00}:n", "v"), ("GET", "{b00}:n")]
    wrong, right = await store.read_apart(commands)
    assert isinstance(wrong, WrongType)
    assert right == b"7"
    with pytest.raises(WrongType):
        await store.read(commands)
    with pytest.raises(StoreRefused):
        await store.read_apart([("GET",)])
    await store.aclose()


async def test_what_goes_wrong_is_counted_by_its_kind(store_url: str, store_port: int) -> None:
    assert store_url
    async with Proxy.to(store_port) as line:
        store = await Store.connect(line.store_url)
        await store.client.set("{b00}:n", 7)
        with counted("tilerace_store_errors_total", kind="wrong_type"):
            await store.read_apart([("HGET", "{b00}:n", "v")])
        with counted("tilerace_store_errors_total", kind="refused"), pytest.raises(StoreRefused):
            await store.read([("GET",)])
        line.loss = Loss(b"GET")
        with counted("tilerace_store_errors_total", kind="unknown"), pytest.raises(OutcomeUnknown):
            await store.read([("GET", "{b00}:n")])
        await store.aclose()


@pytest.mark.parametrize(("keeps", "told"), [("yes", []), ("no", ["the store keeps no append-only file"])])
async def test_a_store_that_keeps_no_file_is_told_of_at_the_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, keeps: str, told: list[str]
) -> None:
    valkey = Valkey(tmp_path, options=("--appendonly", keeps))
    try:
        valkey.start()
        await (await Store.reach(valkey.url)).aclose()
    finally:
        valkey.stop()
    assert caplog.messages == told


async def test_answers_are_timed_by_what_was_asked(store_url: str) -> None:
    store = await Store.connect(store_url)
    calls = "tilerace_store_call_seconds_count"
    with (
        counted(calls, call="sweep"),
        counted(calls, call="read"),
        counted(calls, call="time"),
        counted(calls, 0, call="commit"),
    ):
        await store.run(Script("return 1", "sweep"), ["{b00}:n"], [])
        await store.read([("GET", "{b00}:n")])
        await store.hear_time()
    await store.aclose()


async def test_a_store_that_is_silent_is_shown_to_be(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await Store.connect(store_url)
    keeping = asyncio.create_task(store.keep_time(every_s=0.01))
    await asyncio.sleep(0.05)
    assert value("tilerace_store_silent") == 0
    monkeypatch.setattr("wire.store.SILENT_S", -1.0)
    assert value("tilerace_store_silent") == 1
    keeping.cancel()
    await store.aclose()


@pytest.mark.parametrize(
    "options", ["socket_timeout=soon", "no_such=1", "protocol=9", "db=first", "ssl_cert_reqs=maybe"]
)
async def test_an_option_that_cannot_be_used_is_told_in_one_sentence(options: str) -> None:
    with pytest.raises(StoreRefused, match="TILERACE_REDIS_URL has an option that cannot be used") as told:
        await Store.connect(f"rediss://user:hidden@127.0.0.1:1/0?{options}")
    assert "hidden" not in str(told.value)


@pytest.mark.parametrize("url", ["redis://ann:hidden@127.0.0.1:1/0", "redis://127.0.0.1:1/0?password=hidden"])
async def test_a_password_is_not_told_of_a_store_that_is_away(url: str) -> None:
    with pytest.raises(StoreError, match=r"The store at redis://127\.0\.0\.1:1/0 cannot be reached") as told:
        await Store.connect(url)
    assert "hidden" not in str(told.value)


async def test_a_store_that_is_not_there_is_told_in_one_sentence() -> None:
    with pytest.raises(StoreError, match="cannot be reached"):
        await Store.connect("redis://user:hidden@127.0.0.1:1/0")


async def test_a_store_that_is_away_is_waited_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    valkey = Valkey(tmp_path)
    reaching = asyncio.create_task(Store.reach(valkey.url, every_s=0.01))
    while not caplog.records:
        await asyncio.sleep(0.01)
    try:
        await asyncio.to_thread(valkey.start)
        store = await reaching
        assert await store.read([("GET", "{b00}:n")]) == [None]
        await store.aclose()
    finally:
        valkey.stop()
    assert [record.message for record in caplog.records] == ["waiting for the store"]


@pytest.mark.parametrize("user", ["", "nobody:wrong@", ":wrong@"])
async def test_a_store_that_refuses_us_is_not_waited_for(tmp_path: Path, user: str) -> None:
    valkey = Valkey(tmp_path, options=("--requirepass", "right"))
    try:
        await asyncio.to_thread(valkey.start)
        with pytest.raises(StoreRefused, match="check TILERACE_REDIS_URL"):
            await Store.reach(valkey.url.replace("//", f"//{user}"))
    finally:
        valkey.stop()


async def test_the_words_about_an_unreachable_store_hide_its_password() -> None:
    with pytest.raises(StoreError) as caught:
        await Store.connect("redis://user:hidden@127.0.0.1:1/0")
    assert "hidden" not in str(caught.value)


async def test_a_store_that_answers_nothing_is_silent_until_it_does(
    store_port: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "wire.store")
    monkeypatch.setattr("wire.store.SILENT_S", 0.5)
    async with Proxy.to(store_port) as line:
        store = await Store.connect(line.store_url)
        keeping = asyncio.create_task(store.keep_time(every_s=0.1))
        await asyncio.sleep(1)
        assert not store.silent
        line.up.weather = line.down.weather = LOST
        await _until(lambda: store.silent)
        await line.cut()
        await _until(lambda: bool(caplog.records))
        line.up.weather = line.down.weather = CLEAR
        await line.cut()
        await _until(lambda: not store.silent)
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        await store.aclose()
    assert [record.message for record in caplog.records] == [
        "the store does not answer", "the store answers again",
    ]  # fmt: skip


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not holds():
            await asyncio.sleep(0.01)


async def test_the_clock_follows_the_store(store_url: str) -> None:
    store = await Store.connect(store_url)
    seconds, micros = await store.client.time()
    assert abs(store.clock.now() - (int(seconds) * 1000 + int(micros) // 1000)) < 1000
    await store.aclose()


async def test_what_was_committed_to_a_synced_store_is_durable(store_url: str) -> None:
    store = await Store.connect(store_url)
    assert await store.durable(3)
    await store.aclose()


async def test_those_who_wait_for_durability_at_once_each_write_and_wait_on_a_connection_of_their_own(
    store_url: str,
) -> None:
    store = await Store.connect(store_url)
    asked: dict[str, list[str]] = {}
    monitor = redis.Redis.from_url(store_url)
    with monitor.monitor() as watching:
        for _ in range(2):
            assert all(await asyncio.gather(*(store.durable(bucket) for bucket in range(8))))
        await store.run(COUNT, ["{b00}:done"], [])
        for told in watching.listen():
            command = told["command"].split(" ")[0]
            if command == "INCR":
                break
            asked.setdefault(told["client_port"], []).append(command)
    monitor.close()
    fences = [commands for commands in asked.values() if "WAITAOF" in commands]
    assert sum(commands.count("WAITAOF") for commands in fences) == 16
    for commands in fences:
        written = [command for command in commands if command != "INFO"]
        assert written == ["SET", "WAITAOF", "WAIT"] * commands.count("WAITAOF")
    await store.aclose()


async def test_news_arrives_and_begins_with_a_gap(store_url: str) -> None:
    store = await Store.connect(store_url)
    heard: asyncio.Queue[tuple[int, bytes] | None] = asyncio.Queue()
    task = asyncio.create_task(
        news.listen(
            store,
            keys.races_channel,
            buckets=range(keys.BUCKETS),
            on_news=lambda bucket, payload: heard.put_nowait((bucket, payload)),
            on_gap=lambda: heard.put_nowait(None),
        )
    )
    async with asyncio.timeout(10):
        for _ in range(keys.BUCKETS):
            assert await heard.get() is None
        await store.client.execute_command(
            "SPUBLISH", keys.races_channel(5), news.payload([("K7QM2XWP.1", 2)])
        )
        assert await heard.get() == (5, b"K7QM2XWP.1 2")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.aclose()


async def test_a_news_connection_that_is_killed_comes_back_with_a_gap(store_url: str) -> None:
    store = await Store.connect(store_url)
    gaps: asyncio.Queue[None] = asyncio.Queue()
    task = asyncio.create_task(
        news.listen(
            store,
            keys.tables_channel,
            buckets=[0],
            on_news=lambda _bucket, _payload: None,
            on_gap=lambda: gaps.put_nowait(None),
        )
    )
    async with asyncio.timeout(10):
        await gaps.get()
        await store.client.execute_command("CLIENT", "KILL", "TYPE", "pubsub")
        await gaps.get()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await store.aclose()
