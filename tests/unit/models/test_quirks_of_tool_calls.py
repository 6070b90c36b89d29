"""Quirks of servers in calls of tools: how one comes, and that it is read all the same.

As those of `test_quirks.py`; how the parts of a call find each other is in `test_receiver.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from core.models.chat import Chat
from core.skills.choose_tool import ToolRequests
from core.trace.events import ListTracer
from tests.scripted import Rule, ScriptedServer
from tests.unit.models.quirks import ASK, STOP, client, delta, event, situations, whole

pytestmark = pytest.mark.over_http

QUERY = {"query": "lock"}
TEXT = json.dumps(QUERY)
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
        },
    }
]


@pytest.fixture
def chat(scripted: ScriptedServer) -> Chat:
    return client(scripted, ListTracer())


async def called(chat: Chat) -> list[Any] | str:
    reply = await chat.call_tools(ASK, TOOLS, ToolRequests, skill="choose_tool", method="model")
    return reply if isinstance(reply, str) else [(call.tool, call.arguments) for call in reply.calls]


def native(*calls: Any) -> str:
    return "".join(event(delta(None, tool_calls=call)) for call in calls) + STOP


def function(arguments: Any, **more: Any) -> dict[str, Any]:
    return {"function": {"name": "search", "arguments": arguments}} | more


NATIVE = {
    "in parts": native([function(TEXT[:5], index=0, id="a")], [{"index": 0, "function": {"arguments": TEXT[5:]}}]),
    "without index and id": native([function(TEXT)]),
    "arguments as an object": native([function(QUERY, index=0, id="a")]),
    "arguments encoded twice": native([function(json.dumps(TEXT), index=0, id="a")]),
    "one call, not in a list": native(function(TEXT)),
    "as a function_call": event(delta(None, function_call={"name": "search", "arguments": TEXT})) + STOP,
    "in a whole reply": json.dumps(whole({"content": None, "tool_calls": [function(TEXT, id="a")]})),
    "with words in front": event(delta("Let me look.")) + native([function(TEXT, index=0)]),
}  # fmt: skip
AS_TEXT = {
    "Hermes and Qwen": f'<tool_call>\n{{"name": "search", "arguments": {TEXT}}}\n</tool_call>',
    "Llama": f'<|python_tag|>{{"type": "function", "name": "search", "parameters": {TEXT}}}<|eom_id|>',
    "Mistral": f'[TOOL_CALLS][{{"name": "search", "arguments": {TEXT}}}]',
    "Mistral, later": f"[TOOL_CALLS]search[ARGS]{TEXT}",
    "as the API has it": json.dumps({"tool_calls": [{"type": "function"} | function(TEXT)]}),
    "in a fence": f'I search.\n```json\n{{"name": "search", "arguments": {TEXT}}}\n```',
    "arguments beside the name": '{"tool": "search", "query": "lock"}',
    "the name as a key": f'{{"search": {TEXT}}}',
    "a function's tag": f"<function=search>{TEXT}</function>",
    "Qwen Coder": "<function=search>\n<parameter=query>\nlock\n</parameter>\n</function>",
    "MiniMax": '<invoke name="search">\n<parameter name="query">lock</parameter>\n</invoke>',
    "GLM": "<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>lock</arg_value>\n</tool_call>",
    "Python": '[search(query="lock")]',
    "Python by place": "<|tool_call_start|>[search('lock')]<|tool_call_end|>",
    "DeepSeek": f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n```json\n{TEXT}\n```<｜tool▁call▁end｜>",
    "Kimi": f"<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{TEXT}<|tool_call_end|>",
    "gpt-oss": "<|channel|>analysis<|message|>I search.<|end|><|start|>assistant<|channel|>commentary "
    f"to=functions.search <|constrain|>json<|message|>{TEXT}<|call|>",
    "gpt-oss, the tool in front": "<|start|>assistant to=functions.search<|channel|>commentary json<|message|>"
    f"{TEXT}<|call|>",
    "ReAct": f"Thought: look.\nAction: search\nAction Input: {TEXT}",
}


@situations(
    NATIVE | {f"as text: {name}": event(delta(text)) + STOP for name, text in AS_TEXT.items()}, "body"
)
async def test_a_call_of_a_tool_is_read(chat: Chat, scripted: ScriptedServer, body: str) -> None:
    scripted.script(Rule(raw=body))
    assert await called(chat) == [("search", QUERY)]
    assert len(scripted.requests) == 1


def two(calls: Iterable[Any]) -> str:
    return native(*([call] for call in calls))


TWICE = {
    "the same index": two(function(TEXT, index=0, id=name) for name in "ab"),
    "no index": two(function(TEXT, id=name) for name in "ab"),
    "neither index nor id": two([function(TEXT), function(TEXT)]),
    "as text": event(delta(f'<tool_call>{{"name": "search", "arguments": {TEXT}}}</tool_call>' * 2)) + STOP,
    "as text in tags": event(delta("<function=search><parameter=query>lock</parameter>" * 2)) + STOP,
}


@situations(TWICE, "body")
async def test_two_calls_of_a_tool_stay_two(chat: Chat, scripted: ScriptedServer, body: str) -> None:
    scripted.script(Rule(raw=body))
    assert await called(chat) == [("search", QUERY)] * 2


@pytest.mark.parametrize(
    "words",
    [
        "He resigned in 1974.",
        "I need no search (here).",
        '{"name": "delete", "arguments": {}}',
        "(search",
        "[search({1, 2})]",
        '{"a": ' * 950 + "{}" + "}" * 950,
    ],
    ids=[
        "a sentence",
        "its name",
        "another tool",
        "a bracket",
        "a value that JSON has not",
        "nested too deep",
    ],
)
async def test_words_are_no_call(chat: Chat, scripted: ScriptedServer, words: str) -> None:
    scripted.script(Rule(reply=words))
    assert await called(chat) == words


TOOLLESS = {
    "Ollama": (400, "scripted does not support tools"),
    "llama.cpp": (500, "tools param requires --jinja flag"),
    "a gateway": (404, "No endpoints found that support tool use for this model"),
}


@situations(TOOLLESS, "status", "words")
async def test_without_tools_a_schema_asks_for_the_calls(
    chat: Chat, scripted: ScriptedServer, status: int, words: str
) -> None:
    scripted.script(
        Rule(status=status, reply=words, when=lambda body: "tools" in body),
        Rule(reply=json.dumps({"calls": [{"tool": "search", "arguments": QUERY}]})),
    )
    assert await called(chat) == [("search", QUERY)]
