"""No secret stands in what is tracked: every file is read by detect-secrets, and what it means by mistake is listed.

`python -m supply.secrets` names the rest, by file, line and kind, and never what it found.
"""

import sys
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from detect_secrets.core.scan import scan_file
from detect_secrets.settings import get_settings, transient_settings

from supply.locks import ROOT, told
from supply.tracked import tracked

KNOWN = Path(__file__).with_name("known_secrets.toml")
KINDS = (
    "AWSKeyDetector", "Base64HighEntropyString", "BasicAuthDetector", "GitHubTokenDetector", "GitLabTokenDetector",
    "HexHighEntropyString", "JwtTokenDetector", "KeywordDetector", "NpmDetector", "PrivateKeyDetector",
    "PypiTokenDetector", "SlackDetector",
)  # fmt: skip
"""What is looked for: keys, passwords, and tokens of what a project like this is built, sent and talked about with.

Each costs every line of every file; tokens of other services are found as strings of high entropy.
"""
_SETTINGS = {"plugins_used": [{"name": kind} for kind in KINDS]}
# It passes over every line that assigns what a call gives, whatever stands in it, and is the slowest of all patterns.
_NOT_FILTERED = "detect_secrets.filters.heuristic.is_indirect_reference"
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class Known:
    """What is no secret and looks like one: the files that are not read, and single places by the hash of what they hold."""

    unread: tuple[str, ...]
    places: frozenset[tuple[str, str]]

    def has(self, found: "Found") -> bool:
        """Tell whether something is known to be no secret."""
        return any(digest == found.sha1 and fnmatch(found.file, files) for files, digest in self.places)

    @classmethod
    def read(cls, text: str) -> "Known":
        """Read the list; each entry of it says why."""
        listed = tomllib.loads(text)
        places = ((each["files"], digest) for each in listed["known"] for digest in each["sha1"])
        return cls(tuple(each["files"] for each in listed["unread"]), frozenset(places))


@dataclass(frozen=True, slots=True)
class Found:
    """What looks like a secret, but for the secret."""

    file: str
    line: int
    kind: str
    sha1: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.kind} (SHA-1 {self.sha1})"


def found_in(root: Path, names: Iterable[str], known: Known) -> list[Found]:
    """Find what looks like a secret and is not known to be none."""
    read = [name for name in names if not any(fnmatch(name, files) for files in known.unread)]
    parts = [read[at : at + _AT_ONCE] for at in range(0, len(read), _AT_ONCE)]
    with ProcessPoolExecutor() as processes:
        found = [each for part in processes.map(_scan, [root] * len(parts), parts) for each in part]
    return [each for each in found if not known.has(each)]


def _scan(root: Path, names: list[str]) -> list[Found]:
    with transient_settings(_SETTINGS):
        get_settings().disable_filters(_NOT_FILTERED)
        return [found for name in names for found in _scan_file(root, name)]


def _scan_file(root: Path, name: str) -> Iterator[Found]:
    for found in scan_file(str(root / name)):
        yield Found(name, found.line_number, found.type, found.secret_hash)


if __name__ == "__main__":
    sys.exit(told(str(each) for each in found_in(ROOT, tracked(ROOT), Known.read(KNOWN.read_text()))))
