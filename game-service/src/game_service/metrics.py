"""What game-service counts (docs/metrics.md)."""

from prometheus_client import Counter, Gauge

from game_service.commits import MOST_IN_A_BATCH, Outcome
from wire.counts import spread, tally
from wire.metrics import DROPPED, QUEUES

SLIDE_SECONDS = spread(
    "tilerace_slide_apply_seconds",
    "From a slide's coming over a Link until its answer was handed to that Link.",
)
COMMIT_SIZE = spread(
    "tilerace_commit_size",
    "How many races one call of the commit script carried.",
    bounds=[2**power for power in range(MOST_IN_A_BATCH.bit_length())],
)
COMMITS = tally(
    "tilerace_commits",
    "Commits of races: made; in conflict with another's; unknown, as no answer came; refused by the store; untimely, as a "
    "start, deadline, offer or lease was not as judged; gone, where the store has no such race.",
    "outcome",
    ("made", "conflict", "unknown", "refused", "untimely", "gone"),
)
DUPLICATES = Counter("tilerace_duplicates", "Slides that had been applied before, and were answered again.")
RACES = Gauge("tilerace_races", "Races in memory.")
RUNNING = Gauge("tilerace_races_running", "Races in memory that are not over.")
LINKS = Gauge("tilerace_links", "Links of gateways that are open.")

OUTCOMES = {
    Outcome.DONE: "made",
    Outcome.CONFLICT: "conflict",
    Outcome.EARLY: "untimely",
    Outcome.LATE: "untimely",
    Outcome.LAPSED: "untimely",
    Outcome.UNKNOWN: "gone",
    Outcome.CONNECTED: "untimely",
    Outcome.GRACE: "untimely",
    Outcome.FAILED: "refused",
}
"""What a commit is counted as."""

DROPPED.labels("link")
for _queue in ("link", "race"):
    QUEUES.labels(_queue)
