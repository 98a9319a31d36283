"""Pages composed from shared parts, and named files in them by the addresses of one build.

`<!-- top -->` on a line of its own stands for what `_top.html` holds, and `{{title}}` for the page's title.
"""

import re
from collections.abc import Callable, Mapping, Sequence

_PLACE = re.compile(r"^( *)<!-- ([a-z]+) -->\n", re.MULTILINE)
_VALUE = re.compile(r"{{([a-z]+)}}")
_TITLE = re.compile(r"<title>([^<]*)</title>")
_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)"')
_STYLE = re.compile(r'^ *<link rel="stylesheet" href="/css/([\w-]+)\.css" />\n', re.MULTILINE)
_ENTRY = re.compile(r'^( *)<script type="module" src="/([^"]+)"( [^>]*)?></script>\n', re.MULTILINE)
_FILE = re.compile(r'( (?:href|src)=")/([^"?#]+)"')


def compose(page: str, parts: Mapping[str, str], values: Mapping[str, str]) -> str:
    """Fill a page's places with parts, indented alike, and the parts' values; `address` is the page's own.

    Links to the page's own address say that it is the current page.
    """

    def fill(place: re.Match[str]) -> str:
        part = parts.get(place[2])
        if part is None:
            return place[0]
        return "".join(f"{place[1]}{line}" for line in part.splitlines(keepends=True))

    known = {"title": _first(_TITLE, page), "description": _first(_DESCRIPTION, page), **values}
    filled = _VALUE.sub(lambda value: known.get(value[1], value[0]), _PLACE.sub(fill, page))
    here = f'<a href="{values.get("address", "")}"'
    return filled.replace(f"{here}>", f'{here} aria-current="page">')


def join_styles(page: str) -> tuple[str, dict[str, list[str]]]:
    r"""Have a page ask for its stylesheets at once; also gives what the joined file is called and holds, in order.

    >>> link = '<link rel="stylesheet" href="/css/{}.css" />\n'.format
    >>> join_styles(link("tokens") + "<title></title>\n" + link("base"))[1]
    {'css/tokens+base.css': ['css/tokens.css', 'css/base.css']}
    """
    links = list(_STYLE.finditer(page))
    if not links:
        return page, {}
    first, names = links[0], list(dict.fromkeys(link[1] for link in links))
    joined = f"{'+'.join(names)}.css"
    link = first[0].replace(f"{first[1]}.css", joined)
    page = page[: first.start()] + link + _STYLE.sub("", page[first.end() :])
    return page, {f"css/{joined}": [f"css/{name}.css" for name in names]}


def preload(page: str, needs: Callable[[str], Sequence[str]]) -> str:
    """Name all modules that a page's entries need, so that a browser does not find them one import after the other.

    What is said of an entry besides its address, as its priority, is said of what it alone needs, too.
    """
    named: set[str] = set()

    def name_them(entry: re.Match[str]) -> str:
        fresh = [path for path in needs(entry[2]) if path not in named]
        named.update(fresh)
        link = f'{entry[1]}<link rel="modulepreload" href="/{{}}"{entry[3] or ""} />\n'
        return entry[0] + "".join(map(link.format, fresh))

    return _ENTRY.sub(name_them, page)


def readdress(page: str, address: Callable[[str], str | None]) -> str:
    """Give the files that a page names other addresses; what has none is no file and stays."""

    def other(named: re.Match[str]) -> str:
        found = address(named[2])
        return named[0] if found is None else f'{named[1]}{found}"'

    return _FILE.sub(other, page)


def _first(pattern: re.Pattern[str], page: str) -> str:
    found = pattern.search(page)
    return "" if found is None else found[1]
