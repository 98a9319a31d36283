"""What must hold of every race, whatever happened: all that its clients sent and heard, against its log.

The log is taken from the replay that the product gives; boards, standings and the verdict are made again from its seed
and slides by the engine. A history that breaks a rule raises AssertionError, in words.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from tests.e2e.replaying import cells_of, made_again, slides_of
from tests.friend import Frame
from tests.secrecy import before_the_end, check_fields, texts

from engine import Direction, Race, Seat, Seed, draw, place, slide, start_board


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """What one client sent and heard; `connections` are the numbers of frames it had heard before each connection.

    `made` are the directions that it knows to have made in the race, `under_way` those that it sent and knows nothing of;
    `made` is None where it does not keep count, as with several tabs.
    """

    name: str
    sent: Sequence[Frame]
    received: Sequence[Frame]
    connections: Sequence[int] = (0,)
    made: Sequence[str | None] | None = None
    under_way: Sequence[str] = ()

    def of_race(self, kind: str, number: int) -> Iterator[Frame]:
        """Give the frames of a kind that are about a race."""
        return (each for each in self.received if each["type"] == kind and each["race"] == number)

    def seat_in(self, number: int) -> int | None:
        """Give the seat it raced in, None for a watcher."""
        for frame in self.received:
            if frame["type"] == "table" and frame["race"] and frame["race"]["number"] == number:
                raced = {each["seat"] for each in frame["race"]["racers"]}
                seat: int | None = frame["you"]["seat"]
                return seat if seat in raced else None
        return None

    def each_connection(self) -> Iterator[Sequence[Frame]]:
        """Give the frames heard on each connection."""
        ends = [*self.connections[1:], len(self.received)]
        return (self.received[start:end] for start, end in zip(self.connections, ends, strict=True))


@dataclass(frozen=True, slots=True)
class Truth:
    """A race as its log has it: each seat's directions, and its boards and scores after each of them."""

    number: int
    replay: Frame
    race: Race
    slides: Mapping[int, Sequence[str]]
    boards: Mapping[int, Sequence[tuple[list[int], int]]]

    @classmethod
    def of(cls, replay: Frame) -> Self:
        """Make a race again from a replay.

        Raises:
            RuleBroken: its log is not one of such a race.
        """
        race = made_again(replay)
        slides = {each["seat"]: slides_of(replay, each["seat"]) for each in replay["seats"]}
        boards = {seat: list(_boards(race.seed, made)) for seat, made in slides.items()}
        return cls(replay["race"], replay, race, slides, boards)


def check(replay: Frame, witnesses: Sequence[Witness], *, rewound: bool = False, apart: bool = False) -> None:
    """See that nothing of a race was lost, doubled, changed or given away.

    `rewound` says that the store went back on purpose: standings may then fall, as boards do until clients have offered
    their slides again. `apart` says that two replicas served the race: from one connection to the next standings may
    fall, as one replica hears a moment later what the other committed.

    Raises:
        AssertionError: something was.
        RuleBroken: the log is not one of such a race.
    """
    truth = Truth.of(replay)
    _check_end(truth)
    for witness in witnesses:
        _check_answers(truth, witness)
        _check_boards(truth, witness)
        _check_keys(truth, witness)
        _check_verdicts(truth, witness)
        _check_secrecy(truth, witness)
        _check_order(witness)
        if not rewound:
            for frames in witness.each_connection() if apart else [witness.received]:
                _check_standings(truth, witness, frames)


def _boards(seed: Seed, made: Sequence[str]) -> Iterator[tuple[list[int], int]]:
    board, score = start_board(seed), 0
    yield [value for row in board.to_values() for value in row], score
    for number, direction in enumerate(made, 1):
        slid = slide(board, Direction[direction.upper()])
        assert slid is not None, f"slide {number} of the log changes nothing"
        board, score = place(slid.board, draw(seed, number + 1)), score + slid.points
        yield [value for row in board.to_values() for value in row], score


def _check_end(truth: Truth) -> None:
    """The verdict is the one that the rules give, and no slide counts outside of the clock."""
    verdict, told = truth.race.verdict, truth.replay["verdict"]
    assert verdict is not None, "by its log the race is not over"
    assert told["reason"] == verdict.reason.name, (told, verdict)
    assert (told["winner"], told["tied"]) == (verdict.winner, list(verdict.tied)), (told, verdict)
    clock_s = truth.replay["rules"]["clock_s"]
    for each in truth.replay["seats"]:
        for ms, direction in each["slides"]:
            assert ms >= 0, f"seat {each['seat']} slid {direction} before the start"
            assert clock_s is None or ms < clock_s * 1000, (
                f"seat {each['seat']} slid {direction} after the deadline"
            )


def _check_answers(truth: Truth, witness: Witness) -> None:
    """Each slide frame has one answer at most, and what was acknowledged stands in the log at its number."""
    seat = witness.seat_in(truth.number)
    answers: dict[str, list[Frame]] = {}
    for frame in witness.received:
        if frame.get("re") is not None:
            answers.setdefault(frame["re"], []).append(frame)
    for asked in witness.sent:
        if asked["type"] != "slide" or asked["race"] != truth.number:
            continue
        found = answers.get(asked["id"], [])
        assert len(found) <= 1, f"{witness.name} heard {len(found)} answers to {asked}"
        if found and found[0]["type"] == "board":
            assert seat is not None, f"{witness.name} is no racer, and slid"
            made, n = truth.slides[seat], asked["n"]
            assert n <= len(made), (
                f"{witness.name}'s slide {n} was acknowledged and is not in the log of {len(made)}"
            )
            assert made[n - 1] == asked["direction"], (
                f"{witness.name}'s slide {n} was acknowledged as {asked['direction']} and is {made[n - 1]} in the log"
            )


def _check_boards(truth: Truth, witness: Witness) -> None:
    """Each board is the one that the engine makes of the seed and the log, told to its own seat only."""
    seat = witness.seat_in(truth.number)
    for frame in witness.of_race("board", truth.number):
        assert seat is not None, f"{witness.name} is no racer, and was told a board"
        boards, n = truth.boards[seat], frame["n"]
        assert n < len(boards), (
            f"{witness.name} was told of slide {n}, which is not in the log of {len(boards) - 1}"
        )
        assert (frame["cells"], frame["score"]) == boards[n], (
            f"{witness.name}'s board after slide {n} is another"
        )


def _check_keys(truth: Truth, witness: Witness) -> None:
    """Each key that landed did so once, in order: what a client believes to have made is what the log has."""
    seat = witness.seat_in(truth.number)
    if witness.made is None or seat is None:
        return
    made, known = list(truth.slides[seat]), list(witness.made)
    possible = [*known, *witness.under_way]
    assert len(known) <= len(made) <= len(possible), (
        f"{witness.name} made {len(known)} to {len(possible)} slides, the log has {len(made)}"
    )
    for n, (one, other) in enumerate(zip(possible, made, strict=False), 1):
        assert one == other, f"{witness.name}'s slide {n} was {one}, and is {other} in the log"


def _check_verdicts(truth: Truth, witness: Witness) -> None:
    """Everyone was told the same verdict, and the seed of the commitment with the last boards."""
    told = [frame["verdict"] for frame in witness.of_race("race", truth.number) if frame["verdict"]]
    assert told, f"{witness.name} never heard the verdict"
    for verdict in told:
        assert verdict == truth.replay["verdict"], (
            f"{witness.name} heard {verdict}, not {truth.replay['verdict']}"
        )
    commitment = hashlib.sha256(bytes.fromhex(truth.replay["seed"])).hexdigest()
    for frame in witness.received:
        race = frame["race"] if frame["type"] == "table" else None
        if race and race["number"] == truth.number:
            assert race["commitment"] in {None, commitment}, f"{witness.name} was shown another commitment"
    last = cells_of(truth.race)
    for frame in witness.of_race("reveal", truth.number):
        boards = {board["seat"]: board["cells"] for board in frame["boards"]}
        assert (frame["seed"], boards) == (truth.replay["seed"], last), (
            f"{witness.name} was shown another end"
        )


def _check_secrecy(truth: Truth, witness: Witness) -> None:
    """Before the end no frame has a field that it may not have, or the seed anywhere."""
    seed = truth.replay["seed"]
    for frame in before_the_end(list(witness.received)):
        check_fields(frame)
        assert seed not in set(texts(frame)), f"{witness.name} was told the seed before the end"


def _check_order(witness: Witness) -> None:
    """On one connection a table grows by its version, and a race by number and version."""
    for frames in witness.each_connection():
        table, race = 0, (0, 0)
        for frame in frames:
            if frame["type"] == "table":
                assert frame["version"] >= table, (
                    f"{witness.name} saw the table go from {table} to {frame['version']}"
                )
                table = frame["version"]
            elif frame["type"] == "race":
                now = (frame["race"], frame["version"])
                assert now >= race, f"{witness.name} saw the race go from {race} to {now}"
                race = now


def _check_standings(truth: Truth, witness: Witness, frames: Sequence[Frame]) -> None:
    """No standing ever falls, nobody who is out comes back, and each is one that the log gives."""
    seen: dict[int, Frame] = {}
    for frame in frames:
        if frame["type"] != "race" or frame["race"] != truth.number:
            continue
        for standing in frame["standings"]:
            seat, slides = Seat(standing["seat"]), standing["slides"]
            before = seen.get(seat, standing)
            for field in ("slides", "score", "biggest"):
                assert standing[field] >= before[field], f"{witness.name} saw seat {seat}'s {field} fall"
            assert before["state"] != "out" or standing["state"] == "out", (
                f"{witness.name} saw seat {seat} come back"
            )
            cells, score = truth.boards[seat][slides]
            assert (standing["score"], standing["biggest"]) == (score, max(cells)), (
                f"{witness.name} saw seat {seat} stand at {standing}, not as the log has it"
            )
            seen[seat] = standing
