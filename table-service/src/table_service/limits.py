"""What askers have spent at all gateways, added up in the store (docs/architecture.md, rule 14).

Who may ask for how much the gateways know; here they are numbers under keys that tell nothing.
"""

from itertools import groupby

from table_service.scripts import LIMITS
from table_service.settings import GATEWAY_LIVES_MS
from tilerace.table.v1 import table_pb2
from wire import keys
from wire.refusal import Refusal, Refused
from wire.store import Argument, Reply, Store, StoreError

MOST = 1_000
"""How many limits one call may be about."""
MOST_SPENT = 1_000_000
MOST_US = 1_000_000_000
"""How long one may take to come back."""
KEY_BYTES = 16


class Limits:
    """Adds up what gateways tell."""

    def __init__(self, store: Store) -> None:
        """Keep it in this store."""
        self._store = store

    async def share(self, request: table_pb2.ShareLimitsRequest) -> table_pb2.ShareLimitsResponse:
        """Add what one gateway tells to what the others have told, and give the sums.

        Raises:
            Refused: BAD_REQUEST, for what no gateway tells.
            StoreError: the store did not answer.
        """
        if (
            len(request.gateway) != KEY_BYTES
            or len(request.spent) > MOST
            or not all(map(_is_sane, request.spent))
        ):
            raise Refused(Refusal.BAD_REQUEST, "Limits are told of as a gateway of ours does.")
        shared: dict[int, table_pb2.Shared] = {}
        numbered = sorted(enumerate(request.spent), key=lambda each: self._group(each[1]))
        for _, group in groupby(numbered, key=lambda each: self._group(each[1])):
            told = list(group)
            answers = await self._add(request.gateway, [spent for _, spent in told])
            shared.update({at: answer for (at, _), answer in zip(told, answers, strict=True)})
        return table_pb2.ShareLimitsResponse(shared=[shared[at] for at in range(len(request.spent))])

    def _group(self, spent: table_pb2.Spent) -> int:
        return self._store.group(keys.limit_bucket(spent.key))

    async def _add(self, gateway: bytes, told: list[table_pb2.Spent]) -> list[table_pb2.Shared]:
        arguments: list[Argument] = [gateway.hex(), GATEWAY_LIVES_MS]
        for spent in told:
            arguments += [spent.each_us, spent.burst, spent.spent, spent.open]
        reply = await self._store.run(LIMITS, [keys.limit_key(spent.key) for spent in told], arguments)
        if not isinstance(reply, list) or len(reply) != len(told):
            raise StoreError("the sum of limits was answered in another shape")
        return [_shared(each) for each in reply]


def _shared(reply: Reply) -> table_pb2.Shared:
    match reply:
        case [int(short_us), int(elsewhere)]:
            return table_pb2.Shared(short_us=short_us, elsewhere=elsewhere)
        case _:
            raise StoreError("the sum of a limit was answered in another shape")


def _is_sane(spent: table_pb2.Spent) -> bool:
    return (
        len(spent.key) == KEY_BYTES
        and 0 <= spent.each_us <= MOST_US
        and all(0 <= number <= MOST_SPENT for number in (spent.burst, spent.spent, spent.open))
    )
