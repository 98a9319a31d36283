"""Frames of a client: read when in shape, refused with words when not."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from web_gateway.frames import client

GOOD: list[dict[str, Any]] = [
    {"type": "sit", "name": "Ann"},
    {"type": "leave"},
    {"type": "rename", "name": "Bo"},
    {"type": "ready", "ready": True},
    {"type": "free_seat", "seat": 2},
    {"type": "rules", "target": 2048, "clock_s": None},
    {"type": "start"},
    {"type": "slide", "race": 1, "n": 1, "direction": "left"},
    {"type": "resign", "race": 1},
    {"type": "offer", "race": 1},
    {"type": "answer", "race": 1, "agree": False},
    {"type": "race_on_without", "race": 1, "seat": 2},
    {"type": "play_again", "race": 1},
    {"type": "change_settings", "race": 1},
    {"type": "ping", "t": 12.5},
]
FIELDS = [(frame, field) for frame in GOOD for field in frame if field != "type"]
ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
ANYTHING = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


def test_each_type_of_frame_is_among_the_good_ones() -> None:
    kinds = {kind.__struct_config__.tag for kind in get_args(client.ClientFrame)}
    assert kinds == {frame["type"] for frame in GOOD}


@pytest.mark.parametrize("frame", GOOD, ids=lambda frame: str(frame["type"]))
def test_a_frame_in_shape_is_read(frame: dict[str, Any]) -> None:
    read = client.read(json.dumps(frame | {"id": "a-1"}))
    assert (client.kind_of(read), read.id) == (frame["type"], "a-1")


@pytest.mark.parametrize(
    ("frame", "field"), FIELDS, ids=lambda part: part if isinstance(part, str) else part["type"]
)
def test_a_field_that_is_missing_is_refused_unless_it_is_the_name_to_sit_with(
    frame: dict[str, Any], field: str
) -> None:
    text = json.dumps({name: value for name, value in frame.items() if name != field})
    if (frame["type"], field) == ("sit", "name"):
        assert client.read(text) == client.Sit()
        return
    with pytest.raises(client.Malformed) as malformed:
        client.read(text)
    assert malformed.value.of == frame["type"]
    assert field in malformed.value.message


@pytest.mark.parametrize(
    ("frame", "field"), FIELDS, ids=lambda part: part if isinstance(part, str) else part["type"]
)
@pytest.mark.parametrize("value", [{}, [], [1], {"a": 1}])
def test_a_field_of_another_kind_is_refused(frame: dict[str, Any], field: str, value: object) -> None:
    with pytest.raises(client.Malformed) as malformed:
        client.read(json.dumps(frame | {field: value}))
    assert malformed.value.of == frame["type"]


@pytest.mark.parametrize("frame", GOOD, ids=lambda frame: str(frame["type"]))
def test_a_field_nobody_knows_is_refused(frame: dict[str, Any]) -> None:
    with pytest.raises(client.Malformed, match="unknown field `extra`"):
        client.read(json.dumps(frame | {"extra": 1}))


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        ("slide", "n", 0),
        ("slide", "n", 2**32),
        ("slide", "n", 1.5),
        ("slide", "n", True),
        ("slide", "race", 0),
        ("slide", "race", 2**31),
        ("slide", "direction", "LEFT"),
        ("slide", "direction", 2),
        ("free_seat", "seat", 0),
        ("free_seat", "seat", 5),
        ("race_on_without", "seat", -1),
        ("ready", "ready", 1),
        ("answer", "agree", "yes"),
        ("sit", "name", 5),
        ("sit", "id", "x" * 65),
        ("sit", "id", 2**54),
        ("sit", "id", True),
        ("ping", "t", "now"),
        ("rules", "target", "2048"),
        ("rules", "clock_s", 2.5),
    ],
)
def test_a_value_out_of_bounds_is_refused(kind: str, field: str, value: object) -> None:
    frame = next(each for each in GOOD if each["type"] == kind)
    with pytest.raises(client.Malformed):
        client.read(json.dumps(frame | {field: value}))


@pytest.mark.parametrize(
    "text",
    ["", "null", "1", '"sit"', "[]", "{}", "{", '{"type":"sit"', '{"type":5}', '{"type":null}', '{"type":"Sit"}',
     '{"type":"ping","t":NaN}', '{"type":"ping","t":1e400}', '{"type":"sit","name":"\\ud800"}', "[" * 4000],
)  # fmt: skip
def test_what_is_no_frame_is_refused_with_words(text: str) -> None:
    with pytest.raises(client.Malformed) as malformed:
        client.read(text)
    assert malformed.value.message.endswith(".")


def test_a_malformed_slide_keeps_its_type_id_and_number() -> None:
    with pytest.raises(client.Malformed) as malformed:
        client.read('{"type":"slide","race":1,"n":7,"direction":"north","id":"s-7"}')
    assert (malformed.value.of, malformed.value.re, malformed.value.n) == ("slide", "s-7", 7)


def outcome(text: str) -> str:
    """Give the type that a text is read as, or the words it is refused with."""
    try:
        return client.kind_of(client.read(text))
    except client.Malformed as malformed:
        return malformed.message


@given(
    st.dictionaries(st.sampled_from(["type", "id", "name", "race", "n", "seat", "t"]), ANYTHING, max_size=5)
)
def test_any_object_is_read_or_refused(frame: dict[str, object]) -> None:
    found = outcome(json.dumps(frame))
    assert found == frame.get("type") or found.endswith(".")


@given(st.text(max_size=200))
def test_any_text_is_refused_with_words(text: str) -> None:
    assert outcome(text).endswith(".")
