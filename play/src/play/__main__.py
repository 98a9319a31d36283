"""`python -m play`: runs the whole of tilerace on one machine until Ctrl-C, SIGTERM or SIGHUP."""

import asyncio
import os
import signal
import sys

from play.child import ChildFailed
from play.data import DataInUse, DataUnusable
from play.maker import maker_stopped
from play.saying import say
from play.settings import Settings
from play.supervisor import supervise
from wire import core_dumps
from wire.settings import SettingsError
from wire.store import StoreError

TOLD = (SettingsError, StoreError, ChildFailed, DataInUse, DataUnusable)
"""What goes wrong by no fault of the program is said in one sentence."""


def main() -> int:
    """Run, and give the exit code: 0 when stopped, 1 when it could not start."""
    core_dumps.forbid()
    try:
        asyncio.run(_until_stopped(Settings.from_env(os.environ)))
    except TOLD as trouble:
        print(trouble, file=sys.stderr, flush=True)
        return 1
    return 0


async def _until_stopped(settings: Settings) -> None:
    work = asyncio.ensure_future(supervise(settings))
    loop = asyncio.get_running_loop()
    stopped = False

    def stop() -> None:
        # Once only: a second Ctrl-C would break off the stopping itself.
        nonlocal stopped
        if not stopped:
            stopped = True
            say("Stopping …")
            work.cancel()

    for number in _stopping():
        loop.add_signal_handler(number, stop)
    maker = asyncio.ensure_future(maker_stopped())
    maker.add_done_callback(lambda done: None if done.cancelled() else stop())
    try:
        await work
    except asyncio.CancelledError:
        if not stopped:
            raise
        say("Stopped; the tables are kept.")
    finally:
        maker.cancel()


def _stopping() -> tuple[signal.Signals, ...]:
    # Who runs it under nohup wants it to outlive the terminal.
    hangup = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGINT, signal.SIGTERM, *hangup)


if __name__ == "__main__":
    sys.exit(main())
