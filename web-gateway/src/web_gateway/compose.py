"""Pages composed from shared parts: `<!-- top -->` on a line of its own stands for what `_top.html` holds."""

import re
from collections.abc import Mapping

_PLACE = re.compile(r"^( *)<!-- ([a-z]+) -->\n", re.MULTILINE)


def compose(page: str, parts: Mapping[str, str], *, address: str | None) -> str:
    """Fill a page's places with parts, indented alike; its links to its own address say that it is the current page."""

    def fill(place: re.Match[str]) -> str:
        part = parts.get(place[2])
        if part is None:
            return place[0]
        return "".join(f"{place[1]}{line}" for line in part.splitlines(keepends=True))

    filled = _PLACE.sub(fill, page)
    if address is None:
        return filled
    return filled.replace(f'<a href="{address}">', f'<a href="{address}" aria-current="page">')
