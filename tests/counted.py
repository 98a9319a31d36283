"""What was counted: in this process by its registry, in another by what its /metrics says."""

import contextlib
import re
import urllib.request
from collections.abc import Iterator

from prometheus_client import REGISTRY

_SAMPLE = re.compile(r"(?P<name>[a-z_0-9]+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)")
_LABEL = re.compile(r'([a-z_]+)="([^"]*)"')
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def value(name: str, **labels: str) -> float:
    """Give what this process has counted."""
    found = REGISTRY.get_sample_value(name, labels)
    assert found is not None, f"{name}{labels} is not there"
    return found


@contextlib.contextmanager
def counted(name: str, times: float = 1, /, **labels: str) -> Iterator[None]:
    """Have something counted so many times within the block, by this process; labels not seen yet count from 0."""
    before = REGISTRY.get_sample_value(name, labels) or 0.0
    yield
    assert value(name, **labels) - before == times


def scraped(address: str) -> Samples:
    """Read what a process serves at `host:port`."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as answer:
        text = answer.read().decode()
    samples = [_SAMPLE.fullmatch(line) for line in text.splitlines() if not line.startswith("#")]
    return {
        (found["name"], frozenset(_LABEL.findall(found["labels"] or ""))): float(found["value"])
        for found in samples
        if found is not None
    }


def of(samples: Samples, name: str, **labels: str) -> float:
    """Give one of the samples that were read."""
    return samples[name, frozenset(labels.items())]
