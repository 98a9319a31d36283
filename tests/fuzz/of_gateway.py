"""Targets in web-gateway's decoders: frames, cookies, addresses, bodies, handshakes, answers of the Link."""

import base64
import string
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers
from tests.fuzz.target import Tape, Target

from web_gateway.answers import board_frame
from web_gateway.api import OpenTable, RulesAsked, _decoded
from web_gateway.calls import command_of, name_of, rules_of
from web_gateway.frames import client, server
from web_gateway.identity import identify
from web_gateway.origin import Origins
from web_gateway.reach import Addresses
from web_gateway.seam import request as handshake
from wire.ids import BrowserSecret, browser_hash
from wire.refusal import Refusal, Refused
from wire.settings import Address
from wire.slides import read_answers

_BASE64 = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
_ADDRESSES = (
    Addresses(Address("127.0.0.1", 8000), ""),
    Addresses(Address("192.168.1.7", 0), ""),
    Addresses(Address("192.168.1.7", 8000), "https://race.example.org"),
)


def client_frames(data: bytes) -> None:
    """A frame that is read is within its bounds, is read alike when written, and can be answered and passed on."""
    text = data.decode(errors="replace")
    try:
        frame = client.read(text)
    except client.Malformed as wrong:
        assert wrong.message
        server.write(
            server.Refused(re=wrong.re, of=wrong.of, code="BAD_FRAME", message=wrong.message, n=wrong.n)
        )
        assert wrong.of is None or len(wrong.of) <= client.LONGEST_TYPE
        return
    again = client.read(msgspec.json.encode(frame).decode())
    assert again == frame
    if isinstance(frame.id, str):
        assert len(frame.id) <= client.LONGEST_ID
    match frame:
        case client.Slide(race=race, n=n):
            assert 1 <= race <= client.MOST_RACE
            assert 1 <= n <= client.MOST_N
        case client.Ping(t=t):
            server.write(server.Pong(re=msgspec.UNSET if frame.id is None else frame.id, t=t, now=1))
        case client.Resign() | client.OfferPeace() | client.AnswerOffer():
            assert 1 <= frame.race <= client.MOST_RACE
        case _:
            try:
                command_of(frame, 7).SerializeToString()
            except Refused as refused:
                assert refused.refusal in {Refusal.BAD_NAME, Refusal.BAD_RULES}


def cookies(data: bytes) -> None:
    """A browser is known by its secret and by nothing else; one that is new gets cookies by which it is known next time."""
    header = data[1:].decode("latin-1")
    secure = data[:1] >= b"\x80"
    who = identify(header, secure=secure)
    assert len(who.browser) == 32
    set_cookies = [cookie.split(";")[0] for cookie in who.set_cookies]
    again = identify("; ".join(set_cookies) if set_cookies else header, secure=secure)
    assert again.browser == who.browser
    assert not again.set_cookies
    if len(set_cookies) == 1 + secure:
        assert all(part not in header for part in set_cookies)
        return
    values = [part.strip().partition("=")[2] for part in header.split(";")]
    secrets = [_secret(value) for value in values if len(value) == 22]
    assert who.browser in {browser_hash(BrowserSecret(secret)) for secret in secrets}


def _secret(value: str) -> bytes:
    """Read a secret as anybody would, whatever it is."""
    number = 0
    for letter in value:
        number = number << 6 | max(_BASE64.find(letter), 0)
    return (number >> 4).to_bytes(17)[-16:]


def addresses(data: bytes) -> None:
    """Whatever Host and Origin say, the link is an address of one host, and a page is ours by its own host alone."""
    tape = Tape(data)
    at = _ADDRESSES[tape.number(len(_ADDRESSES))]
    host, _, origin = tape.rest().decode("latin-1").partition("\n")
    link, reach = at.link("/t/K7QM2XWP", host)
    parts = urlsplit(link)
    assert reach in {"public", "network", "loopback"}
    assert (parts.scheme, parts.path, parts.query, parts.fragment, parts.username) == (
        "https" if reach == "public" else "http", "/t/K7QM2XWP", "", "", None,
    )  # fmt: skip
    assert parts.hostname
    assert parts.port is None or 0 <= parts.port <= 65535
    assert link.isascii()
    said = Headers(raw=[(b"host", host.encode("latin-1")), (b"origin", origin.encode("latin-1"))])
    if Origins("https://race.example.org" if reach == "public" else "").is_ours(said):
        asking = urlsplit(origin)
        assert asking.scheme in {"http", "https"}
        assert asking.hostname == "race.example.org" or (asking.hostname or "") in host.lower()


def bodies(data: bytes) -> None:
    """The body of a request is read or refused as such; what it asks for can be passed on or is refused."""
    try:
        asked = _decoded(data, OpenTable)
    except Refused as refused:
        assert refused.refusal is Refusal.BAD_REQUEST
        assert refused.message.isprintable() or refused.message
        return
    assert _decoded(msgspec.json.encode(asked), OpenTable) == asked
    rules = asked.rules or RulesAsked()
    try:
        assert name_of(asked.name)
        rules_of(rules.target, rules.clock_s).SerializeToString()
    except Refused as refused:
        assert refused.refusal in {Refusal.BAD_NAME, Refusal.BAD_RULES}


def handshakes(data: bytes) -> None:
    """A head that an HTTP parser lets through is a handshake in every part that RFC 6455 wants, or is told why not."""
    head = b"GET /api/tables/K7QM2XWP/socket HTTP/1.1\r\n" + data.replace(b"\r\n\r\n", b"") + b"\r\n\r\n"
    request = handshake.parse(head)
    refused = handshake.refusal(request)
    if refused is not None:
        assert refused.status in {400, 405}
        assert refused.message
        return
    assert len(base64.b64decode(request.proof)) == 20
    for name, wanted in (
        (b"sec-websocket-version", b"13"),
        (b"upgrade", b"websocket"),
        (b"connection", b"upgrade"),
    ):
        assert wanted in [token.lower() for token in request.tokens(name)]
    assert len(request.values(b"host")) == 1
    assert len(base64.b64decode(request.values(b"sec-websocket-key")[0])) == 16


def board_frames(data: bytes) -> None:
    """An answer of the Link is a board that a page can read, or none."""
    try:
        found = list(read_answers(data))
    except ValueError:
        return
    for record, motions in found:
        try:
            written = board_frame(1, record, motions, re=None)
        except (KeyError, IndexError):
            continue  # of no release; the socket comes back to a snapshot
        board = msgspec.json.decode(written)
        assert board["n"] == record[4]
        assert len(board["cells"]) == 16
        assert all(cell == 0 or (cell & (cell - 1) == 0 and 2 <= cell <= 131072) for cell in board["cells"])


TARGETS = (
    Target("client_frames", ("web_gateway.frames.client",), client_frames),
    Target("cookies", ("web_gateway.identity",), cookies),
    Target("addresses", ("web_gateway.reach",), addresses),
    Target("bodies", ("web_gateway.calls",), bodies),
    Target("handshakes", ("web_gateway.seam.request",), handshakes),
    Target("board_frames", ("web_gateway.answers",), board_frames),
)
