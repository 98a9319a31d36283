"""What may be pressed at one moment by two friends, or by one twice, and what may come of it by the rules (docs/rules.md §4)."""

from collections.abc import Mapping
from dataclasses import dataclass

from tests.faults.heats import Heats

ANN, BO, CY = 0, 1, 2
"""Friends by the order in which they came; before the first race each has the seat of one more than that."""
DONE = "done"
OF_A_RACE = {"resign", "offer", "answer", "race_on_without", "play_again", "change_settings"}


@dataclass(frozen=True, slots=True)
class Press:
    """What one friend presses."""

    who: int
    kind: str
    fields: Mapping[str, object]

    async def by(self, heats: Heats) -> str:
        """Press it; give `done`, or the code of a refusal."""
        race = {"race": heats.number} if self.kind in OF_A_RACE else {}
        answer = await heats.friends[self.who].ask(self.kind, **race, **self.fields)
        return str(answer["code"] if answer["type"] == "refused" else answer["type"])


def press(who: int, kind: str, **fields: object) -> Press:
    return Press(who, kind, fields)


@dataclass(frozen=True, slots=True)
class Case:
    """Presses that come at once when a table is as far as `at` says and `first` were pressed; what may come of them."""

    at: str
    presses: tuple[Press, ...]
    may_be: tuple[tuple[str, ...], ...]
    first: tuple[Press, ...] = ()
    away: int | None = None
    """Who is away, longer than grace."""


BOTH = (DONE, DONE)
OTHER_RULES = {"target": 64, "clock_s": None}
CASES = {
    "two sit under one name": Case(
        "gathering",
        (press(BO, "sit", name="Zoe"), press(CY, "sit", name="Zoe")),
        (BOTH,),
        first=(press(BO, "leave"), press(CY, "leave")),
    ),
    "one sits twice": Case(
        "gathering",
        (press(BO, "sit", name="Zoe"), press(BO, "sit", name="Zoe")),
        ((DONE, "ALREADY_SEATED"),),
        first=(press(BO, "leave"),),
    ),
    "two take one name": Case(
        "gathering", (press(BO, "rename", name="Zoe"), press(CY, "rename", name="Zoe")), (BOTH,)
    ),
    "one takes two names": Case(
        "gathering", (press(BO, "rename", name="Zoe"), press(BO, "rename", name="Yan")), (BOTH,)
    ),
    "two are ready": Case(
        "gathering", (press(BO, "ready", ready=True), press(CY, "ready", ready=False)), (BOTH,)
    ),
    "one is ready and is not": Case(
        "gathering", (press(BO, "ready", ready=False), press(BO, "ready", ready=True)), (BOTH,)
    ),
    "the host chooses rules twice": Case(
        "gathering",
        (press(ANN, "rules", **OTHER_RULES), press(ANN, "rules", target=128, clock_s=180)),
        (BOTH,),
    ),
    "a friend is ready no more as the host starts": Case(
        "gathering",
        (press(BO, "ready", ready=False), press(ANN, "start")),
        ((DONE, "NOT_ALL_READY"), ("NOT_GATHERING", DONE)),
    ),
    "the host starts twice": Case(
        "gathering", (press(ANN, "start"), press(ANN, "start")), ((DONE, "NOT_GATHERING"),)
    ),
    "a friend leaves as the host starts": Case(
        "gathering", (press(ANN, "start"), press(BO, "leave")), (BOTH,)
    ),
    "a friend takes another name as the host starts": Case(
        "gathering",
        (press(ANN, "start"), press(BO, "rename", name="Zoe")),
        (BOTH, (DONE, "NOT_GATHERING")),
    ),
    "a friend sits as the host starts": Case(
        "gathering",
        (press(ANN, "start"), press(BO, "sit", name="Zoe")),
        ((DONE, "NOT_GATHERING"), ("NOT_ALL_READY", DONE)),
        first=(press(BO, "leave"),),
    ),
    "a seat is freed twice": Case(
        "gathering",
        (press(ANN, "free_seat", seat=2), press(ANN, "free_seat", seat=2)),
        ((DONE, "SEAT_EMPTY"),),
    ),
    "a friend leaves as the seat is freed": Case(
        "gathering",
        (press(ANN, "free_seat", seat=2), press(BO, "leave")),
        ((DONE, "NOT_SEATED"), ("SEAT_EMPTY", DONE)),
    ),
    "one leaves twice": Case("gathering", (press(BO, "leave"), press(BO, "leave")), ((DONE, "NOT_SEATED"),)),
    "the host leaves, and so does a friend": Case(
        "gathering", (press(ANN, "leave"), press(BO, "leave")), (BOTH,)
    ),
    "one resigns twice": Case("racing", (press(BO, "resign"), press(BO, "resign")), (BOTH,)),
    "two of three resign": Case("racing", (press(ANN, "resign"), press(BO, "resign")), (BOTH,)),
    "all resign": Case(
        "racing",
        (press(ANN, "resign"), press(BO, "resign"), press(CY, "resign")),
        tuple(tuple("RACE_OVER" if who == last else DONE for who in (ANN, BO, CY)) for last in (ANN, BO, CY)),
    ),
    "two offer a draw": Case(
        "racing",
        (press(ANN, "offer"), press(BO, "offer")),
        ((DONE, "OFFER_STANDS"), ("OFFER_STANDS", DONE)),
    ),
    "one offers a draw twice": Case("racing", (press(BO, "offer"), press(BO, "offer")), (BOTH,)),
    "two agree": Case(
        "racing",
        (press(BO, "answer", agree=True), press(CY, "answer", agree=True)),
        (BOTH,),
        first=(press(ANN, "offer"),),
    ),
    "one agrees and another does not": Case(
        "racing",
        (press(BO, "answer", agree=True), press(CY, "answer", agree=False)),
        (BOTH, ("NO_OFFER", DONE)),
        first=(press(ANN, "offer"),),
    ),
    "one agrees and resigns": Case(
        "racing",
        (press(BO, "answer", agree=True), press(BO, "resign")),
        (BOTH,),
        first=(press(ANN, "offer"),),
    ),
    "one resigns and leaves": Case("racing", (press(BO, "resign"), press(BO, "leave")), (BOTH,)),
    "two race on without the third": Case(
        "racing",
        (press(ANN, "race_on_without", seat=3), press(BO, "race_on_without", seat=3)),
        (BOTH, (DONE, "OUT_OF_RACE"), ("OUT_OF_RACE", DONE)),
        away=CY,
    ),
    "two play again": Case("finished", (press(ANN, "play_again"), press(BO, "play_again")), (BOTH,)),
    "one plays again twice": Case("finished", (press(BO, "play_again"), press(BO, "play_again")), (BOTH,)),
    "one plays again as another leaves": Case(
        "finished", (press(ANN, "play_again"), press(BO, "leave")), (BOTH,)
    ),
    "the settings are changed twice": Case(
        "finished", (press(ANN, "change_settings"), press(ANN, "change_settings")), (BOTH,)
    ),
    "one plays again as the settings are changed": Case(
        "finished",
        (press(BO, "play_again"), press(ANN, "change_settings")),
        ((DONE, "RACE_MOVED_ON"), ("RACE_MOVED_ON", DONE)),
    ),
}
