"""Where a race is kept, worked out once for as long as it is in memory."""

from dataclasses import dataclass
from typing import Self

from wire import keys
from wire.clocks import DeadlineDue, SettleDue, to_text
from wire.ids import RaceId, parse_race_id


@dataclass(frozen=True, slots=True)
class Places:
    """A race's keys, its entries in the clocks, and the channels it is told on."""

    race: RaceId
    bucket: int
    record: str
    log: str
    clocks: str
    leases: str
    table: str
    settle_entry: str
    deadline_entry: str
    races_channel: str
    tables_channel: str

    @classmethod
    def of(cls, race: RaceId) -> Self:
        """Work them out.

        Raises:
            ValueError: `race` is no race's id.
        """
        table, _ = parse_race_id(race)
        bucket = keys.bucket_of(table)
        return cls(
            race=race,
            bucket=bucket,
            record=keys.race_key(race),
            log=keys.log_key(race),
            clocks=keys.clocks_key(bucket),
            leases=keys.leases_key(bucket),
            table=keys.table_key(table),
            settle_entry=to_text(SettleDue(race)),
            deadline_entry=to_text(DeadlineDue(race)),
            races_channel=keys.races_channel(bucket),
            tables_channel=keys.tables_channel(bucket),
        )

    def lease(self, seat: int) -> str:
        """Name the lease of one of the race's seats."""
        return keys.lease(parse_race_id(self.race)[0], seat)
