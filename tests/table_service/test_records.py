"""Records of tables as release 0.1.0 stored them: every later release reads them (docs/architecture.md, rule 15).

The files in `records/` were written by 0.1.0 and are never written again.
"""

from pathlib import Path

import pytest

from table_service import record
from table_service.domain.table import FreedWhy, Phase, Table
from wire.ids import BrowserHash

RECORDS = Path(__file__).parent / "records"
ANN, BO, CY = (BrowserHash(bytes([letter]) * 32) for letter in b"abc")


def kept(name: str) -> Table:
    return record.decode((RECORDS / f"{name}-0.1.0.bin").read_bytes())


def test_a_gathering_table_of_0_1_0_is_read() -> None:
    table = kept("gathering")
    assert (table.phase, table.version, table.race) == (Phase.GATHERING, 7, None)
    assert [(seat, at.name, at.browser) for seat, at in table.occupied()] == [(1, "Ann", ANN), (3, "P3", CY)]
    assert [(freed.browser, freed.why) for freed in table.freed] == [(BO, FreedWhy.HOST)]
    assert table.outcomes == (bytes(range(16)),)


def test_a_racing_table_of_0_1_0_is_read() -> None:
    table = kept("racing")
    assert (table.phase, table.host, table.number) == (Phase.RACING, ANN, 1)
    assert table.race is not None
    assert (table.race.commitment, table.race.starts_at) == ("c0", 1_000_000)
    assert [at.leaving for _, at in table.occupied()] == [False, False, True]


def test_a_finished_table_of_0_1_0_is_read() -> None:
    table = kept("finished")
    assert (table.phase, table.halves(ANN), table.halves(BO)) == (Phase.FINISHED, 0, 2)


@pytest.mark.parametrize("name", ["gathering", "racing", "finished"])
def test_it_is_written_as_it_was(name: str) -> None:
    assert record.encode(kept(name)) == (RECORDS / f"{name}-0.1.0.bin").read_bytes()
