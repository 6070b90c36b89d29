"""Quirks of servers of the OpenAI API: what a server does, and what a user gets all the same; lists of situations by
name, met over HTTP by the client that runs use."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from core.errors import ModelError
from core.models import call_failures
from core.models.capabilities import SCHEMA_FOLLOWS, Sampling
from core.models.chat import Chat
from core.trace.events import ListTracer, ModelFinished, Token
from tests.commands import core_here, parsed, scripted_endpoint
from tests.scripted import Rule, ScriptedServer
from tests.unit.models.quirks import ASK, DONE, STOP, client, delta, event, situations, whole

pytestmark = pytest.mark.over_http

KEY = "secret-key-for-tests"


class Fruit(BaseModel):
    name: str


@pytest.fixture
def tracer() -> ListTracer:
    return ListTracer()


@pytest.fixture
def chat(scripted: ScriptedServer, tracer: ListTracer, monkeypatch: pytest.MonkeyPatch) -> Chat:
    monkeypatch.setattr(call_failures, "LOADING_SECONDS", 0.0)
    return client(scripted, tracer)


async def say(chat: Chat, **sampling: Any) -> str:
    return await chat.text(ASK, skill="answer", method="model", sampling=Sampling(**sampling), show=True)


async def pick(chat: Chat) -> str:
    return (await chat.structured(ASK, Fruit, skill="grade", method="model")).name


async def failure(chat: Chat) -> str:
    """The sentence with which a call ends, which never holds the key."""
    with pytest.raises(ModelError) as error:
        await say(chat)
    assert KEY not in str(error.value)
    assert len(str(error.value)) < 500
    return str(error.value)


FINE = event(delta("Fine."))


# The answer is “Fine.”, whatever is around it

ANSWERED = {
    "a ping between the pieces": f"{FINE}event: ping\ndata: {{}}\n\nid: 7\nretry: 3000\n\n{STOP}",
    "a ping of its own type": event({"type": "ping"}) + FINE + event({}, "heartbeat") + STOP,
    "comments that keep the connection alive": f": OPENROUTER PROCESSING\n\n:\n\n{FINE}: ping\n\n{STOP}",
    "a word that does": f"data: keep-alive\n\n{FINE}data:\n\n{STOP}",
    "a message about the queue": event({"message": "queued"}) + FINE + STOP,
    "data without a blank": (FINE + STOP).replace("data: ", "data:"),
    "lines that end as on Windows": (FINE + STOP).replace("\n", "\r\n"),
    "no blank line between events": (FINE + STOP).replace("\n\n", "\n"),
    "a line of JSON for each event": f"{json.dumps(delta('Fi'))}\n{json.dumps(delta('ne.', 'stop'))}\n",
    "a byte order mark": f"\ufeff{FINE}{STOP}",
    "a first event without choices": event({"choices": [], "prompt_filter_results": [{}]}) + FINE + STOP,
    "choices that are null": event([]) + event({"choices": None}) + FINE + STOP,
    "a number that is none": FINE + STOP.replace('"stop"', '"stop", "speed": NaN, "left": Infinity'),
    "[DONE], and no reason for the end": FINE + DONE,
    "a reason for the end that is empty": event(delta("Fine.", "")) + event(delta("", "")) + DONE,
    "[DONE] without a blank line": f"{FINE}data: [DONE]",
    "an event called done": f"{FINE}event: done\ndata: {{}}\n\n",
    "an end of tokens alone": FINE + event({"choices": [], "usage": {"prompt_tokens": 4}}),
    "tokens that are null": FINE + event({"choices": [], "usage": {"prompt_tokens": None}}) + STOP,
    "tokens that are no numbers": FINE + event({"choices": [], "usage": {"prompt_tokens": "9"}}) + STOP,
    "an end without [DONE]": FINE + event(delta(None, "stop")),
    "an end without a delta": FINE + event({"choices": [{"delta": None, "finish_reason": "stop"}]}),
    "an end of another name": FINE + event({"choices": [{"index": 0, "finish_reason": "eos"}]}),
    "everything again at the end": FINE + event(whole({"content": "Fine."})) + DONE,
    "a second choice between": event(delta("Fi")) + event(delta("X", index=1)) + event(delta("ne.")) + STOP,
    "a list of parts": event(delta([{"type": "text", "text": "Fi"}, {"type": "text", "text": "ne."}])) + STOP,
    "a part in a part": event(delta({"type": "text", "text": {"value": "Fine."}})) + STOP,
    "a refusal in a field of its own": event(delta(None, refusal="Fine.")) + STOP,
    "a whole reply as an event": event(whole({"content": "Fine."})) + DONE,
    "a whole reply as JSON": json.dumps(whole({"content": "Fine."})),
    "a whole reply over several lines": json.dumps(whole({"content": [{"text": "Fine."}]}), indent=2),
    "a completion of a text": " \n" + json.dumps({"choices": [{"text": "Fine.", "finish_reason": "stop"}]}),
    "a thought as a part": event(delta([{"type": "thinking", "thinking": [{"text": "Hm."}]}, "Fine."])) + STOP,
    "a thought in its field": event(delta(None, reasoning_content="Hm.")) + FINE + STOP,
    "a thought beside the answer": event(delta("Fine.", reasoning="Hm.", thinking="Hm.")) + STOP,
    "<think> in the answer": event(delta("<think>Hm {")) + event(delta("x}?</think>\n\nFine.")) + STOP,
    "</think> without its beginning": event(delta("Hm, let me see.\n</think>\n\nFine.")) + STOP,
    "[THINK] in the answer": event(delta("[THINK]Hm.[/THINK]Fine.")) + STOP,
    "channels of gpt-oss": event(
        delta("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Fine.")
    )
    + STOP,
    "the mark of ChatML at the end": event(delta("Fine.<|im_")) + event(delta("end|>")) + STOP,
    "the mark of Llama at the end": event(delta("Fine.\n<|eot_id|>")) + STOP,
    "</s> at the end": event(delta("Fine.</s>")) + STOP,
    "the next turn behind the answer": event(delta("Fine.<|im_end|>\n<|im_start|>user\nAnd?")) + STOP,
}  # fmt: skip


@situations(ANSWERED, "body")
async def test_the_answer_is_read(
    chat: Chat, scripted: ScriptedServer, tracer: ListTracer, recwarn: pytest.WarningsRecorder, body: str
) -> None:
    scripted.script(Rule(raw=body))
    assert await say(chat) == "Fine."
    assert len(scripted.requests) == 1
    shown = "".join(event.text for event in tracer.events if isinstance(event, Token))
    assert shown in ("Fine.", "Hm, let me see.")  # a thought whose beginning was lost looks like an answer
    assert not [str(one.message) for one in recwarn if "Pydantic" in str(one.message)]


@pytest.mark.parametrize("fault", ["cut", "hang"])
async def test_once_the_reply_has_ended_the_connection_may_break(
    chat: Chat, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, fault: Any
) -> None:
    monkeypatch.setattr("core.models.wire.LAST_SECONDS", 0.2)
    scripted.script(Rule(raw=FINE + event(delta(None, "stop")), fault=fault))
    assert await say(chat) == "Fine."
    assert len(scripted.requests) == 1


ABOUT_MARKS = {
    "of </think>": "He wrote that the tag </think> ends a thought; he resigned in 1974 [1].",
    "of <|im_end|>": "A turn ends with <|im_end|> in ChatML.",
    "of a template": "So:\n```\nHi.<|im_end|>\n<|im_start|>assistant\n```",
    "of <s>": "It was <s>red</s> then.",
}


@situations(ABOUT_MARKS, "answer")
async def test_an_answer_that_speaks_of_marks_is_whole(
    chat: Chat, scripted: ScriptedServer, answer: str
) -> None:
    scripted.script(Rule(reply=answer, piece=3))
    assert await say(chat) == answer


USAGES = {
    "counted": ({"prompt_tokens": 4, "completion_tokens": 2}, (4, 2)),
    "running totals": ({"prompt_tokens": 9, "completion_tokens": 3.0}, (9, 3)),
    "null": ({"prompt_tokens": None, "completion_tokens": 2}, (None, 2)),
    "no numbers": ({"prompt_tokens": "4", "completion_tokens": -1}, (None, None)),
    "empty": ({}, (None, None)),
    "missing": (None, (None, None)),
}


@situations(USAGES, "usage", "tokens")
async def test_tokens_are_known_as_far_as_the_server_counts(
    chat: Chat, scripted: ScriptedServer, tracer: ListTracer, usage: Any, tokens: tuple[Any, Any]
) -> None:
    scripted.script(Rule(raw=FINE + event(delta("", "stop")) + event({"choices": [], "usage": usage}) + DONE))
    await say(chat)
    counted = next(event.usage for event in tracer.events if isinstance(event, ModelFinished))
    assert (counted.input, counted.output) == tokens


# The failure is a sentence with the server's own words

OUT = "CUDA out of memory"
COMPLAINTS = {
    "a text": event({"error": OUT}),
    "an object": event({"error": {"message": OUT}}),
    "what another server said": event({"error": {"metadata": {"raw": json.dumps({"error": {"message": OUT}})}}}),
    "as vLLM says it": event({"object": "error", "message": OUT, "detail": OUT}) + DONE,
    "as FastAPI says it": event({"detail": [{"loc": ["body"], "msg": OUT}]}),
    "as Anthropic says it": event({"type": "error", "error": {"message": OUT}}, "error"),
    "as llama.cpp says it": f'{FINE}error: {{"code": 500, "message": "{OUT}"}}\n\n{DONE}',
    "several": event({"errors": [{"message": OUT}]}),
    "beside choices": event({"choices": [], "message": OUT}) + DONE,
    "a message alone": event({"message": OUT, "code": 500}),
    "in the middle of the reply": FINE + event({"error": OUT}),
    "in the middle, as JSON alone": FINE + json.dumps({"error": OUT}),
    "a message in the middle": FINE + event({"message": OUT}),
    "an event without JSON": f"event: error\ndata: {OUT}\n\n",
    "data without JSON": f"data: {OUT}\n\n{DONE}",
    "plain text": OUT,
    "JSON": json.dumps({"error": {"message": OUT, "code": 503}}),
    "JSON over several lines": json.dumps({"detail": OUT}, indent=1),
    "a list": json.dumps([{"error": {"message": OUT}}]),
}  # fmt: skip


@situations(COMPLAINTS, "body")
async def test_an_error_with_status_200_is_quoted(chat: Chat, scripted: ScriptedServer, body: str) -> None:
    scripted.script(Rule(raw=body))
    assert f"“{OUT}" in (await failure(chat)).replace("body: ", "")
    scripted.script(Rule(raw=body.replace(OUT, f"Wrong key {KEY}")))
    assert "Wrong key •••" in await failure(chat)


NOTHING = {
    "a web page": ("<html>Open WebUI</html>", "Check the address; many end in /v1"),
    "nothing at all": ("", "does not answer like an OpenAI-compatible endpoint"),
    "[DONE] alone": (DONE, "does not answer like an OpenAI-compatible endpoint"),
    "an empty event": ("data: {}\n\n", "does not answer like an OpenAI-compatible endpoint"),
    "half an object": ('{"a": ', "does not answer like an OpenAI-compatible endpoint"),
    "half a reply": (FINE, "cut the connection in the middle of its reply"),
    "an empty reply": (STOP, "sent an empty reply. It was tried 2 times"),
    "a thought alone": (event(delta("", reasoning="Hm.")) + STOP, "ended its thought without an answer"),
    "<think> alone": (event(delta("<think>Hm.")) + STOP, "ended its thought without an answer"),
    "a thought up to the limit": (
        event(delta("", "length", reasoning_content="Hm.")),
        "used up its token limit before it came to the answer",
    ),
    "a text withheld": (event(delta("", "content_filter")), "content filter withheld it"),
}  # fmt: skip


@situations(NOTHING, "body", "sentence")
async def test_what_is_no_answer_is_said_to_be_none(
    chat: Chat, scripted: ScriptedServer, body: str, sentence: str
) -> None:
    scripted.script(Rule(raw=body))
    assert sentence in await failure(chat)


WINDOW = "the request exceeds the available context size (4096 tokens)"
REFUSALS = {
    "Ollama: the model is not there": (404, 'model "scripted" not found, try pulling it first', 1,
        "does not know the model “scripted”: “model \"scripted\" not found, try pulling it first”"),
    "LM Studio: no model is loaded": (404, "No models loaded. Please load a model.", 1, "“No models loaded. Please"),
    "LM Studio: no memory for it": (400, "Failed to load: insufficient resources", 1, "“Failed to load"),
    "Ollama: no memory for it": (500, "model requires more system memory (5.6 GiB)", 3, "requires more system memory"),
    "llama.cpp: the model is being loaded": (503, "Loading model", 3, "is still loading its model: “Loading model”"),
    "Ollama: too many wait": (503, "server busy, please try again", 3, "status 503: “server busy"),
    "llama.cpp: a prompt over the context": (400, WINDOW, 1, f"too long for the model “scripted”: “{WINDOW}"),
    "vLLM: a prompt over the context": (400, "maximum context length is 4096 tokens.", 1, "is too long for the model"),
    "OpenRouter: nobody serves the model": (404, "No endpoints found for a/b", 1, "(status 404): “No endpoints found"),
    "OpenRouter: no credit": (402, "Insufficient credits", 1, "status 402): “Insufficient credits"),
    "the account's quota": (429, "You exceeded your current quota", 1, "account's quota is used up"),
    "a limit of requests": (429, "free-models-per-day", 3, "(status 429): “free-models-per-day”"),
    "a region": (403, "Country not supported", 1, "refused the key: “Country not supported”"),
    "another address": (404, "Not Found", 1, "OpenAI-compatible endpoint (status 404): “Not Found”"),
    "a page that moved": (307, "elsewhere", 1, "does not answer like an OpenAI-compatible endpoint (status 307)"),
    "a gateway without its server": (502, "<html>Bad gateway</html>", 3, "failed with status 502. Try again later"),
    "another refusal": (400, "I do not like you", 1, "refused the request (status 400): “I do not like you”"),
    "a long one with the key": (500, f"bad token {KEY} " + "x" * 5000, 3, "“bad token ••• xxx"),
}  # fmt: skip


@situations(REFUSALS, "status", "words", "tries", "sentence")
async def test_a_refusal_is_told_in_the_server_s_words(
    chat: Chat,
    scripted: ScriptedServer,
    tracer: ListTracer,
    status: int,
    words: str,
    tries: int,
    sentence: str,
) -> None:
    scripted.script(Rule(status=status, reply=words))
    assert sentence in await failure(chat)
    assert len(scripted.requests) == tries
    assert KEY not in "".join(event.model_dump_json() for event in tracer.events)


async def test_a_model_that_is_loaded_in_time_answers(chat: Chat, scripted: ScriptedServer) -> None:
    scripted.script(Rule(status=503, reply="Loading model", times=2), Rule(reply="Fine."))
    assert await say(chat) == "Fine."


# A run says on the command line what is missing

MISSING = {
    "nothing": ((180, 2), ""),
    "tokens that are not counted": ((None, None), ""),
    "Ollama: most of the prompt": (
        (64, 2),
        "read less than was sent in 1 call of 1: it counted 64 tokens for",
    ),
    "Ollama: what is beyond its window": ((2048, 2), "2,048 tokens, just as many as a context window has,"),
    "the end of the answer": ((180, 400), "The answer reached its limit of 400 tokens"),
}


@situations(MISSING, "tokens", "note")
def test_a_run_notes_what_was_cut_off(
    scripted: ScriptedServer, tmp_path: Path, tokens: tuple[Any, Any], note: str
) -> None:
    usage = dict(zip(("prompt_tokens", "completion_tokens"), tokens, strict=True))
    scripted.script(
        Rule(raw=FINE + event(delta(None, "stop")) + event({"choices": [], "usage": usage}) + DONE)
    )
    words = ("ask", "Why? " * 80, "--strategy", "closed-book", "--json")
    run = parsed(core_here(tmp_path, *words, **scripted_endpoint(scripted)))
    assert run["answer"] == "Fine."
    assert len(run["notes"]) == bool(note)
    assert note in "".join(run["notes"])


# What a server does not take is asked for in another way, from then on

Sent = dict[str, Any]


def form(body: Sent) -> str:
    return str(body.get("response_format", {}).get("type", "text"))


UNTAKEN: dict[str, tuple[int, str, Callable[[Sent], bool]]] = {
    "a temperature": (400, "'temperature' does not support 0.5.", lambda body: "temperature" in body),
    "max_tokens": (400, "Use 'max_completion_tokens' for max_tokens.", lambda body: "max_tokens" in body),
    "stream_options": (422, "stream_options: Extra inputs", lambda body: "stream_options" in body),
    "a system message": (
        500,
        "Jinja Exception: System role not supported",
        lambda body: body["messages"][0]["role"] == "system",
    ),
    "a schema, for vLLM": (
        400,
        "The provided JSON schema contains features not supported by xgrammar.",
        lambda body: form(body) == "json_schema",
    ),
    "a schema, for llama.cpp": (500, "failed to parse grammar", lambda body: form(body) == "json_schema"),
    "a schema, for another server": (
        500,
        "Structured output is not supported",
        lambda body: form(body) == "json_schema",
    ),
    "a schema, for a gateway": (
        404,
        "No server can handle the requested response format",
        lambda body: form(body) == "json_schema",
    ),
    "a keyword of the schema": (
        400,
        "Unsupported keyword in the schema: maxLength",
        lambda body: form(body) == "json_schema",
    ),
    "any form": (400, "response_format is not supported", lambda body: form(body) != "text"),
    "JSON without a schema, in LM Studio": (
        400,
        "'response_format.type' must be 'json_schema' or 'text'; no schema with maxLength",
        lambda body: form(body) != "text",
    ),
}


@situations(UNTAKEN, "status", "words", "refused")
async def test_what_is_not_taken_is_sent_no_more(
    chat: Chat, scripted: ScriptedServer, status: int, words: str, refused: Callable[[Sent], bool]
) -> None:
    scripted.script(Rule(status=status, reply=words, when=refused), Rule(reply='{"name": "fig"}'))
    for _ in range(2):
        assert await pick(chat) == "fig"
        assert "fig" in await say(chat, temperature=0.5, max_tokens=9)
    bodies = [request["body"] for request in scripted.requests]
    assert refused(bodies[0]) or refused(bodies[1])
    assert not any(map(refused, bodies[-2:]))
    assert all("Be brief." in str(body["messages"]) for body in bodies)
    assert 9 in (bodies[-1].get("max_tokens"), bodies[-1].get("max_completion_tokens"))


async def test_a_schema_that_is_taken_and_not_heeded_is_said_in_the_prompt(
    chat: Chat, scripted: ScriptedServer
) -> None:
    def is_said(body: Sent) -> bool:
        return SCHEMA_FOLLOWS in body["messages"][-1]["content"]

    scripted.script(Rule(when=is_said, reply='{"name": "fig"}'), Rule(reply="1. A fig [1]."))
    assert [await pick(chat), await pick(chat)] == ["fig", "fig"]
    assert [is_said(request["body"]) for request in scripted.requests] == [False, True, True]


WRITTEN = {
    "bare": '{"name": "fig"}',
    "a thought in front": '<think>{"name": "plum"}?</think>{"name": "fig"}',
    "words around it": 'Sure! Here it is: {"name": "fig"}\nI hope this helps.',
    "a fence": '```javascript\n{"name": "fig"}\n```',
    "a list of one": '[{"name": "fig"}]',
    "a mark behind it": '{"name": "fig"}<|im_end|>',
    "as Python writes it": "{'name': 'fig'}",
}


@situations(
    {name: event(delta(reply)) + STOP for name, reply in WRITTEN.items()}
    | {"in the field of the thought": event(delta("", reasoning_content='{"name": "fig"}')) + STOP},
    "body",
)
async def test_json_is_found_in_a_reply(chat: Chat, scripted: ScriptedServer, body: str) -> None:
    scripted.script(Rule(raw=body, times=1), Rule(reply="Not again."))
    assert await pick(chat) == "fig"
