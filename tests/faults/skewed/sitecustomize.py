"""Has the process that finds this on its PYTHONPATH believe in a time of day that is SKEW_S seconds off.

All but gRPC: it holds what Python tells it against the machine's own clock, which it asks past Python.
"""

import datetime as dt
import os
import sys
import time
from typing import Self

_SKEW_S = float(os.environ["SKEW_S"])
_SKEW = dt.timedelta(seconds=_SKEW_S)
_time, _time_ns = time.time, time.time_ns


class _SkewedDatetime(dt.datetime):
    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Self:
        return super().now(tz) + _SKEW

    @classmethod
    def utcnow(cls) -> Self:
        return super().utcnow() + _SKEW


def _skewed_time() -> float:
    caller = sys._getframe(1).f_globals["__name__"]
    return _time() if caller.partition(".")[0] == "grpc" else _time() + _SKEW_S


def _skewed_time_ns() -> int:
    return _time_ns() + int(_SKEW_S * 1e9)


time.time, time.time_ns = _skewed_time, _skewed_time_ns
dt.datetime = _SkewedDatetime  # type: ignore[misc]
