"""The chat client against a real HTTP server: replies, retries, every fault, and what reaches the record."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from core.errors import CallLimitReached, ModelError
from core.models import receiver
from core.models.calling import PATIENCE_HERE, CallBudget
from core.models.capabilities import Sampling
from core.models.chat import Chat
from core.models.endpoint import ChatEndpoint
from core.services.chat import SLOTS
from core.settings import Settings
from core.trace.events import (
    BaseEvent,
    ListTracer,
    Message,
    ModelFailed,
    ModelFinished,
    ModelStarted,
    Retried,
    Token,
)
from tests.scripted import Rule, ScriptedServer
from tests.unit.models.plain_endpoint import PlainEndpoint

pytestmark = pytest.mark.over_http

ASK = (Message(role="user", content="Question: What is it?"),)
KEY = "secret-key-for-tests"


class Colours(BaseModel):
    colours: list[str] = Field(min_length=1)


class Case:
    """A chat with one endpoint and what it reported."""

    def __init__(self, endpoint: ChatEndpoint, tmp_path: Path, limit: int = 40, silence: float = 5.0) -> None:
        self.tracer = ListTracer()
        settings = Settings(
            _env_file=None,
            rag_loupe_home=tmp_path,
            retry_base_seconds=0.01,
            model_timeout_seconds=silence / PATIENCE_HERE,
            model_attempts=3,
        )
        self.chat = Chat(endpoint, self.tracer, settings, CallBudget(limit))

    async def text(self, **options: Any) -> str:
        return await self.chat.text(ASK, skill="answer", method="model", **options)

    async def structured(self) -> Colours:
        return await self.chat.structured(ASK, Colours, skill="reword", method="model")

    def kinds(self) -> list[str]:
        return [event.model_dump()["type"] for event in self.tracer.events]

    def of(self, kind: type[BaseEvent]) -> list[Any]:
        return [event for event in self.tracer.events if isinstance(event, kind)]


@pytest.fixture
def case(scripted: ScriptedServer, tmp_path: Path) -> Case:
    return Case(scripted.endpoint(), tmp_path)


async def test_a_reply_with_its_messages_tokens_and_time(case: Case, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="It is a fish, [1].", delay=0.05))
    assert await case.text(sampling=Sampling(temperature=0.5, max_tokens=9)) == "It is a fish, [1]."
    assert case.kinds() == ["model_started", "model_finished"]
    started, finished = case.tracer.events
    assert isinstance(started, ModelStarted)
    assert isinstance(finished, ModelFinished)
    assert started.messages == ASK
    assert started.sampling == {"temperature": 0.5, "max_tokens": 9}
    assert (finished.usage.input, finished.usage.output) == (4, 5)
    assert finished.seconds >= 0.05
    body = scripted.requests[0]["body"]
    assert (
        body["temperature"],
        body["max_completion_tokens"] if "max_completion_tokens" in body else body["max_tokens"],
    ) == (0.5, 9)


async def test_a_shown_reply_arrives_in_pieces_that_join_to_the_whole(
    case: Case, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = count(step=0.01)
    monkeypatch.setattr(receiver, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    reply = "One two three four five six seven. " * 10
    scripted.script(Rule(reply=reply, piece=5))
    assert await case.text(show=True) == reply
    tokens = case.of(Token)
    assert "".join(token.text for token in tokens) == reply
    assert 2 <= len(tokens) < 70 / 2


async def test_extra_fields_reach_the_server(case: Case, scripted: ScriptedServer) -> None:
    await case.text(sampling=Sampling(extra={"grammar": "root ::= x"}))
    assert scripted.requests[0]["body"]["grammar"] == "root ::= x"
    assert case.of(ModelStarted)[0].sampling["grammar"] == "root ::= x"


async def test_429_then_fine_waits_as_asked_and_says_so(
    case: Case, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.script(Rule(fault="rate_limit", times=1, retry_after=0.2), Rule(reply="Fine."))
    waited: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float, result: object = None) -> object:
        waited.append(seconds)
        return await sleep(seconds, result)

    monkeypatch.setattr(asyncio, "sleep", noted)
    assert await case.text() == "Fine."
    assert 0.2 in waited
    assert case.kinds() == ["model_started", "model_failed", "retried", "model_started", "model_finished"]
    retried = case.of(Retried)[0]
    assert (retried.attempt, retried.wait, retried.reason) == (2, 0.2, "rate limit")


async def test_429_that_asks_for_too_long_a_wait_is_given_up(case: Case, scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="rate_limit", retry_after=3600))
    with pytest.raises(ModelError, match="takes no more requests for now"):
        await case.text()
    assert len(scripted.requests) == 1


@pytest.mark.parametrize(
    ("fault", "tries", "sentence"),
    [
        (
            "server_error",
            3,
            "failed with status 500: “The server had an error”. "
            "Try again later, or choose another model. It was tried 3 times.",
        ),
        ("cut", 3, "cut the connection in the middle of its reply"),
        ("empty", 2, "sent an empty reply. It was tried 2 times."),
        ("unknown_model", 1, "does not know the model “scripted”: “The model `scripted` does not exist”."),
        ("html", 1, "does not answer like an OpenAI-compatible endpoint"),
    ],
)
async def test_faults(case: Case, scripted: ScriptedServer, fault: Any, tries: int, sentence: str) -> None:
    scripted.script(Rule(fault=fault, reply="This reply will not arrive whole."))
    with pytest.raises(ModelError) as error:
        await case.text(show=True)
    assert sentence in str(error.value)
    assert len(scripted.requests) == tries
    assert len(case.of(ModelFailed)) == tries
    assert len(case.of(Retried)) == tries - 1


async def test_a_cut_reply_is_kept_and_the_next_try_can_succeed(case: Case, scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="cut", times=1, reply="Half of this arrives."), Rule(reply="All of it."))
    assert await case.text(show=True) == "All of it."
    assert case.of(ModelFailed)[0].output == "Half of this"


async def test_a_hanging_endpoint_is_given_up(scripted: ScriptedServer, tmp_path: Path) -> None:
    scripted.script(Rule(fault="hang", reply="Begins"))
    case = Case(scripted.endpoint(), tmp_path, silence=0.2)
    with pytest.raises(ModelError, match=r"sent nothing for 0.2 s. Try again, .* It was tried 3 times"):
        await case.text()


async def test_a_wrong_key_is_not_tried_again_and_never_shown(
    scripted: ScriptedServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    scripted.key = "another-key"
    case = Case(scripted.endpoint(), tmp_path)
    with pytest.raises(ModelError, match="refused the key") as error:
        await case.text()
    assert len(scripted.requests) == 1
    shown = str(error.value) + caplog.text + "".join(event.model_dump_json() for event in case.tracer.events)
    assert KEY not in shown
    assert KEY not in repr(case.chat)


async def test_the_built_in_model_has_no_address_to_check(tmp_path: Path) -> None:
    case = Case(ChatEndpoint("http://127.0.0.1:9/v1", SecretStr(KEY), "m", builtin=True), tmp_path)
    with pytest.raises(ModelError, match=r"built-in model has ended.*Ask again") as error:
        await case.text()
    assert "address" not in str(error.value)


async def test_an_unreachable_endpoint(tmp_path: Path) -> None:
    case = Case(ChatEndpoint("http://127.0.0.1:9/v1", SecretStr(KEY), "m"), tmp_path)
    with pytest.raises(ModelError, match=r"cannot be reached\. Check the address"):
        await case.text()


async def test_the_servers_own_key_is_not_sent_elsewhere(
    scripted: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-servers-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "the-servers-organisation")
    await Case(scripted.endpoint(key="mine"), tmp_path).text()
    headers = scripted.requests[0]["headers"]
    assert headers["authorization"] == "Bearer mine"
    assert "the-servers" not in str(headers)


@pytest.mark.parametrize(
    ("rule", "far"),
    [(Rule(delay=600), False), (Rule(reply="word " * 500, pause=600), True)],
    ids=["while the prompt is read", "while the reply is written"],
)
async def test_cancelling_hangs_up_at_once(
    scripted: ScriptedServer, tmp_path: Path, rule: Rule, far: bool
) -> None:
    scripted.script(rule)
    case = Case(scripted.endpoint(), tmp_path, silence=600)
    task = asyncio.create_task(case.text(show=True))
    while not (case.of(Token) if far else scripted.requests):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 60)  # the next piece comes later
    assert case.of(ModelFailed)[0].error == "Stopped."
    async with asyncio.timeout(60):
        while not scripted.requests[0]["cut_off"]:
            await asyncio.sleep(0.02)


async def test_the_budget_counts_every_call(scripted: ScriptedServer, tmp_path: Path) -> None:
    case = Case(scripted.endpoint(), tmp_path, limit=2)
    await case.text()
    await case.text()
    with pytest.raises(CallLimitReached, match="used up its 2 model calls"):
        await case.text()
    assert len(scripted.requests) == 2


class Meeting(PlainEndpoint):
    """Replies when as many calls have come as are expected at once."""

    def __init__(self, calls: int) -> None:
        self.all_here = threading.Barrier(calls, timeout=60)
        super().__init__()

    def reply(self, path: str, key: str, body: dict[str, Any]) -> tuple[int, str, Any]:
        self.all_here.wait()
        choice = {"index": 0, "delta": {"role": "assistant", "content": "All."}, "finish_reason": "stop"}
        return 200, "text/event-stream", f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n"


async def test_calls_run_at_once(tmp_path: Path) -> None:
    server = Meeting(8)
    case = Case(ChatEndpoint(server.url, SecretStr(KEY), "m"), tmp_path, silence=60)
    try:
        assert await asyncio.gather(*(case.text() for _ in range(8))) == ["All."] * 8
    finally:
        server.stop()


async def test_a_model_file_is_asked_one_call_after_the_other(
    scripted: ScriptedServer, tmp_path: Path
) -> None:
    scripted.script(Rule(delay=0.05))
    case = Case(replace(scripted.endpoint(), file="a.gguf"), tmp_path)
    await asyncio.gather(*(case.text() for _ in range(3)))
    assert case.kinds() == ["model_started", "model_finished"] * 3


async def test_the_built_in_model_is_asked_as_many_calls_as_it_writes_replies_at_once(
    scripted: ScriptedServer, tmp_path: Path
) -> None:
    scripted.script(Rule(fault="hang"))
    case = Case(replace(scripted.endpoint(), builtin=True), tmp_path, silence=60)
    calls = [asyncio.create_task(case.text()) for _ in range(SLOTS + 2)]
    while len(case.of(ModelStarted)) < SLOTS:
        await asyncio.sleep(0)
    assert case.chat.budget.ahead == 0
    scripted.script(Rule(reply="All."))
    calls[0].cancel()
    assert await asyncio.gather(*calls[SLOTS:]) == ["All."] * 2
    waited = [event.waited > 0 for event in case.of(ModelStarted)]
    assert waited == [False] * SLOTS + [True] * 2
    assert case.chat.budget.ahead is None
    for call in calls[1:SLOTS]:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)


async def test_the_server_s_endpoint_is_sent_as_many_calls_at_once_as_the_settings_say(
    scripted: ScriptedServer, tmp_path: Path
) -> None:
    settings = Settings(_env_file=None, rag_loupe_home=tmp_path, max_calls_at_once=1)
    tracers = {user: ListTracer() for user in ("ann", "bob", "")}
    chats = {
        user: Chat(scripted.endpoint(), tracer, settings, CallBudget(9), user)
        for user, tracer in tracers.items()
    }
    scripted.script(Rule(fault="hang"))

    def ask(user: str) -> asyncio.Task[str]:
        return asyncio.create_task(chats[user].text(ASK, skill="answer", method="model"))

    first = ask("ann")
    while not scripted.requests:
        await asyncio.sleep(0)
    scripted.script(Rule(reply="All."))
    rest = [ask("ann"), ask("ann"), ask("bob")]
    assert await ask("") == "All."  # whoever brings an endpoint does not wait for others
    assert [chats[user].budget.ahead for user in ("ann", "bob")] == [0, 2]
    first.cancel()
    assert await asyncio.gather(*rest) == ["All."] * 3
    assert [one["body"].get("user") for one in scripted.requests] == ["ann", None, "ann", "ann", "bob"]


async def test_structured_output_is_asked_for_by_schema_and_checked(
    case: Case, scripted: ScriptedServer
) -> None:
    assert len((await case.structured()).colours) == 2
    form = scripted.requests[0]["body"]["response_format"]
    assert form["json_schema"]["schema"]["properties"]["colours"]["type"] == "array"


@pytest.mark.parametrize(
    "bad", ['{"colours": ["re', "I would rather not.", '{"colours": []}', '{"colors": ["red"]}']
)
async def test_a_reply_that_does_not_fit_is_sent_back_once(
    case: Case, scripted: ScriptedServer, bad: str
) -> None:
    scripted.script(Rule(reply=bad, times=1), Rule(reply='{"colours": ["red"]}'))
    assert (await case.structured()).colours == ["red"]
    assert case.kinds().count("retried") == 1
    again = scripted.requests[1]["body"]["messages"]
    assert again[-2]["content"] == bad
    assert "does not have the form asked for" in again[-1]["content"]


async def test_truncated_json_twice_is_an_error_that_keeps_the_text(
    case: Case, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(fault="truncated", reply='{"colours": ["red", "green"]}'))
    with pytest.raises(ModelError, match="twice gave a reply without the form asked for"):
        await case.structured()
    assert [event.output for event in case.of(ModelFinished)] == ['{"colours": ["red",'] * 2
