"""Targets in `wire`: packed slides, streams of messages, replies of the store, names of things, settings, logs."""

import io
import json
import logging
from typing import Any, cast

import grpc
from redis import exceptions
from tests.fuzz.still import Transport, still
from tests.fuzz.target import Tape, Target, chunks

from wire import clocks, framed, front, log, news, pipe, slides
from wire.ids import ALPHABET, parse_race_id, parse_table_id, race_id
from wire.limits import MESSAGE_BYTES
from wire.refusal import Refusal, from_rpc_error
from wire.requests import sane
from wire.settings import KNOWN, PREFIX, Environment, SettingsError

_NAMES = sorted(KNOWN)


def text_of(data: bytes) -> str:
    """Read any bytes as text, those that are no UTF-8 as lone surrogates, which JSON lets in, too."""
    return data.decode("utf-8", "surrogateescape")


def packed_slides(data: bytes) -> None:
    """What is read is what was packed, to the byte; a direction is 0 to 3."""
    try:
        found = slides.unpack_slides(data)
    except ValueError:
        return
    assert all(direction <= 3 for _, _, direction in found)
    assert slides.pack_slides(slides.PackedSlide(*each) for each in found) == data


def packed_answers(data: bytes) -> None:
    """What is read is packed to what is read alike."""
    try:
        found = list(slides.unpack_answers(data))
    except ValueError:
        return
    packed = b"".join(map(slides.pack_answer, found))
    assert len(packed) == len(data)
    assert list(slides.unpack_answers(packed)) == found


def messages(data: bytes) -> None:
    """However a stream is cut, its messages are the same, and it ends at the first that is too long, and only there."""
    tape = Tape(data)
    sizes = tape.take(tape.number(9))
    stream = tape.rest()
    expected, at, too_long = [], 0, False
    while len(stream) - at >= 4 and not too_long:
        length = int.from_bytes(stream[at : at + 4])
        too_long = length > MESSAGE_BYTES
        if too_long or len(stream) - at - 4 < length:
            break
        expected.append(stream[at + 4 : at + 4 + length])
        at += 4 + length
    with still():
        taken: list[bytes] = []
        end, transport = framed.Framed(), Transport()
        end.connection_made(cast("Any", transport))
        pieces = chunks(stream, sizes)
        end.data_received(pieces[0])
        end.start(taken.append)
        for piece in pieces[1:]:
            if not transport.ended:
                end.data_received(piece)
        assert taken == expected
        assert end.ended.done() == transport.ended == too_long
        end.connection_lost(None)
        assert end.ended.done()


class _Door:
    """What a connection is handed to once it has said what it is."""

    def __init__(self) -> None:
        self.here = 0
        self.taken: list[bytes] = []

    def has_room(self) -> bool:
        return True

    def came(self, _transport: object) -> None:
        self.here += 1

    def went(self, _transport: object) -> None:
        self.here -= 1

    def take(self, _transport: object, first: bytes) -> None:
        self.taken.append(first)


def first_bytes(data: bytes) -> None:
    """A connection is handed on once, as soon as it can be told what it is, with all that it has sent."""
    tape = Tape(data)
    sizes = tape.take(tape.number(9))
    sent = b""
    with still() as loop:
        door, transport = _Door(), Transport()
        arrival = front._Arrival(cast("Any", door))
        arrival.connection_made(cast("Any", transport))
        for piece in chunks(tape.rest(), sizes):
            if door.taken or not piece:
                continue
            arrival.data_received(piece)
            sent += piece
            told = sent.startswith(framed.GREETING) or not framed.GREETING.startswith(sent)
            assert door.taken == ([sent] if told else [])
        assert bool(loop.timers) == (not door.taken)
        arrival.connection_lost(None)
        assert (door.here, loop.timers) == (0, set())


def store_replies(data: bytes) -> None:
    """Whatever a store says, who asked is answered in order or told that the connection is lost; and a cut changes nothing."""
    tape = Tape(data)
    sizes, counts = tape.take(tape.number(9)), [1 + each % 3 for each in tape.take(tape.number(4))]
    stream = tape.rest()
    whole = _answered([stream], counts)
    assert _answered(chunks(stream, sizes), counts) == whole


def _answered(pieces: list[bytes], counts: list[int]) -> list[str]:
    with still() as loop:
        line, transport = pipe._Line(1.0), Transport()
        line.connection_made(cast("Any", transport))
        asked = [line.ask([("PING",)] * count) for count in counts]
        loop.turn()
        for piece in pieces:
            if not transport.ended:
                line.data_received(piece)
        line.connection_lost(None)
        assert all(future.done() for future in asked)
        assert not loop.timers
        told = []
        for future, count in zip(asked, counts, strict=True):
            error = future.exception()
            if error is None:
                assert len(future.result()) == count
                told.append(repr(future.result()))
            else:
                assert isinstance(error, exceptions.ConnectionError)
                told.append("lost")
        return told


def clock_entries(data: bytes) -> None:
    """An entry that is read is written as it stood."""
    text = text_of(data)
    try:
        entry = clocks.from_text(text)
    except ValueError:
        return
    assert clocks.to_text(entry) == text


def news_lines(data: bytes) -> None:
    """Whatever is published, news is what can be read of it, and is read alike when it is written."""
    found = news.read(data)
    assert all(version >= 0 for _, version in found)
    assert news.read(news.payload(found)) == found


def table_ids(data: bytes) -> None:
    """A table's id is read as the one way it is written; a race's is taken as it is written only."""
    text = text_of(data)
    table = parse_table_id(text)
    if table is not None:
        assert len(table) == 8
        assert set(table) <= set(ALPHABET)
        assert parse_table_id(table) == parse_table_id(table.lower()) == table
        assert parse_table_id(f"{table[:4]}-{table[4:]}") == table
    try:
        named, number = parse_race_id(text)
    except ValueError:
        return
    assert number >= 1
    assert race_id(named, number) == text


def request_ids(data: bytes) -> None:
    """What may stand in a log is 8 to 64 plain characters; anything else is none."""
    text = data.decode("latin-1")
    found = sane(text)
    plain = text.isascii() and all(letter.isalnum() or letter in "._-" for letter in text)
    assert found == (text if plain and 8 <= len(text) <= 64 else None)
    assert sane(data) is None


def refusals(data: bytes) -> None:
    """Whatever a call ends with, it is a refusal that we know or none."""
    tape = Tape(data)
    name = ("grpc-status-details-bin", "x")[tape.number(2)]
    trailing = grpc.aio.Metadata((name, tape.rest()))
    error = grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), trailing, details="words")
    found = from_rpc_error(error)
    assert found is None or found.refusal in Refusal


def settings(data: bytes) -> None:
    """A setting is used within its bounds or refused as such, and a secret stands in no refusal."""
    tape = Tape(data)
    name, kind = _NAMES[tape.number(len(_NAMES))], tape.number(6)
    value = text_of(tape.rest())
    try:
        _use(Environment({name: value, "PATH": value}), name, kind)
    except SettingsError as error:
        words = str(error)
        assert words.startswith(PREFIX)
        if kind == 5:
            assert (
                words.count(value) == ("x" + words).replace(value, "").count(value) or len(value.strip()) < 12
            )


def _use(env: Environment, name: str, kind: int) -> None:
    match kind:
        case 0:
            assert 1 <= env.integer(name, 5, least=1, most=9) <= 9
        case 1:
            assert all(1 <= each <= 10**17 for each in env.integers(name, (1,), least=1, most=10**17))
        case 2:
            address = env.address(name, "127.0.0.1:0")
            assert address.host
            assert 0 <= address.port <= 65535
            assert Environment({name: str(address)}).address(name, "") == address
        case 3:
            for found in env.target(name, "a:1"):
                assert 1 <= found.port <= 65535
                assert found.host
        case 4:
            assert env.choice(name, "a", options=("a", "b")) in {"a", "b"}
        case _:
            found_url = env.url(name, "", schemes=("http", "redis", "unix"), secret=True)
            assert not found_url or found_url.partition(":")[0].lower() in {"http", "redis", "unix"}


def log_lines(data: bytes) -> None:
    """Whatever a field holds, an event is one line of UTF-8, and in JSON the object that was meant."""
    tape = Tape(data)
    kind, label = tape.number(3), ("path", "level", "event", "ts")[tape.number(4)]
    value = text_of(tape.rest())
    fields: dict[str, Any] = {label: [value, len(value), value[:1] == "a"][kind]}
    for formatter in (log._Json(), log._Text()):
        # As the standard error has it, where logs go.
        stream = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace", write_through=True)
        handler = logging.StreamHandler(stream)
        handler.setFormatter(formatter)
        record = logging.LogRecord("x", logging.INFO, "", 0, "something came", (), None)
        setattr(record, log._FIELDS, fields)
        stream.write(handler.format(record) + "\n")
        written = stream.buffer.getvalue()
        assert written.count(b"\n") == 1, written
        text = written.decode()
        if isinstance(formatter, log._Json):
            read = json.loads(text)
            assert read["event"] == "something came"
            assert label in {"level", "event", "ts"} or read[label] == fields[label]
        else:
            assert text.removesuffix("\n").isprintable(), text


TARGETS = (
    Target("packed_slides", ("wire.slides",), packed_slides),
    Target("packed_answers", ("wire.slides",), packed_answers),
    Target("messages", ("wire.framed",), messages),
    Target("first_bytes", ("wire.front",), first_bytes),
    Target("store_replies", ("wire.pipe",), store_replies),
    Target("clock_entries", ("wire.clocks", "wire.ids"), clock_entries),
    Target("news_lines", ("wire.news",), news_lines),
    Target("table_ids", ("wire.ids",), table_ids),
    Target("request_ids", ("wire.requests",), request_ids),
    Target("refusals", ("wire.refusal",), refusals),
    Target("settings", ("wire.settings",), settings),
    Target("log_lines", ("wire.log",), log_lines),
)
