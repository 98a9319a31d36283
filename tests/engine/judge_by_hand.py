"""The six rules of "How a race ends" and those of offers, written again from their words, for the tests.

It keeps plain dicts, knows nothing of the engine's race, and slides boards by tests/engine/naive.py.
"""

from dataclasses import dataclass, field

from tests.engine import naive


@dataclass
class ByHand:
    """A race as somebody with paper and pencil would keep it."""

    seed: bytes
    target: int | None
    deadline: int | None
    starts_at: int
    boards: dict[int, list[int]]
    scores: dict[int, int] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    out: dict[int, str] = field(default_factory=dict)
    offer: tuple[int, set[int], int] | None = None
    closed: dict[int, tuple[int, int]] = field(default_factory=dict)
    last: tuple[int, str, int | None, int] | None = None
    ended: tuple[str, set[int]] | None = None

    def __post_init__(self) -> None:
        self.scores = dict.fromkeys(self.boards, 0)
        self.counts = dict.fromkeys(self.boards, 0)

    def in_race(self) -> set[int]:
        return set(self.boards) - set(self.out)

    def stuck(self, seat: int) -> bool:
        return not naive.can_slide(self.boards[seat])

    def forbidden(self, seat: int, now: int, *, before_start: bool = False) -> str | None:
        if self.ended or (self.deadline is not None and now >= self.deadline):
            return "RaceOver"
        if seat not in self.boards:
            return "NotARacer"
        if seat in self.out:
            return "OutOfRace"
        return "NotStartedYet" if now < self.starts_at and not before_start else None

    def lapse(self, now: int) -> None:
        if self.offer and not self.ended and now >= self.offer[2]:
            self.close("LAPSED", None, at=self.offer[2])

    def close(self, how: str, who: int | None, *, at: int) -> None:
        assert self.offer
        by = self.offer[0]
        self.closed[by] = (at, self.counts[by])
        self.last = (by, how, who, at)
        self.offer = None

    def slide(self, seat: int, word: str, now: int) -> str | None:
        if error := self.forbidden(seat, now):
            return error
        if self.stuck(seat):
            return "RacerStuck"
        made = naive.slide(self.boards[seat], word)
        if made is None:
            return "SlideChangesNothing"
        self.lapse(now)
        if self.offer and seat not in self.offer[1]:
            self.close("SLID", seat, at=now)
        self.counts[seat] += 1
        self.scores[seat] += made[1]
        self.boards[seat], _ = naive.place(made[0], naive.draw(self.seed, self.counts[seat] + 1))
        merged = {made[0][target] for _, target, merges in made[2] if merges}
        if self.target and any(2**tile == self.target for tile in merged):
            self.ended = ("TARGET", {seat})
        else:
            self.judge(seat, now)
        return None

    def put_out(self, seat: int, why: str, now: int) -> str | None:
        if error := self.forbidden(seat, now, before_start=True):
            return error
        if why == "left behind" and self.stuck(seat):
            return "RacerStuck"
        self.lapse(now)
        self.out[seat] = why
        self.judge(seat, now)
        return None

    def make_offer(self, seat: int, now: int) -> str | None:
        if error := self.forbidden(seat, now):
            return error
        if self.offer and now < self.offer[2]:
            return "OfferStands"
        at, count = self.closed.get(seat, (None, 0))
        if self.offer and self.offer[0] == seat:
            at, count = self.offer[2], self.counts[seat]
        if at is not None and now < at + 20_000 and self.counts[seat] < count + 10:
            return "OfferTooSoon"
        self.lapse(now)
        self.offer = (seat, {seat}, now + 30_000)
        return None

    def answer(self, seat: int, now: int, *, agree: bool) -> str | None:
        if error := self.forbidden(seat, now):
            return error
        if not self.offer or now >= self.offer[2]:
            return "NoOffer"
        if seat in self.offer[1]:
            return "AlreadyAnswered"
        if agree:
            self.offer[1].add(seat)
            self.judge(seat, now)
        else:
            self.close("DECLINED", seat, at=now)
        return None

    def expire(self, now: int) -> None:
        if not self.ended and self.deadline is not None and now >= self.deadline:
            self.judge(None, now, time_is_up=True)

    def judge(self, who: int | None, now: int, *, time_is_up: bool = False) -> None:
        """Rules 2 to 6, in their order; rule 1 comes before them where a slide is made."""
        inside = self.in_race()
        can = {seat for seat in inside if not self.stuck(seat)}
        best = max(self.scores[seat] for seat in inside)
        leaders = {seat for seat in inside if self.scores[seat] == best}
        standing = [self.scores[seat] for seat in inside - can]
        if len(inside) == 1:
            self.ended = ("LAST_IN_RACE", inside)
        elif not can:
            self.ended = ("ALL_STUCK", leaders)
        elif len(can) == 1 and standing and self.scores[min(can)] > max(standing):
            self.ended = ("OUTSCORED", can)
        elif time_is_up:
            self.ended = ("TIME_UP", leaders)
        elif self.offer and inside <= self.offer[1]:
            self.last = (self.offer[0], "AGREED", who, now)
            self.ended = ("AGREED", inside)
