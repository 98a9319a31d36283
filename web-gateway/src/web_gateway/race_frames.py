"""Race messages as frames, word by word. What is unspecified is a fault of the peer, and raises KeyError."""

from tilerace.game.v1 import game_pb2
from web_gateway.answers import Snapshot, values_of
from web_gateway.frames import server
from web_gateway.frames.server import Reason
from wire.ids import RaceId, parse_race_id

_REASONS: dict[game_pb2.Reason.ValueType, Reason] = {
    game_pb2.REASON_TARGET: "TARGET",
    game_pb2.REASON_LAST_IN_RACE: "LAST_IN_RACE",
    game_pb2.REASON_ALL_STUCK: "ALL_STUCK",
    game_pb2.REASON_OUTSCORED: "OUTSCORED",
    game_pb2.REASON_TIME_UP: "TIME_UP",
    game_pb2.REASON_AGREED: "AGREED",
}


def number_of(race: RaceId) -> int:
    """Give a race's number at its table."""
    return parse_race_id(race)[1]


def race_frame(number: int, news: game_pb2.RaceNews, *, now: int) -> server.Race:
    """Write how a race stands."""
    return server.Race(
        race=number,
        version=news.version,
        standings=tuple(_standing(each) for each in news.standings),
        offer=_offer(news.offer) if news.HasField("offer") else None,
        last_offer=_last_offer(news.last_offer) if news.HasField("last_offer") else None,
        verdict=verdict_of(news.verdict) if news.HasField("verdict") else None,
        now=now,
    )


def reveal_frame(number: int, reveal: game_pb2.Reveal) -> server.Reveal:
    """Write what was secret."""
    boards = tuple(
        server.RevealedBoard(seat=board.seat, cells=values_of(board.cells)) for board in reveal.boards
    )
    return server.Reveal(race=number, seed=reveal.seed.hex(), boards=boards)


def snapshot_of(attached: game_pb2.Attached) -> Snapshot:
    """Read the board that an attached socket begins with."""
    return Snapshot(attached.slides, attached.cells, attached.score, attached.stuck)


def rules_frame(rules: game_pb2.Rules) -> server.Rules:
    """Write rules; 0 is none."""
    return server.Rules(target=rules.target or None, clock_s=rules.clock_ms // 1000 or None)


def verdict_of(verdict: game_pb2.Verdict) -> server.Verdict:
    """Write how a race ended."""
    return server.Verdict(
        winner=verdict.winner or None, tied=tuple(verdict.tied), reason=_REASONS[verdict.reason]
    )


def _standing(standing: game_pb2.Standing) -> server.Standing:
    seat, score, biggest, slides = standing.seat, standing.score, standing.biggest, standing.slides
    match standing.state:
        case game_pb2.RACER_STATE_SLIDING:
            return server.Standing(seat=seat, score=score, biggest=biggest, slides=slides, state="sliding")
        case game_pb2.RACER_STATE_STUCK:
            return server.Standing(seat=seat, score=score, biggest=biggest, slides=slides, state="stuck")
        case game_pb2.RACER_STATE_OUT:
            out: server.OutWord = "left_behind" if standing.out == game_pb2.OUT_LEFT_BEHIND else "resigned"
            return server.Standing(
                seat=seat, score=score, biggest=biggest, slides=slides, state="out", out=out
            )
        case unknown:
            raise KeyError(unknown)


def _offer(offer: game_pb2.Offer) -> server.Offer:
    return server.Offer(by=offer.by, agreed=tuple(offer.agreed), until=offer.until)


_OUTCOMES: dict[game_pb2.OfferOutcome.ValueType, server.OfferOutcome] = {
    game_pb2.OFFER_OUTCOME_DECLINED: "declined",
    game_pb2.OFFER_OUTCOME_SLID: "slid",
    game_pb2.OFFER_OUTCOME_LAPSED: "lapsed",
    game_pb2.OFFER_OUTCOME_AGREED: "agreed",
}


def _last_offer(closed: game_pb2.ClosedOffer) -> server.LastOffer:
    return server.LastOffer(by=closed.by, outcome=_OUTCOMES[closed.outcome], seat=closed.seat or None)
