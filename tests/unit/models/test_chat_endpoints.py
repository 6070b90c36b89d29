"""The chat client at endpoints that differ: what they refuse, how they say it, what must not reach them."""

from __future__ import annotations

import asyncio
import warnings
from email.utils import formatdate
from types import SimpleNamespace
from typing import Any, Literal

import httpx
import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from core.errors import ModelError
from core.models import call_failures, capabilities
from core.models.call_failures import _retry_after
from core.models.calling import CallBudget
from core.models.capabilities import Sampling
from core.models.chat import Chat
from core.models.endpoint import OPENAI_URL, ChatEndpoint
from core.settings import Settings
from core.trace.events import ListTracer, Message, ModelStarted, Retried
from tests.scripted import Rule, ScriptedServer

pytestmark = pytest.mark.over_http

ASK = (Message(role="system", content="Be brief."), Message(role="user", content="Question: Why?"))
KEY = "secret-key-for-tests"


class Fruit(BaseModel):
    name: str = Field(min_length=1, max_length=40)
    ripe: bool = True


@pytest.fixture
def tracer() -> ListTracer:
    return ListTracer()


@pytest.fixture
def chat(scripted: ScriptedServer, tracer: ListTracer) -> Chat:
    return make_chat(scripted.endpoint(), tracer)


def make_chat(endpoint: ChatEndpoint, tracer: ListTracer) -> Chat:
    settings = Settings(_env_file=None, retry_base_seconds=0.01, model_timeout_seconds=5, model_attempts=3)
    return Chat(endpoint, tracer, settings, CallBudget(40))


async def say(chat: Chat, **options: Any) -> str:
    return await chat.text(ASK, skill="answer", method="model", **options)


async def pick(chat: Chat, **options: Any) -> Fruit:
    return await chat.structured(ASK, Fruit, skill="grade", method="model", **options)


def bodies(scripted: ScriptedServer) -> list[dict[str, Any]]:
    return [request["body"] for request in scripted.requests]


async def test_a_reply_that_ends_without_a_reason_is_cut(chat: Chat, scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="stop_short", times=1, reply="Only half of this comes."), Rule(reply="Whole."))
    assert await say(chat) == "Whole."


async def test_a_retry_after_may_be_a_date(
    chat: Chat, scripted: ScriptedServer, tracer: ListTracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.script(Rule(fault="rate_limit", times=1), Rule(reply="Fine."))
    assert await say(chat) == "Fine."
    backoff = next(event for event in tracer.events if isinstance(event, Retried)).wait
    assert 0.01 <= backoff <= 0.011
    now = 1_700_000_000
    monkeypatch.setattr(call_failures, "time", SimpleNamespace(time=lambda: now))
    assert _retry_after(formatdate(now + 20, usegmt=True)) == 20
    assert _retry_after(formatdate(now - 20, usegmt=True)) == 0
    assert _retry_after("soon") is None
    assert _retry_after("nan") is None
    assert _retry_after("Fri, 31 Dec 99999 23:59:59 GMT") is None


async def test_a_thinker_that_has_not_come_to_its_answer_gets_room_for_it(
    chat: Chat, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply="<think>Let me see", finish="length", times=1), Rule(reply="Fine."))
    assert await say(chat, sampling=Sampling(max_tokens=50)) == "Fine."
    assert [body["max_tokens"] for body in bodies(scripted)] == [50, 400]


def test_without_a_system_role_all_is_told_in_the_first_message() -> None:
    known = capabilities.EndpointCapabilities(openai=False)
    known.learn("Jinja Exception: System role not supported", {})
    assert known.messages(ASK, None) == (Message(role="user", content="Be brief.\n\nQuestion: Why?"),)
    known = capabilities.EndpointCapabilities(openai=False)
    known.learn("{'message': 'model requires more system memory'}", {})
    assert known.messages(ASK, None) == ASK


async def test_no_format_at_all_ends_in_the_prompt_and_is_remembered(
    chat: Chat, scripted: ScriptedServer, tracer: ListTracer
) -> None:
    scripted.script(Rule(fault="no_format"))
    assert (await pick(chat)).name.startswith("Question: Why?")
    formats = [body.get("response_format", {}).get("type") for body in bodies(scripted)]
    assert formats == ["json_schema", "json_object", None]
    assert await pick(make_chat(scripted.endpoint(), tracer))
    assert len(scripted.requests) == 4
    started = [event for event in tracer.events if isinstance(event, ModelStarted)][-1]
    sent = bodies(scripted)[-1]["messages"]
    assert [message.model_dump() for message in started.messages] == sent
    assert "valid against this JSON Schema" in sent[-1]["content"]


async def test_eight_calls_that_are_refused_at_once_all_recover(chat: Chat, scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="no_format", delay=0.05))
    assert len(await asyncio.gather(*(pick(chat) for _ in range(8)))) == 8


async def test_an_endpoint_that_refuses_everything_is_not_asked_for_ever(
    chat: Chat, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(status=400, reply="max_tokens max_completion_tokens temperature response_format"))
    with pytest.raises(ModelError, match="refused the request"):
        await pick(chat, sampling=Sampling(temperature=0.5, max_tokens=9))
    assert len(scripted.requests) <= 6


async def test_nothing_of_the_environment_is_sent_along(
    scripted: ScriptedServer, tracer: ListTracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "from-the-environment")
    monkeypatch.setenv("OPENAI_ORG_ID", "from-the-environment")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "from-the-environment")
    monkeypatch.setenv(
        "OPENAI_CUSTOM_HEADERS", "X-Own: from-the-environment\nAuthorization: from-the-environment"
    )
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OPENAI_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    await say(make_chat(scripted.endpoint(key="mine"), tracer))
    assert "from-the-environment" not in str(scripted.requests[0]["headers"])
    assert scripted.requests[0]["headers"]["authorization"] == "Bearer mine"


async def test_a_structured_call_warns_of_nothing(chat: Chat) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        await pick(chat)


async def test_a_cut_off_reply_gets_more_room_the_second_time(chat: Chat, scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="truncated", times=1))
    await pick(chat, sampling=Sampling(max_tokens=50))
    assert [body["max_tokens"] for body in bodies(scripted)] == [50, 100]


async def test_an_empty_structured_reply_is_asked_for_again(chat: Chat, scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="empty", times=1))
    await pick(chat)
    assert len(scripted.requests) == 2


def test_several_event_loops_one_after_the_other(scripted: ScriptedServer, tracer: ListTracer) -> None:
    chat = make_chat(scripted.endpoint(), tracer)
    assert asyncio.run(say(chat))
    assert asyncio.run(say(chat))


def test_openai_gets_a_strict_schema_without_what_it_refuses() -> None:
    official = capabilities.capabilities_of(ChatEndpoint(OPENAI_URL, SecretStr("k"), "m"))
    body = official.body(Sampling(max_tokens=5), Fruit)
    assert body["max_completion_tokens"] == 5
    asked = body["response_format"]["json_schema"]
    assert asked["strict"]
    assert asked["schema"]["required"] == ["name", "ripe"]
    assert asked["schema"]["additionalProperties"] is False
    assert "maxLength" not in asked["schema"]["properties"]["name"]
    assert "default" not in asked["schema"]["properties"]["ripe"]


def test_a_schema_with_free_keys_is_not_strict() -> None:
    class Tool(BaseModel):
        arguments: dict[str, str]

    asked = capabilities.EndpointCapabilities(openai=True).body(Sampling(), Tool)["response_format"][
        "json_schema"
    ]
    assert asked["strict"] is False


class Everything(BaseModel):
    """A bit of every kind of field."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["a"]
    verdict: Literal["yes", "no"]
    fruits: list[Fruit] = Field(min_length=3, max_length=4)
    pair: tuple[int, str]
    score: int = Field(gt=3, le=9)
    share: float = Field(lt=1)
    low: int = Field(le=-5)
    word: str = Field(min_length=60)
    maybe: str | None
    nothing: None
    free: dict[str, int]


async def test_the_scripted_endpoint_invents_valid_replies(chat: Chat) -> None:
    made = await chat.structured(ASK, Everything, skill="grade", method="model")
    assert len(made.fruits) == 3
    assert len({fruit.name for fruit in made.fruits}) == 3


async def test_the_scripted_endpoint_is_programmed_over_http(chat: Chat, scripted: ScriptedServer) -> None:
    url = scripted.base_url.removesuffix("/v1")
    async with httpx.AsyncClient(trust_env=False) as client:
        await client.post(f"{url}/script", json=[{"match": "Why", "reply": "Because."}])
        vectors = (
            await client.post(f"{scripted.base_url}/embeddings", json={"model": "e", "input": ["a"]})
        ).json()
    assert await say(chat) == "Because."
    assert len(vectors["data"]) == 1
