"""A child: one program that is started, looked after, started again when it dies, and stopped in the end."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from play.saying import say

LEASH = Path(__file__).with_name("leash.py")
STEADY_S = 10.0
"""Who lived as long as this is started again at once when it dies."""
LONGEST_PAUSE_S = 5.0
FIRST_PAUSE_S = 0.25
OURS_ALONE = 0o077
"""What others may not do with files that a child makes: the store's hold the draws of races that run."""
READY_S = 30.0
"""How long a child may take until it is ready at the first start; a store may have much to read."""
LOOK_S = 0.05


class ChildFailed(Exception):
    """A child did not come up; the words say which, and where to look."""


@dataclass(slots=True, kw_only=True)
class Child:
    """A program under supervision.

    Args:
        name: how it is called in what is said.
        command: the program's path and its arguments.
        environment: all of its variables.
        is_ready: looks once whether it does its work.
        keeps: descriptors that it holds open as long as it lives.
        look_at: what helps when it does not come up.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    is_ready: Callable[[], Awaitable[bool]]
    keeps: tuple[int, ...] = ()
    look_at: str = "its words are above"
    _process: asyncio.subprocess.Process | None = field(default=None, init=False)

    async def start(self) -> None:
        """Start the program, in a process group of its own: Ctrl-C is for us, who stop all in order."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", str(LEASH), str(os.getpid()), *self.command,
            env=self.environment,
            stdin=asyncio.subprocess.DEVNULL,
            pass_fds=self.keeps,
            umask=OURS_ALONE,
            process_group=0,
        )  # fmt: skip

    async def come_up(self) -> None:
        """Wait until it is ready, after the first start.

        Raises:
            ChildFailed: it ended instead, or took too long.
        """
        ready = asyncio.ensure_future(self._ready())
        ended = asyncio.ensure_future(self._ended())
        try:
            await asyncio.wait((ready, ended), timeout=READY_S, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                raise ChildFailed(f"{self.name} ended while starting; {self.look_at}.")
            if not ready.done():
                raise ChildFailed(f"{self.name} is not ready after {READY_S:.0f} s; {self.look_at}.")
            ready.result()
        finally:
            ready.cancel()
            ended.cancel()

    async def keep(self) -> None:
        """Start it again whenever it ends: at once, and after growing pauses if it keeps ending."""
        loop = asyncio.get_running_loop()
        pause = 0.0
        while True:
            started = loop.time()
            code = await self._ended()
            if loop.time() - started >= STEADY_S:
                pause = 0.0
            say(f"{self.name} ended ({_how(code)}); starting it again{f' in {pause:g} s' if pause else ''}.")
            await asyncio.sleep(pause)
            pause = min(max(FIRST_PAUSE_S, 2 * pause), LONGEST_PAUSE_S)
            # A machine that is short of processes for a moment has it end once more, and start after the next pause.
            with contextlib.suppress(OSError):
                await self.start()

    async def stop(self, seconds: float) -> None:
        """End it by SIGTERM, and by SIGKILL if it is still there after `seconds`."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(seconds):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        say(f"{self.name} stopped.")

    async def _ready(self) -> None:
        while True:
            if await self.is_ready():
                return
            await asyncio.sleep(LOOK_S)

    async def _ended(self) -> int:
        if self._process is None:
            raise RuntimeError("not started")
        return await self._process.wait()


@contextlib.asynccontextmanager
async def running(*children: Child, seconds: float) -> AsyncIterator[None]:
    """Have children ready in the block, and stopped after it, side by side, each within `seconds`.

    Raises:
        ChildFailed: one did not come up; all are stopped.
    """
    try:
        for child in children:
            await child.start()
        await asyncio.gather(*(child.come_up() for child in children))
        yield
    finally:
        await asyncio.gather(*(child.stop(seconds) for child in children))


def _how(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
