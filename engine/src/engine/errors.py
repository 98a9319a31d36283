"""What can be wrong, named for the broken rule.

    RuleBroken (ValueError)
    ├── BadBoard, BadSeed, BadRules, BadSeats       what was given is no such thing
    ├── NotStartedYet, RaceOver                     not now
    ├── NotARacer, OutOfRace, RacerStuck            not this racer
    ├── SlideChangesNothing                         not this slide
    ├── NoOffer, AlreadyAnswered, OfferStands, OfferTooSoon
    └── NothingToUndo                               alone only

Each says in its words what to do, and carries the values it judged by.
"""


class RuleBroken(ValueError):
    """A rule forbids what was asked; nothing has changed."""


class BadBoard(RuleBroken):
    """What was given is no board; the words do not show it, for they may be logged and boards are not."""

    def __init__(self, given: object) -> None:
        """Carry what was given."""
        self.given = given
        super().__init__("a board is 4 x 4 tiles from 2 to 131072, 0 where empty; what was given is none")


class BadSeed(RuleBroken):
    """A seed is 32 bytes; the words do not show what was given, for it may be secret."""

    def __init__(self, length: int) -> None:
        """Carry how many bytes were given."""
        self.length = length
        super().__init__(f"a seed is 32 bytes, not {length}")


class BadRules(RuleBroken):
    """No race can have these rules."""

    def __init__(self, target: int | None, clock_ms: int | None) -> None:
        """Carry the target (a tile's value) and the clock (milliseconds)."""
        self.target, self.clock_ms = target, clock_ms
        super().__init__(
            f"a target is none or a tile from 64 to 8192 and a clock none or positive, not {target!r} and {clock_ms!r} ms"
        )


class BadSeats(RuleBroken):
    """A race is dealt to two to four different seats from 1 to 4."""

    def __init__(self, seats: tuple[int, ...]) -> None:
        """Carry the seats given."""
        self.seats = seats
        super().__init__(f"a race is dealt to two to four different seats from 1 to 4, not {seats}")


class NotStartedYet(RuleBroken):
    """The boards are not alive yet."""

    def __init__(self, starts_at: int, now: int) -> None:
        """Carry when they will be, and when it was asked, in milliseconds."""
        self.starts_at, self.now = starts_at, now
        super().__init__(f"the boards come alive in {starts_at - now} ms; wait until then")


class RaceOver(RuleBroken):
    """The race has ended; nothing changes a board any more."""

    def __init__(self) -> None:
        """Carry nothing: the race's verdict says it all."""
        super().__init__("the race is over; play again for another")


class NotARacer(RuleBroken):
    """That seat was not dealt in."""

    def __init__(self, seat: int) -> None:
        """Carry the seat."""
        self.seat = seat
        super().__init__(f"seat {seat} is not in this race")


class OutOfRace(RuleBroken):
    """That racer has resigned or was left behind."""

    def __init__(self, seat: int) -> None:
        """Carry the seat."""
        self.seat = seat
        super().__init__(f"seat {seat} is out of this race and can only watch")


class RacerStuck(RuleBroken):
    """That racer's board is stuck: it cannot slide, and its score stands."""

    def __init__(self, seat: int) -> None:
        """Carry the seat."""
        self.seat = seat
        super().__init__(f"the board of seat {seat} is stuck; its score stands until the end")


class SlideChangesNothing(RuleBroken):
    """A slide that changes nothing is no slide (docs/rules.md §1.3)."""

    def __init__(self, direction: str) -> None:
        """Carry the direction's word."""
        self.direction = direction
        super().__init__(f"sliding {direction} moves nothing; try another direction")


class NoOffer(RuleBroken):
    """No offer stands that could be answered."""

    def __init__(self) -> None:
        """Carry nothing."""
        super().__init__("no offer of a draw stands; make one")


class AlreadyAnswered(RuleBroken):
    """Who has agreed, as the offerer has by offering, has answered."""

    def __init__(self, seat: int) -> None:
        """Carry the seat."""
        self.seat = seat
        super().__init__(f"seat {seat} has agreed to this offer already; wait for the others")


class OfferStands(RuleBroken):
    """One offer at a time."""

    def __init__(self, by: int) -> None:
        """Carry the offerer's seat."""
        self.by = by
        super().__init__(f"the offer of seat {by} stands; answer that one")


class OfferTooSoon(RuleBroken):
    """The same racer offers again only after 10 own slides or 20 seconds."""

    def __init__(self, slides: int, wait_ms: int) -> None:
        """Carry how many own slides, or milliseconds, are missing."""
        self.slides, self.wait_ms = slides, wait_ms
        super().__init__(f"offer again after {slides} more slides of your own or {wait_ms} ms")


class NothingToUndo(RuleBroken):
    """Undo takes back the last slide, once, where the game has it."""

    def __init__(self) -> None:
        """Carry nothing."""
        super().__init__("there is no slide to take back; make one first")
