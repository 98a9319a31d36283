"""Ids, keys, clock entries and packed slides: what is written is read back, and nothing else is read."""

import doctest
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire import batching, clocks, ids, keys, news, node, routing, slides
from wire.clock import WINDOW_MS, StoreClock
from wire.clocks import DeadlineDue, DealDue, Entry, ExpireDue, PresenceDue, ResignDue, SettleDue
from wire.ids import RaceId, TableId
from wire.slides import Answer, PackedSlide

TABLE_IDS = st.text(ids.ALPHABET, min_size=8, max_size=8).map(TableId)
RACE_IDS = st.builds(ids.race_id, TABLE_IDS, st.integers(1, 999_999_999))


@pytest.mark.parametrize("module", [batching, clocks, ids, keys, news, node, routing, slides])
def test_the_examples_in_the_docs_hold(module: object) -> None:
    found = doctest.testmod(module)  # type: ignore[arg-type]
    assert found.failed == 0


@given(TABLE_IDS)
def test_a_table_id_is_read_in_any_case_and_with_a_dash(table: TableId) -> None:
    for written in (table, table.lower(), f"{table[:4]}-{table[4:]}"):
        assert ids.parse_table_id(written) == table


@given(st.text(max_size=12))
def test_what_is_read_as_a_table_id_is_canonical(text: str) -> None:
    read = ids.parse_table_id(text)
    assert read is None or (len(read) == 8 and set(read) <= set(ids.ALPHABET))


def test_new_ids_are_table_ids_and_differ() -> None:
    made = {ids.new_table_id() for _ in range(200)}
    assert len(made) == 200
    assert all(ids.parse_table_id(table) == table for table in made)


@given(RACE_IDS)
def test_a_race_id_is_read_back(race: RaceId) -> None:
    table, number = ids.parse_race_id(race)
    assert ids.race_id(table, number) == race


@pytest.mark.parametrize(
    "text",
    ["", "K7QM2XWP", "K7QM2XWP.", "K7QM2XWP.0", "K7QM2XWP.01", "k7qm2xwp.1", "K7QM2XWP.1.2", "K7QM2XWP.-1"],
)
def test_what_is_no_race_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no race's id"):
        ids.parse_race_id(text)


@given(RACE_IDS)
def test_all_keys_of_a_table_carry_the_same_hash_tag(race: RaceId) -> None:
    table, _ = ids.parse_race_id(race)
    bucket = keys.bucket_of(table)
    made = [
        keys.race_key(race), keys.log_key(race), keys.table_key(table), keys.clocks_key(bucket),
        keys.leases_key(bucket), keys.gateways_key(bucket), keys.watchers_key(table), keys.sweep_key(bucket),
        keys.races_channel(bucket), keys.tables_channel(bucket),
    ]  # fmt: skip
    assert {re.match(r"\{b(0\d|1[0-5])\}:", key).group() for key in made} == {f"{keys.tag(bucket)}:"}  # type: ignore[union-attr]


def test_tables_spread_evenly_over_the_buckets() -> None:
    counts = [0] * keys.BUCKETS
    for number in range(16_000):
        counts[keys.bucket_of(TableId(f"{number:08}"))] += 1
    assert min(counts) > 850
    assert max(counts) < 1150


ENTRIES: st.SearchStrategy[Entry] = st.one_of(
    st.builds(DealDue, RACE_IDS),
    st.builds(DeadlineDue, RACE_IDS),
    st.builds(SettleDue, RACE_IDS),
    st.builds(ResignDue, RACE_IDS, st.integers(1, 4)),
    st.builds(PresenceDue, TABLE_IDS),
    st.builds(ExpireDue, TABLE_IDS),
)


@given(ENTRIES)
def test_an_entry_of_the_clocks_is_read_back(entry: Entry) -> None:
    assert clocks.from_text(clocks.to_text(entry)) == entry


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("deal:K7QM2XWP.3", DealDue(RaceId("K7QM2XWP.3"))),
        ("deadline:K7QM2XWP.3", DeadlineDue(RaceId("K7QM2XWP.3"))),
        ("settle:K7QM2XWP.3", SettleDue(RaceId("K7QM2XWP.3"))),
        ("resign:K7QM2XWP.3:4", ResignDue(RaceId("K7QM2XWP.3"), 4)),
        ("presence:K7QM2XWP", PresenceDue(TableId("K7QM2XWP"))),
        ("expire:K7QM2XWP", ExpireDue(TableId("K7QM2XWP"))),
    ],
)
def test_an_entry_of_release_0_1_0_is_read_and_written_as_it_was(text: str, entry: Entry) -> None:
    assert clocks.from_text(text) == entry
    assert clocks.to_text(entry) == text


@pytest.mark.parametrize(
    "text", ["", "deal", "deal:", "deal:X", "wake:K7QM2XWP", "resign:K7QM2XWP.1:5", "expire:k7qm2xwp"]
)
def test_what_is_no_entry_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"no|is"):
        clocks.from_text(text)


U32 = st.integers(0, 2**32 - 1)
BYTE = st.integers(0, 255)
CELL = st.integers(0, 15)
ANSWERS = st.builds(
    Answer, U32, U32, BYTE, st.integers(0, 3), U32, U32, st.booleans(), st.binary(min_size=16, max_size=16), U32, CELL,
    st.integers(0, 2), st.lists(st.tuples(CELL, CELL, st.booleans()), max_size=12).map(tuple),
)  # fmt: skip


@given(st.lists(st.builds(PackedSlide, U32, U32, st.integers(0, 3)), max_size=20))
def test_packed_slides_are_read_back(many: list[PackedSlide]) -> None:
    assert list(slides.unpack_slides(slides.pack_slides(many))) == many


@given(st.lists(ANSWERS, max_size=10))
def test_packed_answers_are_read_back(many: list[Answer]) -> None:
    assert list(slides.unpack_answers(b"".join(map(slides.pack_answer, many)))) == many


@given(ANSWERS, st.data())
def test_an_answer_cut_short_is_an_error(answer: Answer, data: st.DataObject) -> None:
    packed = slides.pack_answer(answer)
    with pytest.raises(ValueError, match="cut short"):
        list(slides.unpack_answers(packed[: data.draw(st.integers(1, len(packed) - 1))]))


def test_a_slide_cut_short_or_in_no_direction_is_an_error() -> None:
    packed = slides.pack_slides([PackedSlide(1, 2, 3)])
    with pytest.raises(ValueError, match="whole number"):
        list(slides.unpack_slides(packed[:-1]))
    with pytest.raises(ValueError, match="no direction"):
        list(slides.unpack_slides(packed[:-1] + b"\x04"))


def test_news_lines_of_another_release_are_left_out() -> None:
    assert news.read(b"K7QM2XWP.1 7\n!\nnoise\nK7QM2XWP.2 x\nK7QM2XWP.3 9") == [
        ("K7QM2XWP.1", 7),
        ("K7QM2XWP.3", 9),
    ]


def test_the_clock_believes_what_travelled_least_and_goes_on_by_itself() -> None:
    here = [100.0]
    clock = StoreClock(lambda: here[0])
    clock.heard(5_000_000)
    here[0] += 1
    clock.heard(5_000_900)  # this one was 100 ms on its way
    assert clock.now() == 5_001_000
    here[0] += 2
    assert clock.now() == 5_003_000


def test_the_clock_follows_a_store_that_was_set_back() -> None:
    here = [100.0]
    clock = StoreClock(lambda: here[0])
    clock.heard(5_000_000)
    for _ in range(3):
        here[0] += WINDOW_MS / 1000 + 1
        clock.heard(int(here[0] * 1000))
    assert clock.now() == int(here[0] * 1000)
