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

from prometheus_client import Counter, Gauge, Histogram

from wire import metrics_port
from wire.counts import SECONDS
from wire.listening import check_listen
from wire.log import events
from wire.seldom import Seldom
from wire.settings import Environment

LISTEN = "TILERACE_METRICS_LISTEN"
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
TURNED_AWAY = Counter(
    "tilerace_connections_turned_away",
    "Connections of other services that were closed as there are too many.",
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
    with metrics_port.serving(listen) as port:
        _LOG.info("metrics are served", port=port)
        yield port


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
