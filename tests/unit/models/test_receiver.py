"""A reply as it arrives, put together of its pieces: text and tool calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import SecretStr

from core.models import stream_events
from core.models.bounds import OutOfBounds
from core.models.receiver import MOST_CALLS, MOST_CHARACTERS, Receiver, ToolCalls
from core.models.stream_events import Piece, ReplyEvents
from core.models.structured_replies import parse
from core.skills.choose_tool import ToolRequests
from core.trace.events import ListTracer, Token


def test_a_run_of_blanks_has_an_end_and_what_was_shown_stays_its_beginning() -> None:
    tracer = ListTracer()
    receiver = Receiver("call", tracer)
    for text in ("Mara", *["  \t\n "] * 300, "Quill", "  ", "[1]"):
        receiver.take(Piece(text, "", None))
        receiver.show()
    receiver.take(Piece("", "stop", None))
    receiver.end()
    assert receiver.text == "Mara" + "  \t\n " * 40 + "Quill  [1]"
    shown = "".join(event.text for event in tracer.events if isinstance(event, Token))
    assert shown == receiver.text


def received(*events: Any, tracer: ListTracer | None = None, secret: str = "") -> Receiver:
    """A reply of these events, each as a server sends it, or of texts alone."""
    read, receiver = ReplyEvents(), Receiver("call", tracer, SecretStr(secret) if secret else None)
    for sent in events:
        choice = {"delta": {"content": sent}} if isinstance(sent, str) else sent
        for piece in read.read(f"data: {json.dumps({'choices': [choice]})}\n\n".encode()):
            receiver.take(piece)
    receiver.take(Piece(finish="stop"))
    receiver.end()
    return receiver


def test_choices_of_another_index_are_not_mixed_in() -> None:
    other = {"index": 1, "delta": {"content": "X"}}
    assert received({"index": 0, "delta": {"content": "a"}}, other, "b").text == "ab"


def test_halves_of_a_character_are_put_together_and_lone_ones_replaced() -> None:
    tracer = ListTracer()
    receiver = received("A ", "\ud83d", "\ude00", " b\ude00", "c", tracer=tracer)
    assert receiver.text == "A 😀 b\ufffdc"
    shown = [one for one in tracer.events if isinstance(one, Token)]
    assert "".join(one.text for one in shown) == receiver.text
    assert all(one.model_dump_json() for one in shown)


def test_half_a_character_in_the_arguments_of_a_call_is_replaced() -> None:
    calls = json.dumps({"calls": [{"tool": "search", "arguments": json.dumps({"query": "a \ud83d"})}]})
    assert parse(calls, ToolRequests).calls[0].arguments == {"query": "a \ufffd"}


def test_the_key_is_in_no_reply_and_no_piece_of_one() -> None:
    tracer = ListTracer()
    pieces = ("Your key is sk-key", "-of-the-", "endpoint", ", and sk-k", " is none.")
    receiver = received(*pieces, tracer=tracer, secret="sk-key-of-the-endpoint")
    assert receiver.text == "Your key is •••, and sk-k is none."
    assert "".join(one.text for one in tracer.events if isinstance(one, Token)) == receiver.text


A, B = '{"query": "lock"}', '{"query": "tide"}'
BOTH = [("search", A), ("search", B)]


def call(
    arguments: Any = None, *, index: Any = None, id: str | None = None, name: str | None = None
) -> dict[str, Any]:
    """A part of a call as a server writes it; what is None is left out."""
    function = {"name": name, "arguments": arguments}
    part = {
        "index": index,
        "id": id,
        "function": {key: value for key, value in function.items() if value is not None},
    }
    return {key: value for key, value in part.items() if value is not None}


def put_together(*events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Name and arguments of each call."""
    calls = ToolCalls()
    for sent in events:
        calls.take([stream_events._part(part) for part in sent])
    return [(one["tool"], one["arguments"]) for one in json.loads(calls.text)["calls"]]


@pytest.mark.parametrize(
    "events",
    [
        pytest.param(
            [
                [call(A[:5], index=0, id="1", name="search")],
                [call(A[5:], index=0)],
                [call(B, index=1, id="2", name="search")],
            ],
            id="as OpenAI",
        ),
        pytest.param(
            [[call(A, index=0, id="1", name="search")], [call(B, index=0, id="2", name="search")]],
            id="same index",
        ),
        pytest.param([[call(A, id="1", name="search")], [call(B, id="2", name="search")]], id="no index"),
        pytest.param([[call(A, name="search")], [call(B, name="search")]], id="neither index nor ids"),
        pytest.param(
            [[call(A, index=0, name="search"), call(B, index=0, name="search")]], id="all in one event"
        ),
        pytest.param([[call(A, name="search"), call(B, name="search")]], id="all in one event, no index"),
        pytest.param(
            [
                [call(A[:3], index=0, id="1", name="search")],
                [call(A[3:9], index=0, id="1", name="search")],
                [call(A[9:], index=0, id="1", name="search")],
                [call(B[:3], index=1, id="2", name="search")],
                [call(B[3:], index=1, id="2", name="search")],
            ],
            id="name and id in each part",
        ),
        pytest.param(
            [
                [call(A[:3], index=0, name="search")],
                [call(A[3:], index=0, name="search")],
                [call(B[:3], index=0, name="search")],
                [call(B[3:], index=0, name="search")],
            ],
            id="name in each part, same index, no ids",
        ),
        pytest.param(
            [
                [call(A[:3], index=0, id="1", name="search")],
                [call(A[3:], index=0, id="x")],
                [call(B[:3], index=1, id="2", name="search")],
                [call(B[3:], index=1, id="y")],
            ],
            id="a new id in each part",
        ),
        pytest.param(
            [
                [call("", id="1", name="search")],
                [call(A[:7])],
                [call(A[7:])],
                [call("", id="2", name="search")],
                [call(B)],
            ],
            id="no index, arguments alone",
        ),
        pytest.param(
            [
                [call(A[:4], index=0, id="1", name="search"), call(B[:6], index=1, id="2", name="search")],
                [call(B[6:], index=1), call(A[4:], index=0)],
            ],
            id="in turn",
        ),
        pytest.param(
            [
                [call(index=0, id="1", name="sea")],
                [call(index=0, name="rch")],
                [call(A, index=0)],
                [call(B, index=1, id="2", name="search")],
            ],
            id="a name in two parts",
        ),
        pytest.param(
            [[call(json.loads(A), index=0, id="1", name="search"), call(json.loads(B), name="search")]],
            id="arguments as objects",
        ),
        pytest.param(
            [[{"name": "search", "arguments": json.loads(A)}, {"name": "search", "arguments": B}]],
            id="without the word function",
        ),
        pytest.param(
            [[call(A, index=0, id="1", name="search")], [call(B, index="1", id="2", name="search")]],
            id="an index that is a text",
        ),
    ],
)
def test_two_calls_stay_two(events: list[list[dict[str, Any]]]) -> None:
    assert put_together(*events) == BOTH


def test_calls_of_different_tools_are_not_glued() -> None:
    first, second = call(A, index=0, name="search"), call("{}", index=0, name="all_titles")
    assert put_together([first], [second]) == [("search", A), ("all_titles", "{}")]


def test_a_call_without_arguments_is_one() -> None:
    assert put_together([call("", index=0, id="1", name="all_titles")]) == [("all_titles", "")]


def test_there_is_an_end_to_calls_and_arguments() -> None:
    calls = ToolCalls()
    with pytest.raises(OutOfBounds, match="more than 100 tools"):
        calls.take([stream_events._part(call("{}", name="search"))] * (MOST_CALLS + 1))
    calls = ToolCalls()
    part = stream_events._part(call("{" * 2**10, index=0))
    for _ in range(MOST_CHARACTERS // 2**10):
        calls.take([part])
    with pytest.raises(OutOfBounds, match="65,536 characters"):
        calls.take([part])
