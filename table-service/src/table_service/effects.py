"""What a changed table means for its leases and clocks: derived from before and after, in one place."""

from dataclasses import dataclass, field

from table_service.domain.presence import next_tick
from table_service.domain.table import Leases, Phase, Table
from wire import clocks, keys
from wire.clocks import DealDue, Entry, ExpireDue, PresenceDue, ResignDue, SettleDue

AGAIN_MS = 300
"""How long after an intent the clocks see to it; at first it is carried out at once."""


@dataclass(slots=True)
class Effects:
    """What a commit writes beside the record: leases to set and drop, clock entries to set and take off.

    `seen` are the leases that the change was judged by: where one is another by then, it is judged anew.
    """

    seen: list[tuple[str, int]] = field(default_factory=list)
    lease: list[tuple[str, int]] = field(default_factory=list)
    unlease: list[str] = field(default_factory=list)
    due: list[tuple[str, int]] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    def at(self, entry: Entry, due: int) -> None:
        """Have an entry fall due."""
        self.due.append((clocks.to_text(entry), due))

    def no_more(self, entry: Entry) -> None:
        """Take an entry off."""
        self.done.append(clocks.to_text(entry))


def effects(before: Table | None, after: Table, leases: Leases, *, now: int, away_ms: int, grace_ms: int,
            expire_ms: int) -> Effects:  # fmt: skip
    """Derive what a change writes beside the record; times are milliseconds."""
    made = Effects()
    renewed = _leases(before, after, leases, now=now, away_ms=away_ms, made=made)
    tick = next_tick(after, renewed, now=now, grace_ms=grace_ms)
    if tick is None:
        made.no_more(PresenceDue(after.id))
    else:
        made.at(PresenceDue(after.id), max(tick, now))
    if before is None:
        made.at(ExpireDue(after.id), now + expire_ms)
    _races(before, after, now=now, made=made)
    return made


def _leases(
    before: Table | None, after: Table, leases: Leases, *, now: int, away_ms: int, made: Effects
) -> dict[int, int]:
    """Set the leases of those who came, went or moved to another seat; give all leases as they then are."""
    renewed: dict[int, int] = {}
    for seat, seated in after.occupied():
        old_seat = None if before is None else before.seat_of(seated.browser)
        old = None if before is None or old_seat is None else before.at(old_seat)
        until = leases.get(old_seat, 0) if old_seat is not None else 0
        came = old is None or old.connection != seated.connection or (seated.connected and not old.connected)
        if came:
            until = max(until, now + away_ms)
        elif old is not None and old.connected and not seated.connected:
            until = min(until, now)
        renewed[seat] = until
        if came or seat != old_seat or until != leases.get(seat, 0):
            made.lease.append((keys.lease(after.id, seat), until))
    if before is not None:
        made.seen += [(keys.lease(after.id, seat), leases.get(seat, 0)) for seat, _ in before.occupied()]
        made.unlease += [keys.lease(after.id, seat) for seat, _ in before.occupied() if seat not in renewed]
    return renewed


def _races(before: Table | None, after: Table, *, now: int, made: Effects) -> None:
    race = after.race_id
    if race is None or after.race is None:
        return
    if before is None or before.number != after.number:
        made.at(DealDue(race), now + AGAIN_MS)
    if after.race.commitment:
        made.no_more(DealDue(race))
    for seat, seated in after.occupied():
        old = None if before is None else before.at(seat)
        if after.phase is Phase.RACING and seated.leaving and not (old is not None and old.leaving):
            made.at(ResignDue(race, seat), now + AGAIN_MS)
    if after.phase is Phase.FINISHED:
        made.no_more(SettleDue(race))
        for entrant in after.race.entrants:
            made.no_more(ResignDue(race, entrant.seat))
