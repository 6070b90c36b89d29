"""The server's endpoint is told who asks; one that refuses to be told is not told again."""

from __future__ import annotations

import json
import re

import pytest

from core.errors import ModelError
from core.models.calling import CallBudget
from core.models.capabilities import EndpointCapabilities, Sampling
from core.models.chat import Chat
from core.models.endpoint import name_for_endpoint
from core.settings import Settings
from core.trace.events import ListTracer, Message, ModelFailed, ModelStarted
from tests.cases import cases
from tests.scripted import Rule, ScriptedServer

OWNER = "0123456789abcdef" * 2
ASKED = [Message(role="user", content="Why?")]


def chat(scripted: ScriptedServer, tracer: ListTracer, user: str) -> Chat:
    settings = Settings(_env_file=None, retry_base_seconds=0.01)
    return Chat(scripted.endpoint(), tracer, settings, CallBudget(9), user)


def test_the_name_is_not_the_owner_s_id() -> None:
    assert re.fullmatch("[0-9a-f]{32}", name_for_endpoint(OWNER))
    assert name_for_endpoint(OWNER) == name_for_endpoint(OWNER) != name_for_endpoint("another")
    assert OWNER not in name_for_endpoint(OWNER)
    assert name_for_endpoint("") == ""


async def test_who_asks_is_sent_and_in_no_event(scripted: ScriptedServer) -> None:
    tracer = ListTracer()
    asking = chat(scripted, tracer, name_for_endpoint(OWNER))
    await asking.text(ASKED, skill="answer", method="model")
    await asking.traced(tracer).text(ASKED, skill="answer", method="model")
    await chat(scripted, tracer, "").text(ASKED, skill="answer", method="model")
    assert [one["body"].get("user") for one in scripted.requests] == [name_for_endpoint(OWNER)] * 2 + [None]
    assert not any("user" in event.sampling for event in tracer.events if isinstance(event, ModelStarted))


@pytest.mark.over_http
async def test_an_endpoint_that_refuses_the_field_is_asked_without_it(scripted: ScriptedServer) -> None:
    scripted.script(Rule(fault="no_user"))
    asking = chat(scripted, ListTracer(), name_for_endpoint(OWNER))
    for _ in range(2):
        assert await asking.text(ASKED, skill="answer", method="model")
    assert ["user" in one["body"] for one in scripted.requests] == [True, False, False]


@cases(
    ("complaint", "refused"),
    [
        ("Unrecognized request argument supplied: user", True),
        ("Unknown parameter: 'user'.", True),
        (
            '{"type": "extra_forbidden", "loc": ["body", "user"], "msg": "Extra inputs are not permitted"}',
            True,
        ),
        ("Conversation roles must alternate user/assistant/user/assistant", False),
        ("This model does not support images", False),
        ("The username is unknown", False),
    ],
)
def test_what_counts_as_a_refusal(complaint: str, refused: bool) -> None:
    capabilities = EndpointCapabilities(openai=False)
    capabilities.learn(complaint, capabilities.body(Sampling(), None, user="somebody"))
    assert capabilities.user is not refused


def refusal(message: str, kind: str, code: str) -> str:
    """A refusal as LiteLLM's proxy words it."""
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}})


MINE = f"ExceededBudget: End User={name_for_endpoint(OWNER)} over budget. Spend=0.0021, Budget=0.002"


@pytest.mark.over_http
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, MINE, "budget_exceeded"),
        (401, MINE, "auth_error"),
        (422, MINE, "budget_exceeded"),
        (429, MINE, "budget_exceeded"),
        (429, "Budget has been exceeded! Current cost: 76.16, Max budget: 10.0", "budget_exceeded"),
    ],
)
async def test_a_budget_of_a_proxy_that_is_used_up_is_said_once(
    scripted: ScriptedServer, status: int, message: str, kind: str
) -> None:
    """It is not tried again, nor without the name on whose account it is; and the name is in no event."""
    raw = refusal(message, kind, str(status))
    scripted.script(Rule(status=status, raw=raw, kind="application/json"))
    tracer = ListTracer()
    with pytest.raises(
        ModelError, match=r"says that a budget is used up: “.*udget.*”\. Wait until"
    ) as failed:
        await chat(scripted, tracer, name_for_endpoint(OWNER)).text(ASKED, skill="answer", method="model")
    assert ["user" in one["body"] for one in scripted.requests] == [True]
    said = [str(failed.value), *(one.error for one in tracer.events if isinstance(one, ModelFailed))]
    assert len(said) == 2
    assert not any(name_for_endpoint(OWNER) in words for words in said)
