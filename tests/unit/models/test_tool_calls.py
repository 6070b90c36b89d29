"""Which part belongs to which tool call, in the ways in which servers send them; and over HTTP, what a run gets."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.models import wire
from core.models.bounds import OutOfBounds
from core.models.receiver import MOST_CALLS, MOST_CHARACTERS, ToolCalls

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
        calls.take([wire._part(part) for part in sent])
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
        calls.take([wire._part(call("{}", name="search"))] * (MOST_CALLS + 1))
    calls = ToolCalls()
    part = wire._part(call("{" * 2**10, index=0))
    for _ in range(MOST_CHARACTERS // 2**10):
        calls.take([part])
    with pytest.raises(OutOfBounds, match="65,536 characters"):
        calls.take([part])
