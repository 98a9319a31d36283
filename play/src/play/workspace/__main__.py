"""Makes the workspace ready for a command of the Makefile: `play`, `dev`, `bench`, `chromium` or `kube`; or does `pin`."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from play.workspace.chromium import need_chromium
from play.workspace.installing import Failed, alone, stops_on_signals
from play.workspace.kube import need_kube
from play.workspace.pinning import pin
from play.workspace.steps import Workspace

ROOT = Path(__file__).resolve().parents[4]


def main(arguments: Sequence[str]) -> None:
    """Make ready and, for `play`, become the supervisor; whatever fails is said in one sentence, with exit code 1."""
    stops_on_signals()
    try:
        match list(arguments):
            case ["play"]:
                _ready(dev=False)
                python = str(Workspace(ROOT).python)
                os.execv(python, [python, "-m", "play"])
            case ["dev"]:
                _ready(dev=True)
            case ["bench"]:
                _ready(dev=True, peers=True)
            case ["chromium"]:
                need_chromium()
            case ["kube"]:
                need_kube()
            case ["pin"]:
                pin(ROOT)
            case _:
                sys.exit("What to do is one of: play, dev, bench, chromium, kube, pin.")
    except Failed as failed:
        sys.exit(str(failed))


def _ready(*, dev: bool, peers: bool = False) -> None:
    workspace = Workspace(ROOT)
    if workspace.is_ready(dev=dev, peers=peers):
        return
    with alone(ROOT / "play"):
        workspace.make_ready(dev=dev, peers=peers)


if __name__ == "__main__":
    main(sys.argv[1:])
