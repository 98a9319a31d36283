"""Where a race is kept: what every commit needs is worked out once for as long as it is in memory."""

from typing import Self

import msgspec

from wire import keys
from wire.clocks import DeadlineDue, SettleDue, to_text
from wire.ids import RaceId, TableId, parse_race_id


class Places(msgspec.Struct, frozen=True):
    """A race's keys, its entries in the clocks, and the channels it is told on."""

    race: RaceId
    bucket: int
    record: str
    log: str

    @classmethod
    def of(cls, race: RaceId) -> Self:
        """Work them out.

        Raises:
            ValueError: `race` is no race's id.
        """
        return cls(race, keys.bucket_of_race(race), keys.race_key(race), keys.log_key(race))

    @property
    def clocks(self) -> str:
        """The key of its bucket's clocks."""
        return keys.clocks_key(self.bucket)

    @property
    def leases(self) -> str:
        """The key of its bucket's leases."""
        return keys.leases_key(self.bucket)

    @property
    def table(self) -> str:
        """The key of its table."""
        return keys.table_key(self._table)

    @property
    def settle_entry(self) -> str:
        """Its entry in the clocks once it is over."""
        return to_text(SettleDue(self.race))

    @property
    def deadline_entry(self) -> str:
        """Its entry in the clocks for its deadline."""
        return to_text(DeadlineDue(self.race))

    @property
    def races_channel(self) -> str:
        """The channel on which its commits are told."""
        return keys.races_channel(self.bucket)

    @property
    def tables_channel(self) -> str:
        """The channel on which its table's commits are told."""
        return keys.tables_channel(self.bucket)

    def lease(self, seat: int) -> str:
        """Name the lease of one of the race's seats."""
        return keys.lease(self._table, seat)

    @property
    def _table(self) -> TableId:
        table, _ = parse_race_id(self.race)
        return table
