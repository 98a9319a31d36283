"""How a socket begins, and how an HTTP answer says that it does not."""

import json
import logging

import pytest
import uvicorn
from tests.web_gateway.seam.peer import KEY, TEXT, Peer, handshake, masked
from tests.web_gateway.seam.served import Served, serving

from web_gateway.seam import Sockets, upgrade

REFUSED: dict[str, tuple[int, bytes]] = {
    "an older version": (400, handshake(Sec_WebSocket_Version="8")),
    "no version": (400, handshake(Sec_WebSocket_Version=None)),
    "two versions": (400, handshake(Sec_WebSocket_Version="13\r\nSec-WebSocket-Version: 13")),
    "no key": (400, handshake(Sec_WebSocket_Key=None)),
    "an empty key": (400, handshake(Sec_WebSocket_Key="")),
    "a key of 15 bytes": (400, handshake(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25j")),
    "a key of 17 bytes": (400, handshake(Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZSE=")),
    "a key of 24 characters that are not base64": (400, handshake(Sec_WebSocket_Key="!" * 24)),
    "a key cut short": (400, handshake(Sec_WebSocket_Key=KEY.decode()[:-1])),
    "two keys": (400, handshake(Sec_WebSocket_Key=f"{KEY.decode()}\r\nSec-WebSocket-Key: {KEY.decode()}")),
    "no host": (400, handshake(Host=None).replace(b"HTTP/1.1", b"HTTP/1.0")),
    "a body": (400, handshake(Content_Length="4") + b"body"),
    "POST": (405, handshake(method="POST", Content_Length="5") + b"hello"),
    "HEAD": (405, handshake(method="HEAD")),
}


@pytest.mark.parametrize(("status", "request_bytes"), REFUSED.values(), ids=REFUSED.keys())
async def test_a_wrong_handshake_is_refused(served: Served, status: int, request_bytes: bytes) -> None:
    async with Peer(served.port) as peer:
        assert (await peer.ask(request_bytes))[0] == status
        await peer.end()
    assert served.listeners == []


async def test_a_wrong_version_is_told_the_right_one(served: Served) -> None:
    async with Peer(served.port) as peer:
        _, fields, body = await peer.ask(handshake(Sec_WebSocket_Version="8"))
    assert fields[b"sec-websocket-version"] == b"13"
    assert json.loads(body)["error"] == "BAD_REQUEST"


async def test_a_wrong_method_is_told_the_right_one(served: Served) -> None:
    async with Peer(served.port) as peer:
        _, fields, _ = await peer.ask(handshake(method="POST"))
    assert fields[b"allow"] == b"GET"


@pytest.mark.parametrize(
    "fields",
    [
        {"Upgrade": "WebSocket", "Connection": "keep-alive, UPGRADE"},
        {"Connection": "keep-alive,upgrade"},
        {"Sec_WebSocket_Key": f"{KEY.decode()}  "},
        {"Content_Length": "0"},
        {"X_Empty": ""},
        {"X_Colons": "a: b: c"},
        {"X_Latin": "gr\xfc\xdfe"},
    ],
)
async def test_a_handshake_may_be_written_in_any_case_and_with_other_headers(
    served: Served, fields: dict[str, str]
) -> None:
    async with Peer(served.port) as peer:
        assert (await peer.ask(handshake(**fields)))[0] == 101


async def test_header_names_may_be_written_without_a_space_behind_the_colon(served: Served) -> None:
    async with Peer(served.port) as peer:
        assert (await peer.ask(handshake().replace(b": ", b":").lower().replace(KEY.lower(), KEY)))[0] == 400
    async with Peer(served.port) as peer:
        assert (await peer.ask(handshake().replace(b": ", b":")))[0] == 101


async def test_an_accepted_handshake_says_so_with_the_app_s_headers(served: Served) -> None:
    async with Peer(served.port) as peer:
        _, fields, _ = await peer.ask(handshake())
    assert (fields[b"upgrade"], fields[b"connection"], fields[b"set-cookie"]) == (
        b"websocket",
        b"Upgrade",
        b"seen=1",
    )


async def test_neither_extension_nor_subprotocol_is_taken_up_unasked(served: Served) -> None:
    offered = handshake(Sec_WebSocket_Extensions="permessage-deflate", Sec_WebSocket_Protocol="chat, other")
    async with Peer(served.port) as peer:
        _, fields, _ = await peer.ask(offered)
    assert not {b"sec-websocket-extensions", b"sec-websocket-protocol"} & fields.keys()


async def test_a_subprotocol_that_the_app_picks_is_told(served: Served) -> None:
    async with Peer(served.port) as peer:
        _, fields, _ = await peer.ask(handshake("/subprotocol", Sec_WebSocket_Protocol="chat, other"))
    assert fields[b"sec-websocket-protocol"] == b"other"


async def test_the_server_s_own_headers_are_sent_along(served: Served) -> None:
    served.server.server_state.default_headers = [(b"server", b"ours")]
    async with Peer(served.port) as peer:
        _, fields, _ = await peer.ask(handshake())
    assert fields[b"server"] == b"ours"


async def test_the_app_sees_the_request_as_it_was_written() -> None:
    asked = handshake(
        "/shown/a%20b/%C3%BC?x=%20&y",
        Sec_WebSocket_Protocol="a,b\r\nsec-websocket-protocol: c",
        Cookie="k=v; l=w",
    )
    async with serving(root_path="/games") as served, Peer(served.port) as peer:
        status, _, body = await peer.ask(asked)
    told = json.loads(body)
    headers = told.pop("headers")
    assert status == 418
    assert told == {
        "type": "websocket",
        "scheme": "ws",
        "root_path": "/games",
        "path": "/games/shown/a b/ü",
        "raw_path": "/games/shown/a%20b/%C3%BC",
        "query_string": "x=%20&y",
        "subprotocols": ["a", "b", "c"],
    }
    assert ["cookie", "k=v; l=w"] in headers
    assert [value for name, value in headers if name == "sec-websocket-protocol"] == ["a,b", "c"]


async def test_a_denial_has_the_app_s_status_headers_and_body(served: Served) -> None:
    async with Peer(served.port) as peer:
        status, fields, body = await peer.ask(handshake("/denied"))
        await peer.end()
    assert (status, fields[b"x-why"], json.loads(body)) == (404, b"gone", {"error": "TABLE_UNKNOWN"})
    assert (fields[b"content-type"], fields[b"connection"]) == (b"application/json", b"close")


@pytest.mark.parametrize("path", ["/refused", "/nowhere"])
async def test_a_close_before_accepting_is_answered_403(served: Served, path: str) -> None:
    async with Peer(served.port) as peer:
        assert (await peer.ask(handshake(path)))[0] == 403
        await peer.end()


@pytest.mark.parametrize("path", ["/broken", "/mute", "/plainly_accepted", "/split_header"])
async def test_an_app_that_fails_is_answered_500(served: Served, path: str) -> None:
    async with Peer(served.port) as peer:
        status, fields, _ = await peer.ask(handshake(path))
        await peer.end()
    assert (status, b"set-cookie" in fields) == (500, False)


async def test_a_page_may_be_asked_for_before_the_handshake_on_one_connection(served: Served) -> None:
    async with Peer(served.port) as peer:
        page = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
        assert (await peer.ask(page))[2] == b"GET a page\n"
        assert (await peer.ask(page))[2] == b"GET a page\n"
        await peer.open()
        peer.send(TEXT, b"hi")
        assert await peer.frame() == (TEXT, b"hi")


async def test_a_page_a_handshake_and_a_frame_may_come_in_one_packet(served: Served) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n" + handshake() + masked(TEXT, b"hi"))
        assert [(await peer.answer())[0], (await peer.answer())[0]] == [200, 101]
        assert await peer.frame() == (TEXT, b"hi")


async def test_frames_sent_while_the_app_decides_wait_for_it(served: Served) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(handshake("/gated"))
        await peer.writer.drain()
        peer.send(TEXT, b"patience")
        served.gate.set()
        assert (await peer.answer())[0] == 101
        assert await peer.frame() == (TEXT, b"patience")


async def test_a_peer_that_left_while_the_app_decided_disturbs_nobody(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    async with Peer(served.port) as peer:
        peer.writer.write(handshake("/gated"))
        await peer.writer.drain()
    served.gate.set()
    async with Peer(served.port) as peer:
        await peer.open()
        peer.send(TEXT, b"hi")
        assert await peer.frame() == (TEXT, b"hi")
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_one_socket_too_many_is_answered_503_until_another_leaves() -> None:
    async with serving(limit=1) as served:
        async with Peer(served.port) as first, Peer(served.port) as second:
            await first.open()
            status, _, body = await second.ask(handshake())
            assert (status, json.loads(body)["error"]) == (503, "UNAVAILABLE")
        await served.listeners[0].ending()
        async with Peer(served.port) as third:
            await third.open()


async def test_a_denied_handshake_takes_no_place() -> None:
    async with serving(limit=1) as served, Peer(served.port) as denied, Peer(served.port) as other:
        await denied.ask(handshake("/denied"))
        await other.open()
        assert len(served.sockets) == 1


async def test_the_handshake_s_log_line_has_neither_query_nor_cookie(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with Peer(served.port) as peer:
        await peer.ask(handshake("/socket/echo?name=Ann", Cookie="k=secret"))
    (line,) = [record for record in caplog.records if record.getMessage() == "socket handshake"]
    told = repr(vars(line))
    assert "'path': '/socket/echo'" in told
    assert "'status': 101" in told
    assert "Ann" not in told
    assert "secret" not in told


async def test_each_socket_that_opens_has_a_log_line_and_of_those_refused_the_first(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    for path in ("/socket/echo", "/denied", "/socket/echo", "/denied"):
        async with Peer(served.port) as peer:
            await peer.ask(handshake(path))
    lines = [record for record in caplog.records if record.getMessage() == "socket handshake"]
    assert [
        f"'status': {status}" in repr(vars(line)) for line, status in zip(lines, (101, 404, 101), strict=True)
    ] == [True] * 3


def test_uvicorn_takes_the_class_as_its_own() -> None:
    made = upgrade(Sockets(limit=1))
    config = uvicorn.Config("tests.web_gateway.seam.served:app", ws=made, log_config=None)
    config.load()
    assert config.ws_protocol_class is made
