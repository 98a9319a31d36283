"""Whether the addresses that one service is told fit together: each is of one thing only."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from wire.metrics import LISTEN as METRICS
from wire.settings import Address, Environment, SettingsError

_ALL = frozenset({"0.0.0.0", "::"})
_HERE = _ALL | {"127.0.0.1", "::1", "localhost"}


def check(env: Environment, setting: str, listen: Address, targets: Mapping[str, Sequence[Address]]) -> None:
    """See that a service that listens there serves no metrics there, and calls neither itself nor one for another.

    Args:
        env: has the address of metrics, too.
        setting: the variable that `listen` came from.
        listen: where the service is served.
        targets: where it finds others, by the variables that said so.

    Raises:
        SettingsError: two of them are the same place.
    """
    metrics = env.optional_address(METRICS)
    if metrics is not None and _meet(metrics, listen):
        raise SettingsError(f"{METRICS} is {str(metrics)!r}, where {setting} is, too; choose another port.")
    for name, addresses in targets.items():
        for address in addresses:
            if _is_at(address, listen):
                raise SettingsError(
                    f"{name} is {str(address)!r}, where this service itself listens ({setting})."
                )
    for (one, these), (other, those) in combinations(targets.items(), 2):
        for address in set(these) & set(those):
            raise SettingsError(f"{one} and {other} are both {str(address)!r}; each is a service of its own.")


def _meet(one: Address, other: Address) -> bool:
    """Whether nobody can listen at both."""
    is_same = one.host == other.host or not _ALL.isdisjoint((one.host, other.host))
    return one.port == other.port != 0 and is_same


def _is_at(target: Address, listen: Address) -> bool:
    """Whether who calls one address reaches whoever listens at the other on this machine."""
    is_same = target.host == listen.host or (target.host in _HERE and listen.host in _ALL)
    return target.port == listen.port and is_same
