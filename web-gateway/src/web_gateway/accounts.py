"""What addresses and browsers have asked for lately, each against its limits.

What one has spent here counts at once. Where it is much, the other gateways are told of it through the store, once a
second (`web_gateway.sharing`), and what is spent there counts here: so that many gateways are no more generous than
one, and a crowd of ordinary players costs the store nothing.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from web_gateway.limits import Limits, What
from web_gateway.pace import Pace

MOST_ACCOUNTS = 50_000
"""How many addresses, and how many browsers, are kept apart."""
SHARED = 250
"""How many accounts all the others share, each wide enough for its share of them."""
MUCH = 0.25
"""Which part of a burst, or of the sockets that may be open, is so much that other gateways are to know."""
KEY_BYTES = 16

Monotonic = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Notable:
    """What the other gateways are to know of: much that was spent, and those with many sockets."""

    buckets: "set[Bucket]" = field(default_factory=set)
    crowds: "set[Account]" = field(default_factory=set)


class Bucket(Pace):
    """A pace that is shared: what was `spent` since that was last told is told to the other gateways."""

    __slots__ = ("_much_s", "_notable", "account", "limit", "spent", "what")

    def __init__(self, account: "Account", what: What, *, notable: Notable) -> None:
        """Begin full; it puts itself among the `notable` once much was spent."""
        self.account, self.what, self.limit = account, what, account.limits.paces[what]
        super().__init__(self.limit.a_second, burst=self.limit.burst, monotonic=account.monotonic)
        self.spent = 0
        self._notable = notable
        self._much_s = self.limit.burst * MUCH / self.limit.a_second

    def allows(self) -> bool:
        """Tell whether one more may be, and count it if so."""
        short_s = self._take()
        if short_s is None:
            return False
        self.spent += 1
        if short_s > self._much_s:
            self._notable.buckets.add(self)
        return True

    @property
    def is_notable(self) -> bool:
        """Whether other gateways are still to know."""
        return self.short_s > self._much_s

    def take_spent(self) -> int:
        """Give what was spent since it was last told, without what has come back meanwhile."""
        spent, self.spent = self.spent, 0
        return min(spent, int(self.short_s * self.limit.a_second) + 1)

    def heard(self, short_s: float) -> None:
        """Take how long the bucket of all gateways takes to be full, and what was spent here since they were told.

        A store that lost what it was told gives nothing back: what was spent here counts here all the same.
        """
        self.short_s = max(self.short_s, short_s + self.spent / self.limit.a_second)


class Account:
    """One address, or one browser."""

    __slots__ = ("_buckets", "_notable", "_open", "elsewhere", "key", "limits", "monotonic")

    def __init__(self, key: bytes, limits: Limits, *, notable: Notable, monotonic: Monotonic) -> None:
        """Begin with nothing spent."""
        self.key, self.limits, self.monotonic = key, limits, monotonic
        self.elsewhere = 0
        """How many sockets it has at other gateways."""
        self._open = 0
        self._notable = notable
        self._buckets: dict[What, Bucket] = {}

    def allows(self, what: What) -> bool:
        """Tell whether one more may be, and count it if so."""
        return self.bucket(what).allows()

    def bucket(self, what: What) -> Bucket:
        """Give the bucket of one limit."""
        bucket = self._buckets.get(what)
        if bucket is None:
            bucket = self._buckets[what] = Bucket(self, what, notable=self._notable)
        return bucket

    def has_spent(self, what: What) -> bool:
        """Tell whether one more would be refused."""
        bucket = self._buckets.get(what)
        return bucket is not None and bucket.empty

    @property
    def sockets(self) -> int:
        """How many sockets it has here."""
        return self._open

    @property
    def is_full(self) -> bool:
        """Whether it has as many sockets as it may have."""
        return self._open + self.elsewhere >= self.limits.sockets

    def opened(self) -> None:
        """Count a socket."""
        self._open += 1
        if self._open >= self.limits.sockets * MUCH:
            self._notable.crowds.add(self)

    def closed(self) -> None:
        """Count it no longer."""
        self._open -= 1
        if self._open < self.limits.sockets * MUCH:
            self._notable.crowds.discard(self)
            self.elsewhere = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is lost where it is forgotten."""
        return not self._open and all(bucket.full for bucket in self._buckets.values())


class Accounts:
    """The accounts of all addresses, or of all browsers."""

    def __init__(
        self, kind: str, limits: Limits, *, notable: Notable, monotonic: Monotonic = time.monotonic
    ) -> None:
        """Begin with none; `kind` keeps the keys of one from those of the other."""
        self._kind, self._limits, self._notable = kind.encode(), limits, notable
        self._monotonic = monotonic
        self._known: dict[bytes, Account] = {}
        self._shared: dict[int, Account] = {}

    def of(self, who: bytes) -> Account:
        """Give somebody's account; where there are too many, one that is shared."""
        known = self._known.get(who)
        if known is not None:
            return known
        key = self._key(who)
        if len(self._known) < MOST_ACCOUNTS:
            known = self._known[who] = self._new(key, self._limits)
            return known
        at = key[0] % SHARED
        if at not in self._shared:
            self._shared[at] = self._new(
                self._key(b"shared %d" % at), self._limits.times(MOST_ACCOUNTS // SHARED)
            )
        return self._shared[at]

    def tidy(self) -> None:
        """Forget those that have nothing to remember."""
        self._known = {who: account for who, account in self._known.items() if not account.is_idle}

    def __len__(self) -> int:
        return len(self._known)

    def _new(self, key: bytes, limits: Limits) -> Account:
        return Account(key, limits, notable=self._notable, monotonic=self._monotonic)

    def _key(self, who: bytes) -> bytes:
        """Name an account for the store, where no address is to stand."""
        return hashlib.sha256(self._kind + b" " + who).digest()[:KEY_BYTES]
