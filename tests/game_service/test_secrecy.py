"""What goes to everyone has no field for a board, a slide or a seed (docs/architecture.md, rule 11)."""

import logging
from collections.abc import Iterator

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from tests.game_service.racing import SEED, a_deal, gateway, replica

from engine import Millis, Race
from game_service import messages
from tilerace.game.v1 import game_pb2


def fields(message: Descriptor) -> Iterator[FieldDescriptor]:
    """Walk a message's fields, those of its parts too."""
    for field in message.fields:
        yield field
        if field.message_type is not None:
            yield from fields(field.message_type)


@pytest.mark.parametrize(
    "message", [game_pb2.RaceNews, game_pb2.Standing, game_pb2.GetRaceResponse, game_pb2.DealResponse]
)
def test_what_everyone_hears_has_no_bytes_and_names_no_board(message: type[game_pb2.RaceNews]) -> None:
    found = list(fields(message.DESCRIPTOR))
    assert found
    assert not [field.full_name for field in found if field.type == FieldDescriptor.TYPE_BYTES]
    secret = {"cells", "board", "boards", "seed", "direction", "directions"}
    assert not [field.full_name for field in found if field.name in secret]


def test_a_race_that_goes_on_reveals_nothing() -> None:
    deal = a_deal()
    race = Race.deal(deal.seed, deal.rules, deal.seats, starts_at=Millis(0))
    with pytest.raises(ValueError, match="reveals nothing"):
        messages.reveal_event("K7QM2XWP.1", race)


async def test_no_stream_carries_anothers_board_or_the_seed_before_the_end(store_url: str) -> None:
    async with replica(store_url) as game, gateway(game) as gate, gateway(game) as watcher:
        await game.deal()
        await watcher.subscribe()
        racer = await gate.attach(1, seat=1)
        for _ in range(10):
            await gate.slide_once(racer)
        await watcher.news(lambda news: news.standings[0].slides == 10)
        told = b"".join(event.SerializeToString() for event in watcher.events)
        assert set(watcher.kinds) <= {"news"}
        assert racer.cells not in told
        assert bytes(SEED) not in told


async def test_logs_carry_neither_seed_nor_board_nor_name(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with replica(store_url) as game, gateway(game) as gate:
        await game.deal()
        racer = await gate.attach(1, seat=1)
        await gate.slide_once(racer)
        await gate.act(1, game_pb2.ACTION_RESIGN)
        await game.store.client.hset("{b00}:race:K7QM2XWP.1", "s", b"garbage")
    assert "Racer 1" not in caplog.text
    assert SEED.hex() not in caplog.text
    assert repr(racer.cells)[2:-1] not in caplog.text


def test_a_deal_and_a_race_do_not_show_their_seed() -> None:
    deal = a_deal()
    shown = repr(deal) + repr(Race.deal(deal.seed, deal.rules, deal.seats, starts_at=Millis(0)))
    assert SEED.hex() not in shown
    assert repr(bytes(SEED))[2:12] not in shown
