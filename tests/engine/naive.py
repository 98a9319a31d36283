"""A second implementation of the rules, slow and plain on purpose, that shares nothing with the engine.

Boards are 16 exponents in a list; it follows the words of docs/rules.md §1 and §2 step by step.
"""

import hashlib

WALLS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
Move = tuple[int, int, bool]


def slide(board: list[int], word: str) -> tuple[list[int], int, list[Move]] | None:
    """Move tiles one at a time, those nearest the wall first, each as far as it can, merging at most once."""
    down, across = WALLS[word]
    grid = {(cell // 4, cell % 4): exponent for cell, exponent in enumerate(board) if exponent}
    fresh: set[tuple[int, int]] = set()
    came: dict[tuple[int, int], list[tuple[int, int]]] = {place: [place] for place in grid}
    points = 0
    for place in sorted(grid, key=lambda at: -(at[0] * down + at[1] * across)):
        here = place
        while True:
            there = (here[0] + down, here[1] + across)
            if not (0 <= there[0] < 4 and 0 <= there[1] < 4):
                break
            if there not in grid:
                grid[there] = grid.pop(here)
                came[there] = came.pop(here)
                here = there
                continue
            if grid[there] == grid[here] and there not in fresh and grid[here] < 17:
                came[there] += came.pop(here)
                del grid[here]
                grid[there] += 1
                points += 2 ** grid[there]
                fresh.add(there)
            break
    after = [grid.get((cell // 4, cell % 4), 0) for cell in range(16)]
    if after == board:
        return None
    return after, points, _moves(came, fresh, word)


def _moves(
    came: dict[tuple[int, int], list[tuple[int, int]]], fresh: set[tuple[int, int]], word: str
) -> list[Move]:
    """List what travelled, by line from the top or left, in a line from the wall outwards."""
    moves = [
        (origin, target, target in fresh)
        for target, origins in came.items()
        for origin in origins
        if origin != target
    ]

    def order(move: tuple[tuple[int, int], tuple[int, int], bool]) -> tuple[int, int]:
        row, column = move[0]
        line, along = (row, column) if word in {"left", "right"} else (column, row)
        return line, along if word in {"left", "up"} else -along

    return [(a[0] * 4 + a[1], b[0] * 4 + b[1], merged) for a, b, merged in sorted(moves, key=order)]


def can_slide(board: list[int]) -> bool:
    """Not stuck: a cell is empty, or a slide in one of the four directions changes something."""
    return 0 in board or any(slide(board, word) for word in WALLS)


def draw(seed: bytes, k: int) -> tuple[int, int]:
    """HMAC-SHA256 by its definition (RFC 2104), then docs/rules.md §2; the exponent and the fraction."""
    key = seed.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + k.to_bytes(8, "big")).digest()
    digest = hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()
    a, b = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big")
    return (2 if a < (2**64) // 10 else 1), b


def place(board: list[int], drawn: tuple[int, int]) -> tuple[list[int], int]:
    """Put a drawn tile into its empty cell; the board and the cell."""
    empty = [cell for cell in range(16) if not board[cell]]
    cell = empty[drawn[1] * len(empty) // 2**64]
    return [drawn[0] if at == cell else exponent for at, exponent in enumerate(board)], cell
