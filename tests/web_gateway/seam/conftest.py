"""Every test of sockets runs on both event loops, against a server of its own on a free port."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

import pytest
import uvloop
from tests.web_gateway.seam.served import Served, serving

Loop = Callable[[], asyncio.AbstractEventLoop]


def pytest_asyncio_loop_factories(config: pytest.Config, item: pytest.Item) -> Mapping[str, Loop]:
    assert config is item.config
    return {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    async with serving() as server:
        yield server
