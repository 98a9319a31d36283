"""Making an installation wrong in one place."""

import base64
import copy
import re
from dataclasses import dataclass
from typing import Any

from tests.manifests.reading import Document
from tests.manifests.resources import Resources

GONE = object()
"""In place of a value: there is none."""


@dataclass(frozen=True)
class Broken:
    """One change to one resource: what stands at a path, or a part of the text there, is put in another's place.

    `path` is a JSON pointer (RFC 6901) without its first slash; an empty one means that the resource is not there at all.
    """

    policy: str
    kind: str
    name: str
    path: str
    value: Any = GONE
    instead_of: str = ""

    def __str__(self) -> str:
        return (
            f"{self.policy}: {self.kind} {self.name} {self.path} {'' if self.value is GONE else self.value}"
        )

    def of(self, resources: Resources) -> Resources:
        """Give the same resources, but for this change."""
        documents = [copy.deepcopy(each) for each in resources.documents]
        (document,) = [each for each in documents if self._is_meant(each)]
        if not self.path:
            documents.remove(document)
        else:
            self._change(document)
        return Resources(documents)

    def _is_meant(self, document: Document) -> bool:
        name: str = document["metadata"]["name"]
        return (
            document["kind"] == self.kind and re.fullmatch(f"{self.name}(-[a-z0-9]{{10}})?", name) is not None
        )

    def _change(self, document: Document) -> None:
        *steps, last = [_step(each) for each in self.path.split("/")]
        part: Any = document
        for step in steps:
            if isinstance(part, dict):
                part.setdefault(step, {})
            part = part[step]
        if self.value is GONE:
            del part[last]
        elif self.instead_of:
            part[last] = _replaced(part[last], self.instead_of, self.value, hidden=self.kind == "Secret")
        else:
            part[last] = self.value


def _step(word: str) -> Any:
    """Give a key, or a number in a list."""
    return int(word) if word.isdigit() else word.replace("~1", "/")


def _replaced(text: str, old: str, new: str, *, hidden: bool) -> str:
    plain = base64.b64decode(text).decode() if hidden else text
    assert old in plain, f"{old!r} does not stand in {plain!r}"
    changed = plain.replace(old, new)
    return base64.b64encode(changed.encode()).decode() if hidden else changed
