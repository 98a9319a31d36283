"""Metrics: what a service counts, for Prometheus, on a port of their own (docs/metrics.md).

Each service's `metrics` module names what it counts; nothing is served unless TILERACE_METRICS_LISTEN says where. Labels
have few values, known beforehand: never an id, a name, a board or a seed. Whoever counts slides uses `wire.counts`.

Gauges are not kept up with what they tell: the loop itself looks once a second (`keep_looking`), so that nothing is read
while it changes.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING

from prometheus_client import Counter, Gauge, Histogram, make_wsgi_app, start_http_server

from wire.counts import SECONDS
from wire.listening import check_listen
from wire.log import events
from wire.seldom import Seldom
from wire.settings import Environment

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

LISTEN = "TILERACE_METRICS_LISTEN"
GUARDING = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
"""What is counted is for whoever gathers it, and nothing that a page may show or be made of."""
LAG_EVERY_S = 0.25
LOOK_EVERY_S = 1.0

BUILD = Gauge(
    "tilerace_build_info", "1; its labels say which service of which release this is.", ["service", "release"]
)
LAG = Histogram(
    "tilerace_event_loop_lag_seconds",
    "How late the event loop woke who slept a quarter of a second.",
    buckets=SECONDS,
)
QUEUES = Gauge("tilerace_queue_depth", "The most that waits in any one queue of a kind.", ["queue"])
DROPPED = Counter(
    "tilerace_dropped", "Sockets and streams that were cut because who reads them is too slow.", ["what"]
)

_LOG = events("wire.metrics")


@contextlib.contextmanager
def served(env: Environment, *, service: str) -> Iterator[int | None]:
    """Serve all that is counted at `/metrics` within the block, in a thread of its own; give the port, if there is one.

    Raises:
        SettingsError: nothing can listen there.
    """
    listen = env.optional_address(LISTEN)
    BUILD.labels(service, env.text("TILERACE_BUILD", "") or version("tilerace-wire")).set(1)
    if listen is None:
        yield None
        return
    check_listen(listen, LISTEN)
    server, thread = start_http_server(listen.port, listen.host)
    server.set_app(_guarded(make_wsgi_app()))
    _LOG.info("metrics are served", port=server.server_port)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _guarded(app: "WSGIApplication") -> "WSGIApplication":
    """Have every answer of an app say what is to be done with it."""

    def serve(asked: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
        return app(asked, lambda status, headers, failed=None: start(status, [*headers, *GUARDING], failed))

    return serve


async def watch_loop(*, every_s: float = LAG_EVERY_S) -> None:
    """Count how late the loop wakes who sleeps, until cancelled."""
    while True:
        # Not the loop's own time: uvloop takes that once a turn, however long the turn is.
        due = time.monotonic() + every_s
        await asyncio.sleep(every_s)
        LAG.observe(max(0.0, time.monotonic() - due))


async def keep_looking(look: Callable[[], None], *, every_s: float = LOOK_EVERY_S) -> None:
    """Have gauges set to how things are, again and again until cancelled; a fault in that ends no service."""
    seldom = Seldom()
    while True:
        try:
            look()
        except Exception as error:  # noqa: BLE001  what is shown must not end what it shows
            if seldom.now("look"):
                _LOG.exception("gauges cannot be set", error)
        await asyncio.sleep(every_s)


def longest(lengths: Iterable[int]) -> int:
    """Give the greatest of some lengths, 0 where there are none."""
    return max(lengths, default=0)
