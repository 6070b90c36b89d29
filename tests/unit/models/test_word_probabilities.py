"""How likely a word is to begin a reply: with log-probabilities, without them, and where nothing fits."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import CallLimitReached
from core.models import capabilities
from core.models.asking import CallBudget
from core.models.capabilities import Sampling
from core.models.chat import Chat
from core.models.endpoint import ChatEndpoint
from core.models.wire import Likely
from core.models.word_probabilities import word_probabilities
from core.settings import Settings
from core.trace.events import Message, ModelFinished, ModelStarted
from core.trace.tracer import ListTracer
from tests.scripted import Rule, ScriptedServer

pytestmark = pytest.mark.over_http

ASK = (Message(role="user", content="Is it?"),)
WORDS = ("yes", "no")


@pytest.fixture
def tracer() -> ListTracer:
    return ListTracer()


@pytest.fixture
def chat(scripted: ScriptedServer, tracer: ListTracer) -> Chat:
    settings = Settings(_env_file=None, retry_base_seconds=0.01, model_attempts=3)
    return Chat(scripted.endpoint(), tracer, settings, CallBudget(4))


async def ask(chat: Chat, sampling: Sampling = Sampling()) -> dict[str, float]:  # noqa: B008  # frozen
    return await chat.word_probabilities(ASK, WORDS, skill="grade", method="taught", sampling=sampling)


def body(scripted: ScriptedServer) -> dict[str, Any]:
    found: dict[str, Any] = scripted.requests[-1]["body"]
    return found


def of(words: tuple[str, ...], reply: str = "", **likely: float) -> dict[str, float]:
    tokens = [Likely(text.replace("_", " "), math.log(chance)) for text, chance in likely.items()]
    return word_probabilities(words, tokens, reply)


async def test_one_token_is_asked_for_with_its_log_probabilities(
    chat: Chat, scripted: ScriptedServer, tracer: ListTracer
) -> None:
    scripted.script(Rule(reply="Yes", chances={"Yes": 0.5, " yes": 0.1, "No": 0.2, "Maybe": 0.2}))
    extra = {"lora": [{"id": 0, "scale": 1.0}], "top_logprobs": 5}
    found = await ask(chat, Sampling(temperature=0.9, max_tokens=50, extra=extra))
    assert found == pytest.approx({"yes": 0.75, "no": 0.25})
    sent = {"temperature": 0.0, "max_tokens": 1, "logprobs": True, **extra}
    assert sent.items() <= body(scripted).items()
    started, finished = tracer.events
    assert isinstance(started, ModelStarted)
    assert isinstance(finished, ModelFinished)
    assert (started.skill, started.method, finished.output) == ("grade", "taught", "Yes")
    assert sent.items() <= started.sampling.items()


async def test_twenty_tokens_are_looked_at(chat: Chat, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="Yes", chances={"Yes": 1.0}))
    assert await ask(chat) == {"yes": 1.0, "no": 0.0}
    assert body(scripted)["top_logprobs"] == 20


async def test_a_blank_reply_is_judged_by_what_could_have_stood_there(
    chat: Chat, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply=" ", chances={" ": 0.9, "no": 0.1}))
    assert await ask(chat) == {"yes": 0.0, "no": 1.0}


@pytest.mark.parametrize(
    ("reply", "found"),
    [("No.", {"yes": 0, "no": 1}), (" YES, it is", {"yes": 1, "no": 0}), ("Perhaps", {})],
)
async def test_without_log_probabilities_the_reply_itself_counts(
    chat: Chat, scripted: ScriptedServer, reply: str, found: dict[str, float]
) -> None:
    scripted.script(Rule(reply=reply))
    assert await ask(chat) == found


async def test_an_endpoint_that_refuses_them_is_not_asked_for_them_again(
    chat: Chat, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply="no", fault="no_logprobs"))
    assert await ask(chat) == await ask(chat) == {"yes": 0.0, "no": 1.0}
    assert ["logprobs" in seen["body"] for seen in scripted.requests] == [True, False, False]
    assert "top_logprobs" not in body(scripted)


async def test_failures_are_tried_again_and_the_calls_counted(chat: Chat, scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="server_error", times=1), Rule(reply="yes", chances={"yes": 1.0}))
    assert (await ask(chat))["yes"] == 1.0
    assert chat.budget.used == 2
    await ask(chat)
    await ask(chat)
    with pytest.raises(CallLimitReached):
        await ask(chat)


async def test_other_calls_ignore_what_nobody_asked_for(chat: Chat, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="Fine.", chances={"Fine": 1.0}))
    assert await chat.text(ASK, skill="answer", method="model") == "Fine."
    assert "logprobs" not in body(scripted)


def test_a_token_may_be_the_beginning_of_one_word_only() -> None:
    grades = ("fully", "partially", "no", "none")
    assert of(grades, _Part=0.3, f=0.3, n=0.4) == {"fully": 0.5, "partially": 0.5, "no": 0, "none": 0}
    assert of(grades, no=0.2, non=0.2, nothing=0.6) == {"fully": 0, "partially": 0, "no": 0.5, "none": 0.5}


def test_what_cannot_be_counted_counts_nothing() -> None:
    assert of(WORDS, "Perhaps", Perhaps=0.9, _=0.1) == {}
    assert word_probabilities(WORDS, [Likely("yes", math.nan), Likely("no", -9999.0)], "") == {}
    assert word_probabilities(WORDS, [Likely("yes", -math.inf), Likely("no", 999.0)], "") == {
        "yes": 0.0,
        "no": 1.0,
    }


def test_a_reply_begins_with_whole_words() -> None:
    assert word_probabilities(("no", "not"), [], "Not at all") == {"no": 0.0, "not": 1.0}
    assert word_probabilities(WORDS, [], "nothing") == {}
    assert word_probabilities(WORDS, [], "ye") == {"yes": 1.0, "no": 0.0}


def test_each_call_to_a_model_with_an_adapter_says_whether_it_is_wanted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = {"lora": [{"id": 0, "scale": 1.0}]}

    def lora(*, builtin: bool) -> list[Any]:
        monkeypatch.setattr(capabilities, "_CAPABILITIES", {})
        endpoint = ChatEndpoint("http://127.0.0.1:1/v1", SecretStr("k"), "m", builtin)
        known = capabilities.capabilities_of(endpoint)
        return [known.body(one, None).get("lora") for one in (Sampling(), Sampling(extra=wanted))]

    assert lora(builtin=True) == [[{"id": 0, "scale": 0.0}], wanted["lora"]]
    assert lora(builtin=False) == [None, wanted["lora"]]
