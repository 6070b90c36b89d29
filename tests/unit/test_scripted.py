"""The scripted endpoint and its double say the same; a request is known by the skill that sends it."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from pydantic import BaseModel

from core.errors import ModelError
from core.models import calling, capabilities
from core.models.calling import CallBudget
from core.models.capabilities import SCHEMA_FOLLOWS
from core.models.chat import Chat
from core.settings import Settings
from core.skills import SKILLS
from core.skills.base import builtin_prompt, fill, prompt_key, turns_of
from core.trace.events import ListTracer, Message, ModelFinished, ModelStarted
from tests.cases import cases
from tests.scripted import Double, Rule, ScriptedServer
from tests.scripted.prompts import asked

PROMPTS = [(skill.key, method.key) for skill in SKILLS.values() for method in skill.methods if method.slots]
SLOTS = dict.fromkeys(
    ("context", "passage", "pairs", "plan", "path", "thoughts", "candidates", "text", "examples"),
    "[1] Line {one}\n\nQuestion: Why?\n\nQuestion: And why not?",
)


class Fruit(BaseModel):
    name: str
    ripe: bool


class Slots(dict[str, str]):
    """A value for every slot."""

    def __missing__(self, key: str) -> str:
        return SLOTS.get(key, f"the {key}")


def sent(skill: str, method: str) -> list[dict[str, str]]:
    """The messages of a skill's use, every slot filled in."""
    turns = turns_of(builtin_prompt(prompt_key(skill, method)))
    values = {name: Slots()[name] for turn in turns for name in re.findall(r"\{([a-z_]+)\}", turn.content)}
    return [{"role": turn.role, "content": fill(turn.content, values)} for turn in turns]


@cases(("skill", "method"), PROMPTS)
def test_every_prompt_is_known_as_its_skills(skill: str, method: str) -> None:
    messages = sent(skill, method)
    found = asked(messages)
    assert (skill, method) in [(one.skill, one.method) for one in found]
    shared = {builtin_prompt(prompt_key(one.skill, one.method)) for one in found}
    assert shared == {builtin_prompt(prompt_key(skill, method))}, "only those that share the prompt"
    for slot in SKILLS[skill].method(method).slots:
        assert found[0].told[slot] == Slots()[slot]
    messages[-1] = {**messages[-1], "content": f"{messages[-1]['content']}{SCHEMA_FOLLOWS}{{}}"}
    correction = [{"role": "assistant", "content": "No."}, {"role": "user", "content": "Again."}]
    assert asked([*messages, *correction]) == found
    assert asked([{"role": "user", "content": "Say OK."}]) == ()


RULES: dict[str, dict[str, Any]] = {
    "made up": {},
    "a reply": {"reply": "One two three four five [1]."},
    "in pieces": {"reply": "word " * 9, "piece": 5},
    "cut off": {"reply": "One two three", "fault": "truncated"},
    "no usage": {"reply": "One", "usage": False},
    "tool calls": {"calls": [("search", {"query": "x"}), ("other", "not JSON")]},
    "empty": {"fault": "empty"},
    "refused": {"status": 418, "reply": "I am a teapot"},
}


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("structured", [False, True])
async def test_the_double_says_what_the_endpoint_says(
    scripted_server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, name: str, structured: bool
) -> None:
    heard = []
    for double in (False, True):
        scripted_server.reset()
        capabilities._CAPABILITIES.clear()
        scripted_server.script(Rule(**RULES[name]))
        with monkeypatch.context() as patch:
            if double:
                patch.setattr(calling, "stream", Double(scripted_server).stream)
            heard.append((await said(scripted_server, structured), bodies(scripted_server)))
    assert heard[0] == heard[1]


async def said(server: ScriptedServer, structured: bool) -> list[Any]:
    """What a client has of one call, but for times and ids."""
    tracer = ListTracer()
    settings = Settings(_env_file=None, retry_base_seconds=0.0)
    client = Chat(server.endpoint(), tracer, settings, CallBudget(9))
    messages = [Message(role="user", content="Question: Who?")]
    options: dict[str, Any] = {"skill": "s", "method": "m"}
    try:
        if structured:
            reply: Any = await client.structured(messages, Fruit, **options)
        else:
            reply = await client.text(messages, **options, show=True)
    except ModelError as error:
        reply = str(error)
    ends = [(event.output, event.usage) for event in tracer.events if isinstance(event, ModelFinished)]
    begun = [event.sampling for event in tracer.events if isinstance(event, ModelStarted)]
    return [reply, ends, begun]


def bodies(server: ScriptedServer) -> list[Any]:
    """What the endpoint was sent."""
    return [(request["body"], request["cut_off"], request["finished"]) for request in server.requests]


async def test_a_call_that_is_given_up_is_cut_off(scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="word " * 99, pause=9.0))
    client = Chat(scripted.endpoint(), ListTracer(), Settings(_env_file=None), CallBudget(1))
    asking = asyncio.create_task(client.text([Message(role="user", content="Who?")], skill="s", method="m"))
    while not scripted.requests:
        await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert [request["cut_off"] for request in scripted.requests] == [True]


async def test_rules_are_chosen_by_skill_method_and_what_was_told(scripted: ScriptedServer) -> None:
    scripted.script(
        Rule(skill="reword.sampled", reply="sampled"),
        Rule(skill="reword step_back", reply="either", times=1),
        Rule(skill="answer", told={"question": "^the q"}, reply="told"),
        Rule(reply="else"),
    )
    client = Chat(scripted.endpoint(), ListTracer(), Settings(_env_file=None), CallBudget(9))

    async def reply(skill: str, method: str) -> str:
        messages = [Message.model_validate(message) for message in sent(skill, method)]
        return await client.text(messages, skill=skill, method=method)

    asks = [("reword", "sampled"), ("step_back", "model"), ("reword", "model"), ("answer", "model")]
    assert [await reply(*one) for one in asks] == ["sampled", "either", "else", "told"]
