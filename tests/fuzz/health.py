"""How the processes of a stack are: alive, no bigger than they should be, and without a word of an error in their logs."""

import json
from dataclasses import dataclass
from pathlib import Path

from tests.stack import Service, Stack

MOST_GROWN_KB = 48 * 1024


@dataclass(frozen=True)
class Health:
    """What each service held of memory, and had logged, at one moment."""

    sizes_kb: list[int]
    logged: list[int]


def health_of(stack: Stack) -> Health:
    """Look at every service."""
    return Health(
        [_rss_kb(service) for service in stack.services],
        [service.log.stat().st_size for service in stack.services],
    )


def see_well(stack: Stack, before: Health, *, expected: tuple[str, ...] = ()) -> None:
    """See that every service lives, has not grown much since, and has told of no error but those expected."""
    for service, size, logged in zip(stack.services, before.sizes_kb, before.logged, strict=True):
        assert service.process is not None
        assert service.process.poll() is None, f"{service.module} ended:\n{service.log.read_text()[-3000:]}"
        assert _rss_kb(service) - size < MOST_GROWN_KB, f"{service.module} grew"
        lines = service.log.read_bytes()[logged:].decode().splitlines()
        errors = [line for line in lines if '"level": "error"' in line]
        told = [line for line in errors if json.loads(line)["event"] not in expected]
        assert not told, "\n".join(told)[-6000:]


def _rss_kb(service: Service) -> int:
    assert service.process is not None
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
