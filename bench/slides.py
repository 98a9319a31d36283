# ruff: noqa: INP001 - run by its path
"""What the rules cost: slides with their draws, races' slides with their verdicts, and the replay of a log.

    .venv/bin/python bench/slides.py [SLIDES]

Figures are CPU time of this process, the best of twenty rounds, with the tables of lines filled by the rounds before.
"""

import sys
import time
from collections.abc import Callable

from engine import (
    Board,
    Direction,
    Draws,
    LogEntry,
    Millis,
    Race,
    Rules,
    Seat,
    Seed,
    SlideEvent,
    can_slide,
    draw,
    place,
    replay,
    slide,
    start_board,
)

ROUNDS = 20
RACERS = (Seat(1), Seat(2), Seat(3), Seat(4))
LOG_LENGTH = 2_000
Log = list[LogEntry]
ORDER = (Direction.LEFT, Direction.DOWN, Direction.RIGHT, Direction.UP)


def best(measured: Callable[[], float]) -> float:
    """Give the best of some rounds: the machine's other work can only make one slower."""
    return max(measured() for _ in range(ROUNDS))


def moves_of(seed: Seed, wanted: int) -> list[Direction]:
    """Make a game's directions, each of which changes the board; it may end before so many."""
    board, made = start_board(seed), list[Direction]()
    while len(made) < wanted and can_slide(board):
        direction = next(each for each in ORDER if slide(board, each) is not None)
        found = slide(board, direction)
        if found is not None:
            made.append(direction)
            board = place(found.board, draw(seed, len(made) + 1))
    return made


def games_of(slides: int) -> list[tuple[Seed, list[Direction]]]:
    """Make games that have so many slides in all."""
    games = list[tuple[Seed, list[Direction]]]()
    number = 0
    while slides > 0:
        seed = Seed(number.to_bytes(32, "big"))
        games.append((seed, moves_of(seed, slides)))
        slides -= len(games[-1][1])
        number += 1
    return games


def play(boards: list[Board], moves: list[Direction], draws: Draws) -> None:
    """Slide all boards in turn and place the tile that follows, as often as there are moves."""
    for number, direction in enumerate(moves, start=2):
        for index, board in enumerate(boards):
            found = slide(board, direction)
            if found is not None:
                boards[index] = place(found.board, draws[number])


def alone(games: list[tuple[Seed, list[Direction]]]) -> float:
    """Slides a second where each slide draws by HMAC for itself."""
    boards = [start_board(seed) for seed, _ in games]
    began = time.process_time()
    for (seed, moves), board in zip(games, boards, strict=True):
        play([board], moves, Draws(seed))
    return sum(len(moves) for _, moves in games) / (time.process_time() - began)


def shared(games: list[tuple[Seed, list[Direction]]]) -> float:
    """Slides a second where four racers slide in turn and share a seed's draws."""
    boards = [start_board(seed) for seed, _ in games]
    began = time.process_time()
    for (seed, moves), board in zip(games, boards, strict=True):
        play([board for _ in RACERS], moves, Draws(seed))
    return len(RACERS) * sum(len(moves) for _, moves in games) / (time.process_time() - began)


def raced(games: list[tuple[Seed, list[Direction]]]) -> float:
    """Slides a second of whole races of four: turn about, each judged, until nobody of them can."""
    races = [Race.deal(seed, Rules(), RACERS, starts_at=Millis(0)) for seed, _ in games]
    count = 0
    began = time.process_time()
    for race, (_, moves) in zip(races, games, strict=True):
        now = race
        for direction in moves:
            for seat in RACERS:
                if now.verdict is None:
                    now = now.slide(seat, direction, now=Millis(1)).race
                    count += 1
    return count / (time.process_time() - began)


def log_of(seed: Seed) -> Log:
    """Write the log of a race of four that slide in turn, each the first way that its board can."""
    race = Race.deal(seed, Rules(), RACERS, starts_at=Millis(0))
    log = Log()
    while race.verdict is None:
        racer = race.racers[len(log) % len(RACERS)]
        direction = next((each for each in ORDER if slide(racer.board, each) is not None), None)
        if direction is None:
            break
        log.append(LogEntry(Millis(1), SlideEvent(racer.seat, direction)))
        race = race.slide(racer.seat, direction, now=Millis(1)).race
    return log


def logs_of(length: int) -> list[tuple[Seed, Log]]:
    """Write logs that have so many slides in all."""
    logs = list[tuple[Seed, Log]]()
    while length > 0:
        seed = Seed(len(logs).to_bytes(32, "big"))
        logs.append((seed, log_of(seed)[:length]))
        length -= len(logs[-1][1])
    return logs


def replayed(logs: list[tuple[Seed, Log]]) -> float:
    """Milliseconds to replay the logs, negative so that the greatest is the best."""
    began = time.process_time()
    for seed, log in logs:
        replay(seed, Rules(), RACERS, log, starts_at=Millis(0))
    return -(time.process_time() - began) * 1e3


def main(slides: int) -> None:
    """Measure and print four lines."""
    games = games_of(slides)
    logs = logs_of(LOG_LENGTH)
    sys.stdout.write(
        f"slide, HMAC draw and tile: {best(lambda: alone(games)):,.0f} a second\n"
        f"the same, four racers sharing draws: {best(lambda: shared(games)):,.0f} a second\n"
        f"Race.slide with its verdict: {best(lambda: raced(games)):,.0f} a second\n"
        f"replay of {LOG_LENGTH:,} slides: {-best(lambda: replayed(logs)):.1f} ms\n"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5_000)
