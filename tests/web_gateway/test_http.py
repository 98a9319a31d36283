"""What is served over HTTP, asked for from outside."""

import gzip
import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.friend import Friend, call, open_table

from wire.refusal import NameFault

SAFE = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}
PATHS = [
    "/",
    "/t/K7QM2XWP",
    "/boot.js",
    "/at/0/js/dom.js",
    "/nothing",
    "/api/nothing",
    "/api/tables/K7QM2XWP",
    "/healthz",
]


def raw(
    base: str, method: str, path: str, body: bytes = b"", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Make a request as it is, following nothing."""
    connection = http.client.HTTPConnection(urlsplit(base).netloc, timeout=10)
    try:
        connection.request(
            method, path, body, {name.replace("_", "-"): value for name, value in headers.items()}
        )
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_is_guarded(base: str, path: str) -> None:
    _, headers, _ = raw(base, "GET", path)
    assert {name: headers[name] for name in SAFE} == SAFE
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert "server" not in headers


@pytest.mark.parametrize("path", ["/", "/t/K7QM2XWP"])
def test_a_page_makes_a_browser_known(base: str, path: str) -> None:
    status, headers, body = raw(base, "GET", path)
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert headers["set-cookie"].startswith("tilerace=")
    assert body.startswith(b"<!doctype html>")
    assert headers["cache-control"] == "private, no-cache"
    known = raw(base, "GET", path, cookie=headers["set-cookie"].partition(";")[0])[1]
    assert (known["cache-control"], "set-cookie" in known) == ("no-cache", False)


@pytest.mark.parametrize(
    "path", ["/boot.js", "/sw.js", "/manifest.webmanifest", "/", "/rules", "/t/K7QM2XWP"]
)
def test_what_has_one_address_for_all_builds_is_asked_after_each_time(base: str, path: str) -> None:
    status, headers, body = raw(base, "GET", path)
    assert (status, headers["cache-control"].removeprefix("private, "), bool(body)) == (200, "no-cache", True)
    again = raw(base, "GET", path, if_none_match=headers["etag"])
    assert (again[0], again[2], again[1]["etag"]) == (304, b"", headers["etag"])
    assert raw(base, "GET", path, if_none_match='"other"')[0] == 200
    assert raw(base, "HEAD", path)[::2] == (200, b"")


def test_a_link_to_a_host_that_was_forged_is_kept_for_nobody_else(base: str) -> None:
    _, headers, _ = raw(base, "GET", "/api/tables/K7QM2XWP/qr.svg", Host="evil.example")
    assert headers["cache-control"] == "no-store"
    assert raw(base, "GET", "/api/tables/", Host="evil.example")[0] == 404


def test_the_worker_is_a_script_and_the_manifest_a_manifest(base: str) -> None:
    assert raw(base, "GET", "/sw.js")[1]["content-type"] == "text/javascript; charset=utf-8"
    assert raw(base, "GET", "/manifest.webmanifest")[1]["content-type"] == "application/manifest+json"


def built(base: str) -> tuple[str, str]:
    """Give the build, and the address of a module that the page names."""
    _, headers, body = raw(base, "GET", "/")
    build = headers["tilerace-build"]
    address = f"/at/{build}/js/pages/solo.js"
    assert f'src="{address}"'.encode() in body
    return build, address


def test_a_file_of_this_build_is_kept_for_ever_and_says_its_build(base: str) -> None:
    build, address = built(base)
    status, headers, body = raw(base, "GET", address)
    assert (status, headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert (headers["tilerace-build"], "set-cookie" in headers) == (build, False)
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    head = raw(base, "HEAD", address)
    assert (head[0], head[1]["content-length"], head[2]) == (200, str(len(body)), b"")


@pytest.mark.parametrize("path", ["index.html", "icons/icon.svg"])
def test_what_can_be_shown_by_itself_is_guarded_under_its_build_too(base: str, path: str) -> None:
    build, _ = built(base)
    status, headers, _ = raw(base, "GET", f"/at/{build}/{path}")
    assert (status, {name: headers[name] for name in SAFE}) == (200, SAFE)
    assert "unsafe" not in headers["content-security-policy"]


def test_a_file_is_compressed_for_who_takes_it(base: str) -> None:
    _, address = built(base)
    plain = raw(base, "GET", address)[2]
    status, headers, packed = raw(base, "GET", address, accept_encoding="gzip")
    assert (status, headers["content-encoding"], headers["vary"]) == (200, "gzip", "accept-encoding")
    assert gzip.decompress(packed) == plain


def test_a_file_of_another_build_is_not_here_nor_is_it_remembered(base: str) -> None:
    build, address = built(base)
    status, headers, _ = raw(base, "GET", address.replace(build, "0123abcd"))
    assert (status, headers["cache-control"]) == (404, "no-store")
    assert raw(base, "GET", f"/at/{build}/js/nothing.js")[0] == 404
    assert raw(base, "GET", f"/at/{build}/_head.html")[0] == 404
    assert raw(base, "GET", f"/at/{build}/sw.js")[0] == 404
    assert raw(base, "GET", "/js/pages/solo.js")[0] == 404


async def test_a_table_tells_the_same_release_as_its_page(base: str) -> None:
    body = raw(base, "GET", "/t/K7QM2XWP")[2].decode()
    table, cookie = await open_table(base, name="Ann")
    async with Friend.at(base, table, cookie) as ann:
        assert f'<meta name="build" content="{ann.latest["hello"]["build"]}" />' in body


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/js",
        "/js/",
        "/index.html",
        "/_top.html",
        "/at",
        "/t/K7QM2XWP/replay",
        "/../app.py",
        "/%2e%2e/app.py",
        "/.git",
    ],
)
def test_what_is_not_there_is_said_in_a_page(base: str, path: str) -> None:
    status, headers, body = raw(base, "GET", path)
    assert (status, headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert b'href="/"' in body


@pytest.mark.parametrize("code", ["k7qm2xwp", "K7QM-2XWP", "k7qm-2xwp"])
def test_a_table_has_one_address(base: str, code: str) -> None:
    status, headers, _ = raw(base, "GET", f"/t/{code}")
    assert (status, headers["location"]) == (308, "/t/K7QM2XWP")


@pytest.mark.parametrize(
    "ending", [".", ",", ")", ").", "]", "!", "'", "*", "_", "/", "%3E", "%3F", "%22", "%E2%80%9D", "%E3%80%82", "%C2%A0", "%0D%0A"]
)  # fmt: skip
@pytest.mark.parametrize("page", ["", "/replay/1"])
def test_what_stands_behind_a_link_in_a_sentence_is_no_part_of_it(base: str, page: str, ending: str) -> None:
    for code in ("K7QM2XWP", "k7qm-2xwp"):
        status, headers, _ = raw(base, "GET", f"/t/{code}{page}{ending}")
        assert (status, headers["location"]) == (308, f"/t/K7QM2XWP{page}")


@pytest.mark.parametrize("number", ["1", "0", "%C3%A9", "x%3Fy"])
def test_a_page_at_the_address_it_has_sends_nobody_on(base: str, number: str) -> None:
    assert raw(base, "GET", f"/t/K7QM2XWP/replay/{number}")[0] == 200


@pytest.mark.parametrize(
    "code",
    [
        "K7QM2XW",
        "K7QM2XWPP",
        "K7QM2XW!",
        "K7QM2XW.P",
        "K7QM2XWP.P",
        ".K7QM2XWP",
        "K7Q-M2XWP",
        "%F0%9F%8E%B2",
        ".",
    ],
)
def test_what_is_no_tables_code_is_said_in_a_page(base: str, code: str) -> None:
    assert raw(base, "GET", f"/t/{code}")[0] == 404


def test_probes_are_answered(base: str) -> None:
    assert raw(base, "GET", "/healthz")[::2] == (200, b"ok\n")
    assert raw(base, "GET", "/readyz")[::2] == (200, b"ready\n")


def test_an_opened_table_is_shown_as_a_watcher_sees_it(base: str) -> None:
    opened = call(
        base, "/api/tables", body={"name": " Ann ", "rules": {"target": None, "clock_s": 180}}, method="POST"
    )
    table = opened.body["table"]
    assert (opened.status, opened.body) == (201, {"table": table, "url": f"/t/{table}"})
    shown = call(base, f"/api/tables/{table[:4].lower()}-{table[4:].lower()}")
    assert shown.status == 200
    assert (shown.body["type"], shown.body["table"], shown.body["phase"]) == ("table", table, "gathering")
    assert shown.body["rules"] == {"target": None, "clock_s": 180}
    assert shown.body["you"] == {"seat": None, "host": False}
    assert shown.body["race"] is None
    first, *others = shown.body["seats"]
    assert (first["name"], first["ready"], first["tally"]) == ("Ann", True, 0)
    assert others == [{"seat": seat, "name": None} for seat in (2, 3, 4)]


@pytest.mark.parametrize("body", [b"", b"{}", b" ", b'{"name":null}', b'{"rules":{}}'])
def test_what_is_left_out_has_its_default(base: str, body: bytes) -> None:
    status, _, answer = raw(base, "POST", "/api/tables", body)
    assert status == 201
    shown = call(base, f"/api/tables/{json.loads(answer)['table']}").body
    assert shown["seats"][0]["name"] == "Player"
    assert shown["rules"] == {"target": 2048, "clock_s": None}


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "BAD_REQUEST"),
        (b"[]", "BAD_REQUEST"),
        (b"null", "BAD_REQUEST"),
        (b"\xff\xfe", "BAD_REQUEST"),
        (b'{"name":5}', "BAD_REQUEST"),
        (b'{"nmae":"Ann"}', "BAD_REQUEST"),
        (b'{"rules":[]}', "BAD_REQUEST"),
        (b'{"rules":{"target":"2048"}}', "BAD_REQUEST"),
        (b"[" * 4000, "BAD_REQUEST"),
        (b" " * 5000, "BAD_REQUEST"),
        (b'{"name":""}', "BAD_NAME"),
        (b'{"name":"   "}', "BAD_NAME"),
        (b'{"name":"123456789012345678901"}', "BAD_NAME"),
        (b'{"name":"a\\u202eb"}', "BAD_NAME"),
        (b'{"name":"a\\u0000b"}', "BAD_NAME"),
        (b'{"rules":{"target":0}}', "BAD_RULES"),
        (b'{"rules":{"target":32}}', "BAD_RULES"),
        (b'{"rules":{"target":100}}', "BAD_RULES"),
        (b'{"rules":{"target":16384}}', "BAD_RULES"),
        (b'{"rules":{"target":-64}}', "BAD_RULES"),
        (b'{"rules":{"target":99999999999999999999999}}', "BAD_RULES"),
        (b'{"rules":{"clock_s":0}}', "BAD_RULES"),
        (b'{"rules":{"clock_s":7}}', "BAD_RULES"),
        (b'{"rules":{"clock_s":99999999999999999999}}', "BAD_RULES"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_a_table_asked_for_out_of_shape_is_refused(base: str, body: bytes, code: str) -> None:
    status, headers, answer = raw(base, "POST", "/api/tables", body)
    said: dict[str, Any] = json.loads(answer)
    assert (status, headers["content-type"], said["error"]) == (400, "application/json", code)
    assert set(said) == {"error", "message"}
    assert said["message"].endswith(".")


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (b'{"name":""}', NameFault.UNSEEN),
        (b'{"name":"   "}', NameFault.UNSEEN),
        (b'{"name":"123456789012345678901"}', NameFault.LONG),
        (b'{"name":"a\\u202eb"}', NameFault.HIDDEN),
    ],
)
def test_who_opens_a_table_under_a_name_that_is_refused_is_told_what_is_wrong_with_it(
    base: str, body: bytes, fault: NameFault
) -> None:
    _, _, answer = raw(base, "POST", "/api/tables", body)
    assert json.loads(answer) == {"error": "BAD_NAME", "message": fault}


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/tables/ZZZZZZZZ", 404, "TABLE_UNKNOWN"),
        ("GET", "/api/tables/nonsense!", 404, "TABLE_UNKNOWN"),
        ("GET", "/api/tables/nonsense!/qr.svg", 404, "TABLE_UNKNOWN"),
        ("GET", "/api/tables/ZZZZZZZZ/races/1/replay", 404, "RACE_UNKNOWN"),
        ("GET", "/api/tables/ZZZZZZZZ/races/0/replay", 404, "RACE_UNKNOWN"),
        ("GET", "/api/tables/ZZZZZZZZ/races/x/replay", 404, "RACE_UNKNOWN"),
        ("GET", "/api/tables/ZZZZZZZZ/races/99999999999/replay", 404, "RACE_UNKNOWN"),
        ("GET", "/api/nothing", 404, "NOT_FOUND"),
        ("GET", "/api", 404, "NOT_FOUND"),
        ("GET", "/api/tables", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", "/api/tables/ZZZZZZZZ", 405, "METHOD_NOT_ALLOWED"),
    ],
)
def test_errors_under_api_are_json(base: str, method: str, path: str, status: int, code: str) -> None:
    found, headers, body = raw(base, method, path)
    assert (found, headers["content-type"], json.loads(body)["error"]) == (status, "application/json", code)


def test_a_page_of_another_site_opens_no_table(base: str) -> None:
    status, _, body = raw(base, "POST", "/api/tables", b"{}", origin="http://evil.example")
    assert (status, json.loads(body)["error"]) == (403, "FORBIDDEN")
    assert raw(base, "POST", "/api/tables", b"{}", origin=base)[0] == 201


@pytest.mark.parametrize("path", ["", "/qr.svg", "/races/1/replay"])
def test_a_page_of_another_site_spends_nothing_of_its_readers(base: str, path: str) -> None:
    path = f"/api/tables/K7QM2XWP{path}"
    status, _, body = raw(base, "GET", path, sec_fetch_site="cross-site", sec_fetch_dest="image")
    assert (status, json.loads(body)["error"]) == (403, "FORBIDDEN")
    assert raw(base, "GET", path, sec_fetch_site="cross-site", sec_fetch_dest="document")[0] != 403
    assert raw(base, "GET", path, sec_fetch_site="same-origin", sec_fetch_dest="image")[0] != 403


def test_the_qr_code_is_a_picture_without_styles(base: str) -> None:
    status, headers, body = raw(base, "GET", "/api/tables/K7QM2XWP/qr.svg")
    assert (status, headers["content-type"]) == (200, "image/svg+xml")
    assert body.startswith(b"<svg")
    assert b"style=" not in body
    assert raw(base, "GET", "/api/tables/k7qm-2xwp/qr.svg")[2] == body
    assert raw(base, "GET", "/api/tables/K7QM2XWQ/qr.svg")[2] != body


async def test_a_race_that_is_not_over_has_no_replay_and_one_that_is_has_all_of_it(base: str) -> None:
    table, cookie = await open_table(base, name="Ann", rules={"target": None, "clock_s": None})
    async with Friend.at(base, table, cookie) as ann, Friend.at(base, table) as bo:
        await bo.sits("Bo")
        await bo.do("ready", ready=True)
        await ann.do("start")
        await ann.until_racing()
        path = f"/api/tables/{table}/races/1/replay"
        early = call(base, path)
        assert (early.status, early.body["error"]) == (409, "RACE_NOT_OVER")
        made = [ann.useful() or "up"]
        await ann.slide(made[0])
        await ann.do("offer", race=1)
        await bo.until_racing()
        await bo.do("resign", race=1)
        await ann.until_over()
        replay = call(base, path).body
        race = ann.table["race"]
    assert set(replay) == {"race", "link", "seed", "commitment", "rules", "starts_at", "ended_at", "seats", "order",
                           "events", "verdict"}  # fmt: skip
    assert replay["link"] == ann.latest["hello"]["link"] + "/replay/1"
    assert (replay["race"], replay["seed"]) == (1, ann.latest["reveal"]["seed"])
    assert {name: replay[name] for name in ("commitment", "rules", "starts_at", "ended_at")} == {
        name: race[name] for name in ("commitment", "rules", "starts_at", "ended_at")
    }
    assert [(seat["seat"], seat["name"]) for seat in replay["seats"]] == [(1, "Ann"), (2, "Bo")]
    assert [word for _, word in replay["seats"][0]["slides"]] == made
    assert replay["order"] == [1]
    assert [(event["type"], event["seat"], event["after"]) for event in replay["events"]] == [
        ("offered", 1, 1),
        ("resigned", 2, 1),
    ]
    assert replay["verdict"] == ann.verdict
