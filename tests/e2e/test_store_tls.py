"""A race is played over a store with users and TLS, and what is secret there is seen nowhere else."""

from pathlib import Path

from tests.e2e.conftest import SETTINGS
from tests.e2e.meeting import racing, verdicts
from tests.friend import open_table
from tests.stack import Valkey, make_stack, running
from tests.tls import HERE, Papers, tunnel

HIDDEN = "hidden-7f3a"


async def test_a_race_is_played_over_tls_by_a_user_with_a_certificate(tmp_path: Path) -> None:
    papers = Papers.made(tmp_path / "papers")
    users = ("--user", "default", "off", "--user", "racer", "on", f">{HIDDEN}", "~*", "&*", "+@all")
    valkey = Valkey(tmp_path, options=users)
    try:
        valkey.start()
        with tunnel(papers.server(asks_for_client=True), valkey.port) as port:
            url = f"rediss://racer:{HIDDEN}@{HERE}:{port}/0"
            whole = f"{url}?ssl_ca_certs={papers.ca}&ssl_certfile={papers.client}"
            stack = make_stack(whole, tmp_path, **SETTINGS)
            with running(stack):
                async with racing(stack.base, 2) as (ann, bo):
                    await ann.do("resign", race=1)
                    assert (await verdicts([ann, bo]))["winner"] == 2
                assert await open_table(stack.base)
                shown = [
                    shown_by_process(service.process.pid) for service in stack.services if service.process
                ]
        assert len(shown) == 3
        assert not any(HIDDEN in each for each in shown)
        assert HIDDEN not in stack.logs
    finally:
        valkey.stop()


def shown_by_process(number: int) -> str:
    """Give what anybody on the machine sees of a process; its environment is for its own user."""
    return Path(f"/proc/{number}/cmdline").read_text()
