"""Starts what `make` was asked for, or says in one sentence that this Python is too old.

Kept to syntax that every Python since 2.7 reads, for otherwise an old one would answer with a syntax error; what it
starts may be as new as the rest.
"""

import os
import sys

if sys.version_info < (3, 11):
    sys.exit(
        "tilerace needs Python 3.11 or newer, but %s is Python %d.%d; name a newer one: make PYTHON=python3.12 ..."
        % (sys.executable, sys.version_info[0], sys.version_info[1])
    )

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "src"))

from play.workspace.__main__ import main

main(sys.argv[1:])
