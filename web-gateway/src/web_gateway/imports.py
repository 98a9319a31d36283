"""Which modules a module needs before it can run."""

import posixpath
import re
from collections.abc import Iterator, Mapping

_STATIC = re.compile(
    r"""^(?:import\s*(?:[\w*{},$\s]+?\sfrom\s*)?|export\s*[*{][\w*{},$\s]*?\sfrom\s*)["'](\.[^"']+)["']""",
    re.MULTILINE,
)


def imported(path: str, source: str) -> list[str]:
    r"""Give the paths that a module imports before it runs, in its order; `import()` is for later.

    >>> imported("js/pages/solo.js", 'import "../dom.js";\nimport {\n  a,\n} from "./b.js";\nimport("./c.js");')
    ['js/dom.js', 'js/pages/b.js']
    """
    folder = posixpath.dirname(path)
    return [posixpath.normpath(posixpath.join(folder, found)) for found in _STATIC.findall(source)]


def reached(entry: str, sources: Mapping[str, bytes]) -> list[str]:
    """Give all that an entry module needs, itself left out, nearest first."""
    found = {entry: None}
    waiting = [entry]
    while waiting:
        fresh = [path for path in _all_imported(waiting, sources) if path in sources and path not in found]
        found |= dict.fromkeys(fresh)
        waiting = list(dict.fromkeys(fresh))
    return list(found)[1:]


def _all_imported(paths: list[str], sources: Mapping[str, bytes]) -> Iterator[str]:
    for path in paths:
        yield from imported(path, sources[path].decode())
