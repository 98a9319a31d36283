"""One table from a broken rule to its code, its words and its status; nothing is unmapped."""

import grpc
import pytest
from google.rpc import error_details_pb2

from engine import errors
from tilerace.refusal.v1 import refusal_pb2
from wire.refusal import RULES, WORDS, Refusal, Refused, grpc_code, of_rule, status_of

OURS = {errors.BadBoard, errors.BadSeed, errors.BadSeats, errors.NothingToUndo}
"""Errors that no client can cause in a race: raised, they are faults of ours."""


def test_every_broken_rule_is_mapped_or_known_to_be_a_fault_of_ours() -> None:
    assert set(errors.RuleBroken.__subclasses__()) == set(RULES) | OURS


def test_a_fault_of_ours_is_no_answer_to_a_client() -> None:
    with pytest.raises(errors.BadSeed):
        of_rule(errors.BadSeed(3))


def test_who_has_agreed_already_is_not_told_that_no_offer_stands() -> None:
    refused = of_rule(errors.AlreadyAnswered(1))
    assert refused.refusal is Refusal.NO_OFFER
    assert "agreed" in refused.message


def test_every_refusal_has_words_a_number_and_a_status() -> None:
    assert set(WORDS) == set(Refusal)
    numbers = {refusal.number for refusal in Refusal}
    assert numbers == set(refusal_pb2.Refusal.values()) - {0}
    assert max(numbers) < 255
    assert all(isinstance(grpc_code(refusal), grpc.StatusCode) for refusal in Refusal)


@pytest.mark.parametrize("refusal", Refusal)
def test_a_refusal_comes_back_from_its_number(refusal: Refusal) -> None:
    assert Refusal.from_number(refusal.number) is refusal


def test_a_number_that_no_refusal_has_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"UNSPECIFIED|not a valid"):
        Refusal.from_number(0)
    with pytest.raises(ValueError, match="200"):
        Refusal.from_number(200)


def test_a_status_carries_the_code_as_the_reason_of_its_error_info() -> None:
    status = status_of(Refused(Refusal.TABLE_FULL))
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.reason, info.domain) == ("TABLE_FULL", "tilerace")
    assert status.message == WORDS[Refusal.TABLE_FULL]
