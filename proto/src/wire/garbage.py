"""How often Python looks for garbage: seldom, for what the services make is freed by counting, and cycles are few.

By default a collection of the youngest comes with every 700 objects that are made and not yet freed, which a single batch
of slides makes; with 5,000 races in memory collections took a fifth of game-service's time.
"""

import gc

YOUNG = 10_000
"""How many more objects are made than freed until the young ones are looked at."""
MIDDLE = 50
"""After how many such looks those are looked at again that were found in use."""
OLD = 10


def started() -> None:
    """Look seldom from now on, and never again at what the start left: it is there to the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)
