"""What table-service counts (docs/metrics.md)."""

from prometheus_client import Counter, Gauge, Histogram

from wire.metrics import DROPPED, QUEUES

LAG = Histogram(
    "tilerace_sweep_lag_seconds",
    "How long after it was due an entry of the clocks was handed out.",
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
ENTRIES = Counter(
    "tilerace_sweep_entries",
    "Entries of the clocks, by what came of them: handled, to be tried again, or faulty and left alone for a while.",
    ["outcome"],
)
SWEEPS = Counter("tilerace_sweeps", "Sweeps of a group of buckets that the store answered.")
FAILED_SWEEPS = Counter(
    "tilerace_sweeps_failed", "Sweeps of a group of buckets that the store did not answer."
)
OUTAGES = Counter("tilerace_outages", "Outages of ours, a bucket each, that leases were moved past.")
TABLES = Gauge("tilerace_tables", "Tables that this replica's Watches follow, by their phase.", ["phase"])
WATCHES = Gauge("tilerace_watchers_streams", "Watches of gateways that are open.")
EXPIRED = Counter(
    "tilerace_leases_expired", "Seats whose lease ran out: their browsers gave no answer for two pings."
)
CONFLICTS = Counter(
    "tilerace_conflicts", "Commits of tables that found another's change, and were judged anew."
)
FULL = Gauge(
    "tilerace_full", "1 where there is no room in the store for more of this, tables or races.", ["of"]
)

for _outcome in ("handled", "again", "faulty"):
    ENTRIES.labels(_outcome)
for _phase in ("gathering", "racing", "finished"):
    TABLES.labels(_phase)
for _of in ("tables", "races"):
    FULL.labels(_of)
DROPPED.labels("watch")
for _queue in ("watch", "inbox"):
    QUEUES.labels(_queue)
