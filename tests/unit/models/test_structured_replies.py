"""What of a reply is the JSON that was asked for."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from core.models.structured_replies import InvalidReply, parse


class Note(BaseModel):
    text: str


@pytest.mark.parametrize("text", ["plain", "with a fence: ```js``` inside", "```"])
@pytest.mark.parametrize("around", ["{}", " {}\n", "```json\n{}\n```", "Here it is:\n```\n{}\n```"])
def test_json_is_found_in_what_stands_around_it(text: str, around: str) -> None:
    reply = around.format(json.dumps({"text": text}))
    assert parse(reply, Note).text == text


@pytest.mark.parametrize("reply", ["", "no JSON at all", "``` ```", '{"text": 1', '{"other": ""}'])
def test_anything_else_is_refused(reply: str) -> None:
    with pytest.raises(InvalidReply):
        parse(reply, Note)
    with pytest.raises(InvalidReply, match="cut off at the token limit"):
        parse(reply, Note, cut=True)


def test_the_reason_quotes_the_place() -> None:
    with pytest.raises(InvalidReply, match="text: Input should be a valid string"):
        parse('{"text": 7}', Note)
