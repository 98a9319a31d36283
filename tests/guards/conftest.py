"""Runs the chosen rows four at a time, each in a copy of the tree, however pytest asks for them one by one."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from random import Random

import pytest
from tests.guards.copying import copied
from tests.guards.running import judge, judge_whole
from tests.guards.table import Guard, all_guards

# More than there are cores: without its guard many a test waits long for what does not come.
AT_A_TIME = 4
Judged = dict[Guard | None, Future[None]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only", action="append", default=[], help="an area of guards, such as browser; all")
    parser.addoption("--share", type=int, default=1, help="one in how many guards, chosen by the seed; each")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "guard" in metafunc.fixturenames:
        guards = _chosen(metafunc.config)
        metafunc.parametrize("guard", guards, ids=[f"{each.area}: {each.what}" for each in guards])


def _chosen(config: pytest.Config) -> list[Guard]:
    guards, share = all_guards(config.getoption("--only")), config.getoption("--share")
    kept = set(Random(config.getoption("--seed")).sample(range(len(guards)), -(-len(guards) // share)))
    return [guard for at, guard in enumerate(guards) if at in kept]


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("guards") / "tree")


@pytest.fixture(scope="session")
def judged(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    """What comes of each row that was asked for, and of their tests without a change, under None."""
    asked = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    guards = [params["guard"] for params in asked if "guard" in params]
    trees = SimpleQueue[Path]()
    for _ in range(AT_A_TIME):
        trees.put(copied(tmp_path_factory.mktemp("guards") / "tree"))

    def in_a_tree(run: Callable[[Path], None]) -> None:
        tree = trees.get()
        try:
            run(tree)
        finally:
            trees.put(tree)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        whole = pool.submit(in_a_tree, partial(judge_whole, guards))
        rows = {guard: pool.submit(in_a_tree, partial(judge, guard)) for guard in guards}
        yield {None: whole} | rows
        pool.shutdown(wait=True, cancel_futures=True)
