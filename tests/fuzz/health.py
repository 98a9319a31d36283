"""How the processes of a stack are: alive, no bigger than they should be, and without a word of an error in their logs."""

import json
from pathlib import Path

from tests.stack import Service, Stack

MOST_GROWN_KB = 48 * 1024


def sizes_kb(stack: Stack) -> list[int]:
    """Give how much memory each service holds."""
    return [_rss_kb(service) for service in stack.services]


def see_well(stack: Stack, before: list[int], *, expected: tuple[str, ...] = ()) -> None:
    """See that every service lives, has not grown much since, and has told of no error but those expected."""
    for service, then in zip(stack.services, before, strict=True):
        assert service.process is not None
        assert service.process.poll() is None, f"{service.module} ended:\n{service.log.read_text()[-3000:]}"
        assert _rss_kb(service) - then < MOST_GROWN_KB, f"{service.module} grew"
    errors = [line for line in stack.logs.splitlines() if '"level": "error"' in line]
    told = [line for line in errors if json.loads(line)["event"] not in expected]
    assert not told, "\n".join(told)[-6000:]


def _rss_kb(service: Service) -> int:
    assert service.process is not None
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
