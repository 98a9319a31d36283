"""What web-gateway counts (docs/metrics.md)."""

from typing import get_args

from prometheus_client import Counter, Gauge, Histogram

from web_gateway.frames import client
from wire.counts import SECONDS, spread, tally
from wire.metrics import DROPPED, QUEUES
from wire.refusal import Refusal

TO_TABLE: tuple[str, ...] = tuple(kind.__struct_config__.tag for kind in get_args(client.ToTable))
FRAMES: tuple[str, ...] = tuple(kind.__struct_config__.tag for kind in get_args(client.ClientFrame))
HTTP, OTHER = "http", "other"
ROUTES = (
    "open_table", "show_table", "qr", "replay", "socket", "page", "file", "health", "ready", OTHER,
)  # fmt: skip
CODES = (
    1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1011, 1012, 1013, 4001, 4404, 4408,
)  # fmt: skip
"""What sockets of ours, and browsers, close with; a peer may send a thousand others."""

SLIDE_SECONDS = spread(
    "tilerace_slide_seconds",
    "From the reading of a slide's frame until its answer was handed to the socket: the acknowledgement, without the "
    "browser's network.",
)
LINK_SECONDS = spread(
    "tilerace_link_seconds",
    "From a slide's being queued on a Link until its answer came; one that was sent again on another is left out.",
)
SLIDES = tally(
    "tilerace_slides",
    "Slides that were answered: applied; repeated, as they had been applied before; refused.",
    "outcome",
    ("applied", "repeated", "refused"),
)
REFUSALS = Counter(
    "tilerace_refusals",
    "What was refused, by the frame's type (http for requests, other for what is no frame) and the refusal's code.",
    ["of", "code"],
)
COMMAND_SECONDS = Histogram(
    "tilerace_command_seconds",
    "How long a call took that was made for a command or a request, with all its tries, whatever came of it.",
    ["of"],
    buckets=SECONDS,
)
SOCKETS = Gauge("tilerace_sockets", "Sockets that are open or in their handshake.")
CLOSED = Counter(
    "tilerace_sockets_closed", "Sockets that closed, by the code (docs/socket.md); 1006 vanished.", ["code"]
)
RESYNCS = Counter(
    "tilerace_resyncs",
    "Snapshots that sockets were sent, or sent to fetch, because something went wrong: after another attach the board was "
    "another (attached_again), the store fell back (rewound), or a slide was not the board's next (overtaken).",
    ["why"],
)
STREAMS = Gauge("tilerace_streams", "Links and Watches that stand, by the service they lead to.", ["to"])
REQUESTS = Counter(
    "tilerace_http_requests", "HTTP requests and handshakes that were answered.", ["route", "status"]
)
CUT = Counter(
    "tilerace_http_cut",
    "HTTP connections that were cut: no whole request came in time (late), or too much of one (large); an answer was not "
    "read in time (unread); what came was no request (bad); another came and there were too many (crowd).",
    ["why"],
)


def cut(why: str) -> None:
    """Count an HTTP connection that was cut."""
    CUT.labels(why).inc()


def refused(of: str | None, refusal: Refusal) -> None:
    """Count a refusal; `of` is whatever a frame calls itself."""
    if of == "slide":
        SLIDES["refused"] += 1
    REFUSALS.labels(of if of in _FRAMES else OTHER, refusal.value).inc()


def request_refused(refusal: Refusal) -> None:
    """Count the refusal of an HTTP request."""
    REFUSALS.labels(HTTP, refusal.value).inc()


def closed(code: int) -> None:
    """Count a socket that closed."""
    CLOSED.labels(code if code in CODES else OTHER).inc()


_FRAMES = frozenset(FRAMES)

for _of in (*FRAMES, HTTP, OTHER):
    REFUSALS.labels(_of, Refusal.UNAVAILABLE.value)
for _refusal in Refusal:
    REFUSALS.labels("slide", _refusal.value)
for _of in (*TO_TABLE, "open_table", "show_table", "replay"):
    COMMAND_SECONDS.labels(_of)
for _code in (*CODES, OTHER):
    CLOSED.labels(_code)
for _why in ("attached_again", "rewound", "overtaken"):
    RESYNCS.labels(_why)
for _why in ("late", "large", "unread", "bad", "crowd"):
    CUT.labels(_why)
for _to in ("game", "table"):
    STREAMS.labels(_to)
for _route in ROUTES:
    REQUESTS.labels(_route, 200)
for _what in ("socket", "link", "watch"):
    DROPPED.labels(_what)
for _queue in ("link", "watch"):
    QUEUES.labels(_queue)
