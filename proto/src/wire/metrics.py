"""Metrics: what a service counts, for Prometheus, on a port of their own (docs/architecture.md, "Health").

Each service's `metrics` module names what it counts; nothing is served unless TILERACE_METRICS_LISTEN says where.
"""

import contextlib
from collections.abc import Iterator

from prometheus_client import start_http_server

from wire.listening import check_listen
from wire.log import events
from wire.settings import Environment

LISTEN = "TILERACE_METRICS_LISTEN"
_LOG = events("wire.metrics")


@contextlib.contextmanager
def served(env: Environment) -> Iterator[int | None]:
    """Serve all that is counted at `/metrics` within the block, in a thread of its own; give the port, if there is one.

    Raises:
        SettingsError: nothing can listen there.
    """
    listen = env.optional_address(LISTEN)
    if listen is None:
        yield None
        return
    check_listen(listen, LISTEN)
    server, thread = start_http_server(listen.port, listen.host)
    _LOG.info("metrics are served", port=server.server_port)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
