"""Triples out of a reply: nesting, quotes, what is dropped and why."""

from __future__ import annotations

import json

import pytest
from pydantic import SecretStr, ValidationError

from core.errors import UnusableReply
from core.models.asking import CallBudget
from core.models.chat import Chat
from core.settings import Settings
from core.skills import extract as module
from core.skills.base import SkillContext
from core.skills.extract import Part, Reply, extract, filter_triples, spans, triple_text, why_unfit
from core.trace.passages import Passage
from core.trace.tracer import ListTracer
from tests.embedder import word_counts
from tests.scripted import Rule, ScriptedServer, told

TEXT = "Seth MacFarlane created\n  Family Guy in 1999. He voices “Peter Griffin”."
PASSAGE = Passage(
    chunk="d-0", document="d", title="Family Guy", text=TEXT, position=0, start=0, end=len(TEXT)
)


def test_nested_triples_of_a_reply() -> None:
    plain = {"subject": "Seth MacFarlane", "relation": "created", "object": "Family Guy"}
    inner = {"subject": plain, "relation": "in", "object": "1999"}
    outer = {"subject": "Anna", "relation": "said", "object": inner, "quote": "in 1999"}
    (triple,) = Reply.model_validate_json(json.dumps({"triples": [outer]})).triples
    assert isinstance(triple.object, Part)
    assert isinstance(triple.object.subject, Part)
    assert triple_text(triple) == "(Anna)-[said]->(((Seth MacFarlane)-[created]->(Family Guy))-[in]->(1999))"
    for broken in ({"subject": "a"}, {"triples": [plain]}, {"triples": [{**outer, "object": ["a"]}]}):
        with pytest.raises(ValidationError):
            Reply.model_validate(broken)


@pytest.mark.parametrize(
    ("subject", "relation", "object", "why"),
    [
        ("He", "created", "Family Guy", module.NO_NAME),
        ("MacFarlane", "  ", "Family Guy", module.EMPTY),
        ("–", "created", "Family Guy", module.EMPTY),
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


def test_what_a_tiny_model_may_copy() -> None:
    names, relations = spans("Ada Lovelace was born in London in 1815 and admired the engine.")
    assert {"Ada Lovelace", "London", "1815", "engine"} <= set(names)
    assert {"was born in", "admired the"} <= set(relations)
    assert not any(name in relations for name in names)


def context(server: ScriptedServer, **methods: str) -> SkillContext:
    tracer = ListTracer()
    settings = Settings(_env_file=None, retry_base_seconds=0.01, openai_api_key=SecretStr("x"))
    return SkillContext(
        chat=Chat(server.endpoint(), tracer, settings, CallBudget(20)),
        embedder=word_counts(),
        tracer=tracer,
        builtin=False,
        methods=methods,
    )


async def test_the_model_s_method(scripted: ScriptedServer) -> None:
    plain = {"subject": "Seth MacFarlane", "relation": "created", "object": "Family Guy"}
    good = plain | {"quote": "seth macfarlane created family guy"}
    scripted.script(Rule(reply=json.dumps({"triples": [good, plain | {"quote": "made up"}]})))
    result = await extract(context(scripted), PASSAGE)
    assert [one.quote for one in result.found] == ["Seth MacFarlane created\n  Family Guy"]
    assert [(drop.text, drop.reason) for drop in result.dropped] == [
        ("(Seth MacFarlane)-[created]->(Family Guy)", module.NO_QUOTE)
    ]
    body = scripted.requests[0]["body"]
    assert told(body["messages"], "title") == "Family Guy"
    assert body["response_format"]["json_schema"]["strict"]
    scripted.script(Rule(reply="no facts here"))
    with pytest.raises(UnusableReply):
        await extract(context(scripted), PASSAGE)


async def test_sentence_by_sentence(scripted: ScriptedServer) -> None:
    right = {"subject": "Seth MacFarlane", "relation": "created", "object": "Family Guy"}
    wrong = right | {"object": "American Dad"}
    scripted.script(Rule(told={"text": "MacFarlane"}, reply=json.dumps({"triples": [right, wrong]})))
    text = "Seth MacFarlane created Family Guy in 1999."
    passage = PASSAGE.model_copy(update={"text": text})
    result = await extract(context(scripted, extract="sentences"), passage)
    assert [(triple_text(one.triple), one.quote) for one in result.found] == [
        ("(Seth MacFarlane)-[created]->(Family Guy)", text)
    ]
    assert [drop.reason for drop in result.dropped] == [module.NOT_STATED]
    asked = json.dumps(scripted.requests[0]["body"]["response_format"])
    assert '"enum": ["Seth MacFarlane", "Family Guy", "1999"]' in asked
