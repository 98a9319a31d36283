"""Files in the form that a browser takes, each with its own tag."""

import gzip

import pytest
from starlette.requests import Request
from starlette.responses import Response

from web_gateway.assets import Asset, answer, takes_gzip

LONG = b"tile " * 200
ASSET = Asset.of("js/a.js", LONG)


def ask(asset: Asset = ASSET, **headers: str) -> Response:
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    request = Request({"type": "http", "method": "GET", "path": "/", "headers": raw})
    return answer(request, asset, headers={"cache-control": "no-cache"})


def test_a_file_is_sent_compressed_to_a_browser_that_takes_it() -> None:
    sent = ask(accept_encoding="gzip, deflate, br")
    assert sent.headers["content-encoding"] == "gzip"
    assert gzip.decompress(bytes(sent.body)) == LONG
    assert len(sent.body) < len(LONG)


def test_a_file_is_sent_as_it_is_to_a_browser_that_does_not() -> None:
    sent = ask()
    assert "content-encoding" not in sent.headers
    assert sent.body == LONG


def test_caches_are_told_that_the_form_goes_by_what_is_accepted() -> None:
    assert {ask().headers["vary"], ask(accept_encoding="gzip").headers["vary"]} == {"accept-encoding"}


@pytest.mark.parametrize(
    "asset", [Asset.of("js/tiny.js", b"// tiny"), Asset.of("icons/a.png", LONG)], ids=["tiny", "png"]
)
def test_what_gains_nothing_is_left_alone(asset: Asset) -> None:
    sent = ask(asset, accept_encoding="gzip")
    assert "content-encoding" not in sent.headers
    assert "vary" not in sent.headers


def test_either_form_has_a_tag_of_its_own_and_is_not_sent_again() -> None:
    plain, packed = ask().headers["etag"], ask(accept_encoding="gzip").headers["etag"]
    assert plain != packed
    for tag, accepted in ((plain, ""), (packed, "gzip"), (f"W/{packed}", "gzip"), (f'"x", {plain}', "")):
        again = ask(accept_encoding=accepted, if_none_match=tag)
        assert (again.status_code, again.body) == (304, b"")
        assert "content-encoding" not in again.headers


def test_the_tag_of_one_form_is_not_that_of_the_other() -> None:
    assert ask(accept_encoding="gzip", if_none_match=ask().headers["etag"]).status_code == 200


@pytest.mark.parametrize(
    ("accepted", "taken"),
    [
        ("gzip", True),
        ("br, gzip", True),
        ("GZIP ; q=0.2", True),
        ("*", True),
        ("gzip;q=1.000", True),
        ("", False),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000", False),
        ("*;q=0", False),
        ("*, gzip;q=0", False),
    ],
)
def test_accept_encoding_is_read_as_it_is_meant(accepted: str, *, taken: bool) -> None:
    assert takes_gzip(accepted) is taken
