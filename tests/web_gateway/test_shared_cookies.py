"""Ports of one host share their cookies: a browser stays who it is beside those of other programs."""

import pytest

from web_gateway.identity import identify


@pytest.mark.parametrize(
    "other",
    ['a={"b":1}', "x", "a b=3", "expires=3", '"', "a[]=1", "tilerace=short", "tilerace2=x", "=", "path=/;"],
)
@pytest.mark.parametrize("before", [True, False])
def test_a_browser_is_the_same_beside_any_other_cookie(other: str, before: bool) -> None:  # noqa: FBT001
    fresh = identify(None, secure=False)
    own = fresh.set_cookies[0].partition(";")[0]
    again = identify(f"{other}; {own}" if before else f"{own}; {other}", secure=False)
    assert (again.browser, again.set_cookies) == (fresh.browser, ())
