"""Triples out of a reply: nesting, quotes, what is dropped and why."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from core.errors import UnusableReply
from core.models.recordings.open_recording import digest
from core.models.structured_replies import InvalidReply, parse
from core.models.wire_schema import wire_schema
from core.skills import extract as module
from core.skills.base import SHORT, SkillContext
from core.skills.extract import extract, filter_triples, triple_text, why_unfit
from core.skills.stated_triples import BROKEN_OFF, EMPTY, NO_TRIPLE, TOO_LONG, UNQUOTED, Part, StatedTriples
from core.trace.passages import Passage
from tests.cases import cases
from tests.scripted import Rule, ScriptedServer, told
from tests.skill_context import scripted_context

TEXT = "Seth MacFarlane created\n  Family Guy in 1999. He voices “Peter Griffin”."
PASSAGE = Passage(
    chunk="d-0", document="d", title="Family Guy", text=TEXT, position=0, start=0, end=len(TEXT)
)


def test_nested_triples_of_a_reply() -> None:
    plain = {"subject": "Seth MacFarlane", "relation": "created", "object": "Family Guy"}
    inner = {"subject": plain, "relation": "in", "object": "1999"}
    outer = {"subject": "Anna", "relation": "said", "object": inner, "quote": "in 1999"}
    (triple,) = StatedTriples.model_validate_json(json.dumps({"triples": [outer]})).triples
    assert isinstance(triple.object, Part)
    assert isinstance(triple.object.subject, Part)
    assert triple_text(triple) == "(Anna)-[said]->(((Seth MacFarlane)-[created]->(Family Guy))-[in]->(1999))"
    for broken in ({"subject": "a"}, {"triples": [plain]}, {"triples": [{**outer, "object": ["a"]}]}):
        with pytest.raises(ValidationError):
            StatedTriples.model_validate(broken)


@cases(
    ("subject", "relation", "object", "why"),
    [
        ("He", "created", "Family Guy", module.NO_NAME),
        ("MacFarlane", "  ", "Family Guy", EMPTY),
        ("–", "created", "Family Guy", EMPTY),
        ("Family Guy", "is", "family  guy", module.SAME),
        ("MacFarlane", "created", "Family Guy", ""),
    ],
)
def test_what_is_unfit(subject: str, relation: str, object: str, why: str) -> None:
    part = Part(subject=subject, relation=relation, object=object)
    assert why_unfit(part) == why
    assert why_unfit(Part(subject=part, relation="in", object="1999")) == why


def test_each_triple_is_kept_once_and_only_with_its_quote() -> None:
    part = Part(subject="MacFarlane", relation="created", object="Family Guy")
    found, dropped = filter_triples([(part, ""), (part, "created"), (part, "created")])
    assert [one.quote for one in found] == ["created"]
    assert [drop.reason for drop in dropped] == [module.NO_QUOTE, module.TWICE]


GOOD = {"subject": "Seth MacFarlane", "relation": "created", "object": "Family Guy", "quote": "in 1999"}


@cases(
    ("changed", "read"),
    [
        ({"object": 1999}, "1999"),
        ({"object": 19.5}, "19.5"),
        ({"object": True}, "true"),
        ({"confidence": 0.9}, "Family Guy"),
        ({"object": {"subject": "a", "relation": "b", "object": 3}}, "(a)-[b]->(3)"),
        ({"object": "{x: 1}"}, "{x: 1}"),
    ],
)
def test_a_triple_that_strays_from_the_form_is_read(changed: dict[str, Any], read: str) -> None:
    reply = parse(json.dumps({"triples": [GOOD | changed]}), StatedTriples)
    assert triple_text(reply.triples[0]) == f"(Seth MacFarlane)-[created]->({read})"
    assert not reply.dropped


@cases(
    ("bad", "why"),
    [
        (GOOD | {"relation": None}, EMPTY),
        ({"subject": "a", "relation": "b", "quote": "c"}, EMPTY),
        (GOOD | {"object": {"subject": "a", "relation": None, "object": "b"}}, EMPTY),
        ({"subject": "a", "relation": "b", "object": "c"}, UNQUOTED),
        (GOOD | {"subject": "a" * 301}, TOO_LONG),
        (GOOD | {"quote": "a" * 2001}, TOO_LONG),
        (GOOD | {"object": ["a", "b"]}, NO_TRIPLE),
        ("a triple in words", NO_TRIPLE),
        (None, NO_TRIPLE),
        (["a", "b"], NO_TRIPLE),
    ],
)
def test_one_bad_triple_is_dropped_with_a_reason(bad: object, why: str) -> None:
    reply = parse(json.dumps({"triples": [bad, GOOD]}), StatedTriples)
    assert [triple_text(one) for one in reply.triples] == ["(Seth MacFarlane)-[created]->(Family Guy)"]
    assert [one.reason for one in reply.dropped] == [why]
    with pytest.raises(InvalidReply):
        parse(json.dumps({"triples": [bad]}), StatedTriples)


@cases(
    "written",
    [
        json.dumps([GOOD]),
        json.dumps(GOOD),
        json.dumps({"triples": json.dumps([GOOD])}),
        json.dumps({"triples": [json.dumps(GOOD)]}),
        json.dumps({"triples": GOOD}),
        json.dumps({"triples": [list(GOOD.values())]}),
        json.dumps({"triples": [{name.title(): value for name, value in GOOD.items()}]}),
        f"Here they are:\n```json\n{json.dumps([GOOD])}\n```",
        str({"triples": [GOOD]}),
        f"- {json.dumps(GOOD)}",
    ],
)
def test_a_list_of_triples_in_another_form(written: str) -> None:
    reply = parse(written, StatedTriples)
    assert [triple_text(one) for one in reply.triples] == ["(Seth MacFarlane)-[created]->(Family Guy)"]
    assert not reply.dropped


@pytest.mark.parametrize("none", ['{"triples": []}', '{"triples": null}', "[]"])
def test_a_chunk_may_state_nothing(none: str) -> None:
    assert parse(none, StatedTriples).triples == []


@pytest.mark.parametrize("cut", [True, False])
@pytest.mark.parametrize("lost", [1, 20, 60])
def test_of_a_reply_that_breaks_off_the_whole_triples_are_kept(lost: int, cut: bool) -> None:
    written = json.dumps({"triples": [GOOD, GOOD | {"object": 1999}, GOOD]})[: -2 - lost]
    reply = parse(written, StatedTriples, cut=cut)
    assert [triple_text(one) for one in reply.triples] == [
        "(Seth MacFarlane)-[created]->(Family Guy)",
        "(Seth MacFarlane)-[created]->(1999)",
    ]
    assert [one.reason for one in reply.dropped] == [BROKEN_OFF]


def test_the_schema_that_is_sent_is_that_of_the_recordings() -> None:
    """A reply is kept under what was asked, the form included: another word there, and none is found."""
    sent = [wire_schema(StatedTriples)]
    assert digest(sent) == "fecfcf608f9d86974ae6c0e0756d9e06"


async def test_the_model_s_method(scripted: ScriptedServer) -> None:
    plain = {"subject": "Seth MacFarlane", "relation": "created", "object": "Family Guy"}
    good = plain | {"quote": "seth macfarlane created family guy"}
    scripted.script(Rule(reply=json.dumps({"triples": [good, plain | {"quote": "made up"}]})))
    result = await extract(scripted_context(scripted, 20), PASSAGE)
    assert [one.quote for one in result.found] == ["Seth MacFarlane created\n  Family Guy"]
    assert [(drop.text, drop.reason) for drop in result.dropped] == [
        ("(Seth MacFarlane)-[created]->(Family Guy)", module.NO_QUOTE)
    ]
    body = scripted.requests[0]["body"]
    assert told(body["messages"], "title") == "Family Guy"
    assert body["response_format"]["json_schema"]["strict"]
    scripted.script(Rule(reply="no facts here"))
    with pytest.raises(UnusableReply):
        await extract(scripted_context(scripted, 20), PASSAGE)


async def test_a_sentence_at_a_time_by_a_flat_form(scripted: ScriptedServer) -> None:
    def context() -> SkillContext:
        return replace(scripted_context(scripted, 20), methods={"extract": SHORT})

    text = "Seth MacFarlane created Family Guy in 1999. He voices “Peter Griffin”."
    passage = PASSAGE.model_copy(update={"text": text})
    first = [["Seth MacFarlane", "created", "Family Guy"], ["Fox", "shows", "Family Guy"]]
    voices = [["He", "voices"], *[["Seth MacFarlane", "voices", "Peter Griffin"]] * 20]
    scripted.script(
        Rule(match="Sentence: He voices", reply=json.dumps({"facts": voices})),
        Rule(reply=json.dumps({"facts": first})),
    )
    result = await extract(context(), passage)
    assert [(triple_text(one.triple), one.quote) for one in result.found] == [
        ("(Seth MacFarlane)-[created]->(Family Guy)", "Seth MacFarlane created Family Guy in 1999."),
        # The name is in the sentence before.
        ("(Seth MacFarlane)-[voices]->(Peter Griffin)", "He voices “Peter Griffin”."),
    ]
    assert {drop.reason for drop in result.dropped} == {module.NOT_STATED, module.TWICE}
    assert result.method == SHORT
    asked = [request["body"] for request in scripted.requests]
    assert [len(body["messages"]) for body in asked] == [8, 8]
    (facts,) = asked[0]["response_format"]["json_schema"]["schema"]["properties"].values()
    assert facts["maxItems"] == module.MOST_FACTS
    scripted.script(
        Rule(when=lambda body: "He voices" in str(body), reply="no facts here"),
        Rule(reply=json.dumps({"facts": []})),
    )
    assert [drop.reason for drop in (await extract(context(), passage)).dropped] == [module.UNREADABLE]
    scripted.script(Rule(reply="no facts here"))
    with pytest.raises(UnusableReply):
        await extract(context(), passage)
