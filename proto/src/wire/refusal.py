"""Refusals: the one table from a broken rule to its code, its words and its gRPC status.

A refusal is no fault of anybody's program: it is an answer. `Refused` carries it through a service;
`status_of` and `from_rpc_error` carry it through gRPC as a google.rpc.Status with an ErrorInfo.
"""

from enum import StrEnum
from typing import NoReturn

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from engine import errors
from tilerace.refusal.v1 import refusal_pb2

DOMAIN = "tilerace"
_PREFIX = "REFUSAL_"


class Refusal(StrEnum):
    """Why something asked for was refused, as clients read it; the numbers are those of refusal.proto."""

    NOT_SEATED = "NOT_SEATED"
    ALREADY_SEATED = "ALREADY_SEATED"
    NOT_HOST = "NOT_HOST"
    NOT_ALL_READY = "NOT_ALL_READY"
    NO_FRIEND_SEATED = "NO_FRIEND_SEATED"
    TABLE_FULL = "TABLE_FULL"
    SEAT_EMPTY = "SEAT_EMPTY"
    BAD_NAME = "BAD_NAME"
    BAD_RULES = "BAD_RULES"
    NOT_GATHERING = "NOT_GATHERING"
    RACE_NOT_RUNNING = "RACE_NOT_RUNNING"
    RACE_MOVED_ON = "RACE_MOVED_ON"
    NOT_STARTED_YET = "NOT_STARTED_YET"
    RACE_OVER = "RACE_OVER"
    NOT_A_RACER = "NOT_A_RACER"
    OUT_OF_RACE = "OUT_OF_RACE"
    RACER_STUCK = "RACER_STUCK"
    SLIDE_CHANGES_NOTHING = "SLIDE_CHANGES_NOTHING"
    SLIDE_OUT_OF_ORDER = "SLIDE_OUT_OF_ORDER"
    SLIDE_CONFLICT = "SLIDE_CONFLICT"
    NO_OFFER = "NO_OFFER"
    OFFER_STANDS = "OFFER_STANDS"
    OFFER_TOO_SOON = "OFFER_TOO_SOON"
    STILL_CONNECTED = "STILL_CONNECTED"
    GRACE_NOT_OVER = "GRACE_NOT_OVER"
    ALONE = "ALONE"
    TABLE_UNKNOWN = "TABLE_UNKNOWN"
    BAD_FRAME = "BAD_FRAME"
    TOO_FAST = "TOO_FAST"
    UNAVAILABLE = "UNAVAILABLE"
    BAD_REQUEST = "BAD_REQUEST"
    RACE_NOT_OVER = "RACE_NOT_OVER"
    TOO_MANY_REQUESTS = "TOO_MANY_REQUESTS"
    MOVED = "MOVED"

    @property
    def number(self) -> "refusal_pb2.Refusal.ValueType":
        """The number it has in messages and packed answers, 1 to 254."""
        return refusal_pb2.Refusal.Value(_PREFIX + self.value)

    @classmethod
    def from_number(cls, number: int) -> "Refusal":
        """Read a number.

        Raises:
            ValueError: no refusal has it.
        """
        return cls(refusal_pb2.Refusal.Name(refusal_pb2.Refusal.ValueType(number)).removeprefix(_PREFIX))


WORDS: dict[Refusal, str] = {
    Refusal.NOT_SEATED: "You have no seat at this table. Take one first.",
    Refusal.ALREADY_SEATED: "You have a seat at this table already.",
    Refusal.NOT_HOST: "Only the host can do that.",
    Refusal.NOT_ALL_READY: "Not everyone is ready yet.",
    Refusal.NO_FRIEND_SEATED: "It takes at least one friend. Send someone the link.",
    Refusal.TABLE_FULL: "All four seats are taken. You can watch.",
    Refusal.SEAT_EMPTY: "Nobody sits there.",
    Refusal.BAD_NAME: "A name has 1 to 20 characters that can be seen, no hidden ones, and no heaps of marks.",
    Refusal.BAD_RULES: "The target is none or a tile from 64 to 8192, the clock none or one of those on offer.",
    Refusal.NOT_GATHERING: "That can only be done before the start.",
    Refusal.RACE_NOT_RUNNING: "No race is running.",
    Refusal.RACE_MOVED_ON: "That was for another race of this table.",
    Refusal.NOT_STARTED_YET: "The boards are not alive yet. Wait for the countdown.",
    Refusal.RACE_OVER: "The race is over.",
    Refusal.NOT_A_RACER: "You are not in this race.",
    Refusal.OUT_OF_RACE: "You are out of this race.",
    Refusal.RACER_STUCK: "That board is stuck; its score stands.",
    Refusal.SLIDE_CHANGES_NOTHING: "That slide moves nothing.",
    Refusal.SLIDE_OUT_OF_ORDER: "A slide before this one is missing. Number it anew and send it again.",
    Refusal.SLIDE_CONFLICT: "That slide was already made in another direction.",
    Refusal.NO_OFFER: "No offer of a draw stands.",
    Refusal.OFFER_STANDS: "An offer of a draw stands already.",
    Refusal.OFFER_TOO_SOON: "Offer again after 10 more of your own slides, or 20 seconds.",
    Refusal.STILL_CONNECTED: "They are still connected.",
    Refusal.GRACE_NOT_OVER: "They still have time to come back.",
    Refusal.ALONE: "It takes two who are connected to race again.",
    Refusal.TABLE_UNKNOWN: "There is no such table. It may be gone: tables last 24 hours after the last visit.",
    Refusal.BAD_FRAME: "That message is not one this server knows.",
    Refusal.TOO_FAST: "That is too fast. Slow down a little.",
    Refusal.UNAVAILABLE: "This cannot be done right now. Try again in a moment.",
    Refusal.BAD_REQUEST: "That request is not one this server knows.",
    Refusal.RACE_NOT_OVER: "The race is not over yet.",
    Refusal.TOO_MANY_REQUESTS: "Too much was asked from here at once. Wait a moment.",
    Refusal.MOVED: "You went on in another tab.",
}


class NameFault(StrEnum):
    """What is wrong with a name, in words that go with a BAD_NAME."""

    UNSEEN = "A name needs at least one character that can be seen. Write one."
    LONG = "That name has more than 20 characters; an emoji may count as several. Make it shorter."
    HIDDEN = (
        "That name holds a character that is hidden or not known here. Leave it out, or write the name anew."
    )
    HEAPED = "That name has too many marks on one letter. Take some away."


class Refused(Exception):
    """What was asked for is refused: `refusal` says why in one word, `message` in words for a person."""

    def __init__(self, refusal: Refusal, message: str | None = None) -> None:
        """Refuse, in the table's words unless better ones are at hand."""
        self.refusal = refusal
        self.message = message or WORDS[refusal]
        super().__init__(self.message)


RULES: dict[type[errors.RuleBroken], Refusal] = {
    errors.BadRules: Refusal.BAD_RULES,
    errors.NotStartedYet: Refusal.NOT_STARTED_YET,
    errors.RaceOver: Refusal.RACE_OVER,
    errors.NotARacer: Refusal.NOT_A_RACER,
    errors.OutOfRace: Refusal.OUT_OF_RACE,
    errors.RacerStuck: Refusal.RACER_STUCK,
    errors.SlideChangesNothing: Refusal.SLIDE_CHANGES_NOTHING,
    errors.NoOffer: Refusal.NO_OFFER,
    errors.AlreadyAnswered: Refusal.NO_OFFER,
    errors.OfferStands: Refusal.OFFER_STANDS,
    errors.OfferTooSoon: Refusal.OFFER_TOO_SOON,
}
"""Which refusal a broken rule is. Engine errors that a race cannot raise (a bad board, a bad seed) are not here."""


BETTER_WORDS: dict[type[errors.RuleBroken], str] = {
    errors.AlreadyAnswered: "You have agreed to this offer already. Wait for the others.",
}
"""Words for rules that share a refusal with another, where the refusal's own would mislead."""


def of_rule(error: errors.RuleBroken) -> Refused:
    """Turn an engine's error into the refusal that clients read.

    Raises:
        RuleBroken: `error` itself, where it is a fault of ours and no answer to a client.
    """
    refusal = RULES.get(type(error))
    if refusal is None:
        raise error
    return Refused(refusal, BETTER_WORDS.get(type(error)))


_STATUS: dict[Refusal, grpc.StatusCode] = {
    Refusal.BAD_NAME: grpc.StatusCode.INVALID_ARGUMENT,
    Refusal.BAD_RULES: grpc.StatusCode.INVALID_ARGUMENT,
    Refusal.BAD_REQUEST: grpc.StatusCode.INVALID_ARGUMENT,
    Refusal.BAD_FRAME: grpc.StatusCode.INVALID_ARGUMENT,
    Refusal.TABLE_UNKNOWN: grpc.StatusCode.NOT_FOUND,
    Refusal.SEAT_EMPTY: grpc.StatusCode.NOT_FOUND,
    Refusal.TOO_FAST: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Refusal.TOO_MANY_REQUESTS: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Refusal.UNAVAILABLE: grpc.StatusCode.UNAVAILABLE,
    Refusal.NOT_HOST: grpc.StatusCode.PERMISSION_DENIED,
    Refusal.NOT_A_RACER: grpc.StatusCode.PERMISSION_DENIED,
    Refusal.NOT_SEATED: grpc.StatusCode.PERMISSION_DENIED,
}


def grpc_code(refusal: Refusal) -> grpc.StatusCode:
    """Give the gRPC status of a refusal; most are FAILED_PRECONDITION."""
    return _STATUS.get(refusal, grpc.StatusCode.FAILED_PRECONDITION)


def status_of(refused: Refused) -> status_pb2.Status:
    """Write a refusal as google.rpc.Status with an ErrorInfo (https://google.aip.dev/193)."""
    detail = AnyMessage()
    detail.Pack(error_details_pb2.ErrorInfo(reason=refused.refusal.value, domain=DOMAIN))
    code: tuple[int, str] = grpc_code(refused.refusal).value
    return status_pb2.Status(code=code[0], message=refused.message, details=[detail])


async def abort(context: "grpc.aio.ServicerContext[object, object]", refused: Refused) -> NoReturn:
    """End a unary call with a refusal.

    Raises:
        grpc.aio.AbortError: always; it is how gRPC ends a call.
    """
    status = rpc_status.to_status(status_of(refused))
    await context.abort(status.code, status.details, tuple(status.trailing_metadata))
    raise AssertionError("abort returned")


def from_rpc_error(error: grpc.aio.AioRpcError) -> Refused | None:
    """Read the refusal a call ended with, or None where it failed for another reason."""
    trailing = dict(error.trailing_metadata() or ())
    packed = trailing.get("grpc-status-details-bin")
    if not isinstance(packed, bytes):
        return None
    try:
        return _refused(packed, error.details())
    except DecodeError:  # by whoever stands in between
        return None


def _refused(packed: bytes, words: str | None) -> Refused | None:
    for detail in status_pb2.Status.FromString(packed).details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info) and info.domain == DOMAIN and info.reason in Refusal.__members__:
            return Refused(Refusal(info.reason), words)
    return None
