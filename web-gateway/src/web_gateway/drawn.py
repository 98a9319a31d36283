"""Boards that a page of text draws, written as one reads them."""

import re

_BOARD = re.compile(r"^( *)<!-- board ([.+0-9/ ]+) -->\n", re.MULTILINE)


def draw_boards(page: str) -> str:
    r"""Draw the rows of a page's boards as those of tables: `.` is an empty cell, `+2` a tile that comes.

    >>> print(draw_boards("<!-- board . 2 / 4 +2 -->\n"), end="")
    <tbody>
      <tr><td></td><td data-exponent="1">2</td></tr>
      <tr><td data-exponent="2">4</td><td data-exponent="1" data-comes>2</td></tr>
    </tbody>
    """
    return _BOARD.sub(lambda board: _body(board[1], board[2].split("/")), page)


def _body(indent: str, rows: list[str]) -> str:
    drawn = [f"{indent}  <tr>{''.join(map(_cell, row.split()))}</tr>\n" for row in rows]
    return f"{indent}<tbody>\n{''.join(drawn)}{indent}</tbody>\n"


def _cell(cell: str) -> str:
    if cell == ".":
        return "<td></td>"
    value = cell.removeprefix("+")
    comes = " data-comes" if cell.startswith("+") else ""
    return f'<td data-exponent="{int(value).bit_length() - 1}"{comes}>{value}</td>'
