"""Acts that already hold: a repeat of one is done, not refused (docs/architecture.md, "The hot path")."""

from engine import OfferOutcome, Out, Race, Racer
from tilerace.game.v1 import game_pb2


def holds_already(race: Race, racer: Racer, action: game_pb2.Action.ValueType) -> bool:
    """Tell whether a racer's act has happened before, so that a frame sent again changes nothing."""
    match action:
        case game_pb2.ACTION_RESIGN:
            return racer.out is Out.RESIGNED
        case game_pb2.ACTION_OFFER:
            return race.offer is not None and race.offer.by == racer.seat
        case game_pb2.ACTION_AGREE:
            return _has_agreed(race, racer)
        case game_pb2.ACTION_DECLINE:
            return _has_declined(race, racer)
        case _:
            return False


def _has_agreed(race: Race, racer: Racer) -> bool:
    if race.offer is not None:
        return racer.seat in race.offer.agreed
    closed = race.last_offer
    return closed is not None and closed.outcome is OfferOutcome.AGREED and racer.out is None


def _has_declined(race: Race, racer: Racer) -> bool:
    closed = race.last_offer
    return (
        race.offer is None
        and closed is not None
        and closed.outcome is OfferOutcome.DECLINED
        and closed.seat == racer.seat
    )
