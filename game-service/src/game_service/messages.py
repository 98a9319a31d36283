"""Engine values as messages: what everyone may know of a race, and what its own racers may."""

from engine import OfferOutcome, Out, Race, Racer, RacerState, Reason, Rules, Verdict
from tilerace.game.v1 import game_pb2
from wire.refusal import Refusal, Refused

_STATES = {
    RacerState.SLIDING: game_pb2.RACER_STATE_SLIDING,
    RacerState.STUCK: game_pb2.RACER_STATE_STUCK,
    RacerState.OUT: game_pb2.RACER_STATE_OUT,
}
_OUTS = {
    Out.RESIGNED: game_pb2.OUT_RESIGNED,
    Out.LEFT_BEHIND: game_pb2.OUT_LEFT_BEHIND,
}
_REASONS = {
    Reason.TARGET: game_pb2.REASON_TARGET,
    Reason.LAST_IN_RACE: game_pb2.REASON_LAST_IN_RACE,
    Reason.ALL_STUCK: game_pb2.REASON_ALL_STUCK,
    Reason.OUTSCORED: game_pb2.REASON_OUTSCORED,
    Reason.TIME_UP: game_pb2.REASON_TIME_UP,
    Reason.AGREED: game_pb2.REASON_AGREED,
}
_OUTCOMES = {
    OfferOutcome.DECLINED: game_pb2.OFFER_OUTCOME_DECLINED,
    OfferOutcome.SLID: game_pb2.OFFER_OUTCOME_SLID,
    OfferOutcome.LAPSED: game_pb2.OFFER_OUTCOME_LAPSED,
    OfferOutcome.AGREED: game_pb2.OFFER_OUTCOME_AGREED,
}


def rules_from(message: game_pb2.Rules) -> Rules:
    """Read the rules of a race.

    Raises:
        BadRules: no race is raced by them.
    """
    return Rules(target=message.target or None, clock_ms=message.clock_ms or None)


def rules_message(rules: Rules) -> game_pb2.Rules:
    """Write the rules of a race."""
    return game_pb2.Rules(target=rules.target or 0, clock_ms=rules.clock_ms or 0)


def times_message(*, starts_at: int, deadline: int, ended_at: int) -> game_pb2.Times:
    """Write a race's times; 0 is none."""
    return game_pb2.Times(starts_at=starts_at, deadline=deadline, ended_at=ended_at)


def add_standings(message: game_pb2.RaceNews | game_pb2.GetRaceResponse, state: Race) -> None:
    """Write what everyone may know of the racers; a standing has no field for more."""
    add = message.standings.add
    for racer in state.racers:
        out = None if racer.out is None else _OUTS[racer.out]
        add(
            seat=racer.seat, score=racer.score, biggest=racer.biggest, slides=racer.slides,
            state=_STATES[racer.state], out=out,
        )  # fmt: skip


def verdict_message(verdict: Verdict) -> game_pb2.Verdict:
    """Write how a race ended."""
    return game_pb2.Verdict(winner=verdict.winner or 0, tied=verdict.tied, reason=_REASONS[verdict.reason])


def news_event(race: str, version: int, state: Race) -> game_pb2.LinkEvent:
    """Write how a race stands, for everyone who follows it."""
    event = game_pb2.LinkEvent()
    news = event.news
    news.race = race
    news.version = version
    add_standings(news, state)
    if state.offer is not None:
        news.offer.by = state.offer.by
        news.offer.agreed.extend(state.offer.agreed)
        news.offer.until = state.offer.until
    if state.last_offer is not None:
        news.last_offer.by = state.last_offer.by
        news.last_offer.outcome = _OUTCOMES[state.last_offer.outcome]
        news.last_offer.seat = state.last_offer.seat or 0
    if state.verdict is not None:
        news.verdict.CopyFrom(verdict_message(state.verdict))
    return event


def reveal_event(race: str, state: Race) -> game_pb2.LinkEvent:
    """Write what was secret, once the race is over; only this makes a Reveal.

    Raises:
        ValueError: the race is not over.
    """
    if state.verdict is None:
        raise ValueError("a race that is not over reveals nothing")
    boards = [game_pb2.RevealedBoard(seat=racer.seat, cells=racer.board.cells) for racer in state.racers]
    return game_pb2.LinkEvent(reveal=game_pb2.Reveal(race=race, seed=state.seed, boards=boards))


def attached_event(handle: int, racer: Racer) -> game_pb2.LinkEvent:
    """Write a racer's own board, for the one stream that holds its socket."""
    return game_pb2.LinkEvent(
        attached=game_pb2.Attached(
            handle=handle,
            seat=racer.seat,
            slides=racer.slides,
            cells=racer.board.cells,
            score=racer.score,
            stuck=racer.stuck,
        )
    )


def detached_event(handle: int, refusal: Refusal) -> game_pb2.LinkEvent:
    """Say that a handle is bound no more, or never was."""
    return game_pb2.LinkEvent(detached=game_pb2.Detached(handle=handle, refusal=refusal.number))


def acted_event(handle: int, call: int, refused: Refused | None) -> game_pb2.LinkEvent:
    """Answer an act: done, or refused in words."""
    acted = game_pb2.Acted(handle=handle, call=call)
    if refused is not None:
        acted.refusal = refused.refusal.number
        acted.message = refused.message
    return game_pb2.LinkEvent(acted=acted)
