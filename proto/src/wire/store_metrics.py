"""What is counted of the store, by every service that asks it."""

from prometheus_client import Counter, Gauge

from wire.counts import spreads

CALL_SECONDS = spreads(
    "tilerace_store_call_seconds",
    "How long the store took to answer, by what it was asked.",
    "call",
    ("commit", "deal", "restore", "sweep", "settle", "remove", "limits", "room", "script", "read", "time"),
)
ERRORS = Counter(
    "tilerace_store_errors",
    "Calls of the store that went wrong: without an answer (unknown), answered with an error (refused), or of a key that "
    "holds what none of ours writes (wrong_type).",
    ["kind"],
)
SILENT = Gauge(
    "tilerace_store_silent",
    "1 while the store has answered nothing for 3 seconds, or was not reached yet; else 0.",
)
REWINDS = Counter(
    "tilerace_rewinds", "Races or tables of which the store was found to hold less than it had held."
)

for _kind in ("unknown", "refused", "wrong_type"):
    ERRORS.labels(_kind)
