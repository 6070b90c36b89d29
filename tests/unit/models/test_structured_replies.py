"""What of a reply is the JSON that was asked for."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel

from core.models.structured_replies import InvalidReply, parse
from tests.cases import cases


class Note(BaseModel):
    text: str


class Queries(BaseModel):
    queries: list[str]


class Places(BaseModel):
    places: list[int]


class Verdict(BaseModel):
    why: str = ""
    yes: bool = False


@pytest.mark.parametrize("text", ["plain", "with a fence: ```js``` inside", "```"])
@pytest.mark.parametrize("around", ["{}", " {}\n", "```json\n{}\n```", "Here it is:\n```\n{}\n```"])
def test_json_is_found_in_what_stands_around_it(text: str, around: str) -> None:
    reply = around.format(json.dumps({"text": text}))
    assert parse(reply, Note).text == text


@cases("reply", ["", "no JSON at all", "``` ```", '{"text": 1', '{"other": ""}'])
def test_anything_else_is_refused(reply: str) -> None:
    with pytest.raises(InvalidReply):
        parse(reply, Note)
    with pytest.raises(InvalidReply, match="cut off at the token limit"):
        parse(reply, Note, cut=True)


def test_the_reason_quotes_the_place() -> None:
    with pytest.raises(InvalidReply, match="text: Input should be a valid string"):
        parse('{"text": 7}', Note)


@cases(
    "around",
    [
        "```javascript\n{}\n```",
        "```python\n{}\n```\nThat is all.",
        "Sure! Here it is: {}",
        "{}\n\nI hope this helps, {name}!",
        "For {x} of \\frac{a}{b}, as in [1] and {'k'}: {} [2].",
        "\ufeff{}",
        "[{}]",
        "```\n[{}]\n```",
        '{"Note": {}}',
        '{"result": {}}\n',
        "Hm:\n</think>\n{}",
    ],
)
def test_words_around_json_are_passed_over(around: str) -> None:
    assert parse(around.replace("{}", '{"text": "a"}'), Note).text == "a"


@cases(
    ("reply", "text"),
    [
        ('First {"text": "draft"}, then {"text": "final"}.', "final"),
        ('{"text": "final"} For {"other": 1}.', "final"),
        ("{'text': 'it\\'s', 'sure': True}", "it's"),
        ("Here: {'text': \"it's\"}", "it's"),
        (json.dumps('{"text": "a"}'), "a"),
        ('{"text": "two\nlines"}', "two\nlines"),
        ('{"text": "\\ud83d\\ude00 \\ud83d"}', "😀 \ufffd"),
        ('{"text": "{\\"text\\": 1}"}', '{"text": 1}'),
    ],
)
def test_the_value_that_counts(reply: str, text: str) -> None:
    assert parse(reply, Note).text == text


def test_of_several_that_fit_the_one_with_most_fields_counts() -> None:
    assert parse('{"yes": true, "why": "x"} as for {"yes": false} and {}', Verdict).why == "x"


@cases(
    "reply",
    [
        '["a", "b"]',
        'Here: ["a", "b"]',
        '{"queries": "[\\"a\\", \\"b\\"]"}',
        "['a', 'b']",
        '```\n["a", "b"]\n```',
    ],
)
def test_a_list_without_its_object(reply: str) -> None:
    assert parse(reply, Queries).queries == ["a", "b"]


def test_a_citation_is_no_list() -> None:
    assert parse("```json\n[1, 3]\n```", Places).places == [1, 3]
    for prose in ("Passages [1] and [3] say so.", "None fits: []"):
        with pytest.raises(InvalidReply):
            parse(prose, Places)


def test_of_a_reply_that_was_cut_no_draft_is_taken() -> None:
    with pytest.raises(InvalidReply, match="cut off"):
        parse('First {"text": "draft"}, then {"text": "fin', Note, cut=True)
    assert parse('Here: {"text": "whole"}', Note, cut=True).text == "whole"


@cases("piece", ["{", "[", '{"', '{"a":', "{'a':", "[-"])
def test_brackets_without_number_end(piece: str) -> None:
    """Each took minutes where every bracket was tried on the whole rest."""
    with pytest.raises(InvalidReply):
        parse(piece * 60_000, Note)
