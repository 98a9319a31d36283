"""The rules of tilerace: boards, slides, draws and races as pure functions.

Nothing here does I/O, reads a clock or draws at random: time and seeds are arguments.
"""

from engine import errors
from engine.board import Board
from engine.draws import Draw, Draws, Seed, commitment, draw, place, start_board
from engine.game import Game
from engine.log import (
    AnswerEvent,
    Event,
    ExpireEvent,
    LapseEvent,
    LeftBehindEvent,
    LogEntry,
    OfferEvent,
    ResignEvent,
    SlideEvent,
    apply,
    replay,
)
from engine.offer import ClosedOffer, Offer, OfferOutcome
from engine.race import Race, Slid
from engine.rules import Millis, Rules, Seat
from engine.slide import Direction, Motion, Slide, can_slide, slide
from engine.standing import Out, Racer, RacerState, Standing
from engine.verdict import Reason, Verdict

__all__ = [
    "AnswerEvent",
    "Board",
    "ClosedOffer",
    "Direction",
    "Draw",
    "Draws",
    "Event",
    "ExpireEvent",
    "Game",
    "LapseEvent",
    "LeftBehindEvent",
    "LogEntry",
    "Millis",
    "Motion",
    "Offer",
    "OfferEvent",
    "OfferOutcome",
    "Out",
    "Race",
    "Racer",
    "RacerState",
    "Reason",
    "ResignEvent",
    "Rules",
    "Seat",
    "Seed",
    "Slid",
    "Slide",
    "SlideEvent",
    "Standing",
    "Verdict",
    "apply",
    "can_slide",
    "commitment",
    "draw",
    "errors",
    "place",
    "replay",
    "slide",
    "start_board",
]
