"""A running stack for races from outside, with the waits made short by settings."""

from collections.abc import Iterator

import pytest
from tests.stack import Stack, standing

SETTINGS = {"grace_ms": "1200", "ping_ms": "500", "countdown_ms": "700", "clocks_s": "2,4,180"}


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with standing(tmp_path_factory.mktemp("stack"), **SETTINGS) as stack:
        yield stack


@pytest.fixture
def base(stack: Stack) -> str:
    return stack.base
