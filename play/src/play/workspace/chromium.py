"""The browser of the browser tests: the distribution's own Chromium."""

import shutil

from play.workspace.installing import Failed, apt_install, may_use_apt, say

NAMES = ("chromium", "chromium-browser")
MISSING = "The browser tests need Chromium; install the package `chromium` of your system, so that `chromium` is found."


def need_chromium() -> None:
    """See to it that Chromium is on the search path, installing it where we may.

    Raises:
        Failed: it is missing, and we may not or cannot install it.
    """
    if _is_there():
        return
    if may_use_apt():
        say("Installing Chromium for the browser tests …")
        apt_install("chromium", MISSING)
    if not _is_there():
        raise Failed(MISSING)


def _is_there() -> bool:
    return any(map(shutil.which, NAMES))
