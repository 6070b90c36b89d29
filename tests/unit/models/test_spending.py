"""Budgets for a day: what counts, for whom, over processes and threads; on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from core.errors import CallLimitReached
from core.models.calling import CallBudget
from core.models.chat import Chat
from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel, EndpointModel, FileModel, RecordedModel
from core.models.endpoint import ChatEndpoint, name_for_endpoint
from core.models.recordings.items import Head
from core.models.recordings.store import RecordingStore
from core.models.spending import DayBudget, SpendingStore, day_budget, spending_store
from core.settings import Settings
from core.trace.events import ListTracer, Message, now
from core.users import User
from tests.cases import cases
from tests.postgres import PostgresServer
from tests.scripted import Rule, ScriptedServer

ME = User("me")
TODAY = date(2026, 5, 4)
ASKED = [Message(role="user", content="Why is the sky blue?")]


def settings(**values: object) -> Settings:
    usual: dict[str, object] = {
        "teacher_password": SecretStr("right"),
        "openai_base_url": "http://models.test/v1",
        "retry_base_seconds": 0,
        "max_calls_per_visitor_day": 3,
    }
    return Settings(_env_file=None, **(usual | values))  # type: ignore[arg-type]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.processes)])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'a.sqlite'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


def test_calls_are_counted_up_to_the_limit_over_several_processes(database: str) -> None:
    stores = [SpendingStore(database) for _ in range(2)]
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda turn: stores[turn % 2].take("me", TODAY, 3, 0), range(12)))
    assert sorted(taken) == [False] * 9 + [True] * 3
    assert stores[0].take("other", TODAY, 3, 0)
    stores[1].add("me", TODAY, 70)
    assert stores[0].usage("me", TODAY) == (3, 70)
    assert not stores[0].take("me", TODAY, 0, 70)
    assert stores[0].take("me", TODAY, 0, 71)
    for store in stores:
        store.close()


def test_a_day_begins_anew_and_past_days_are_forgotten(database: str) -> None:
    store, tomorrow = SpendingStore(database), TODAY + timedelta(1)
    assert [store.take("me", TODAY, 1, 0) for _ in range(2)] == [True, False]
    assert store.take("me", tomorrow, 1, 0)
    store.delete_before(tomorrow)
    assert (store.usage("me", TODAY), store.usage("me", tomorrow)) == ((0, 0), (1, 0))
    store.close()


OWN = EndpointModel(ChatEndpoint("https://own.test/v1", SecretStr(""), "m"))


@cases(
    ("chat", "by", "values", "limited"),
    [
        (CONFIGURED, ME, {}, True),
        (CONFIGURED, ME, {"max_calls_per_visitor_day": 0, "max_tokens_per_visitor_day": 9}, True),
        (CONFIGURED, ME, {"max_calls_per_visitor_day": 0}, False),
        (CONFIGURED, ME, {"teacher_password": SecretStr("")}, False),
        (CONFIGURED, User("me", teacher=True), {}, False),
        (CONFIGURED, ME, {"openai_base_url": ""}, False),
        (BUILTIN, ME, {}, False),
        (FileModel("own.gguf"), ME, {}, False),
        (OWN, ME, {}, False),
    ],
)
def test_who_has_a_budget(chat: ChatModel, by: User, values: dict[str, object], limited: bool) -> None:
    assert (day_budget(settings(**values), chat, by) is not None) is limited


def test_a_recording_has_one_where_the_server_answers_what_it_lacks(tmp_path: Path) -> None:
    made = RecordingStore(f"sqlite:///{tmp_path / 'a.sqlite'}").begin(
        Head(name="a", model="m", created=now()), "me"
    )
    assert day_budget(settings(), RecordedModel(made, missing="fail"), ME) is None
    assert day_budget(settings(), RecordedModel(made, missing="endpoint"), ME) is not None


class Case:
    """A visitor who asks the scripted endpoint with a budget for the day."""

    def __init__(self, server: ScriptedServer, home: Path, **values: object) -> None:
        self.settings = settings(rag_loupe_home=home, **values)
        self.tracer, self.server = ListTracer(), server
        day = day_budget(self.settings, CONFIGURED, ME)
        assert day is not None
        self.day: DayBudget = day

    @property
    def spent(self) -> tuple[int, int]:
        """The calls and tokens of today."""
        return spending_store(self.settings.database).usage(self.day.visitor, now().date())

    async def ask(self) -> str:
        budget = CallBudget(9, day=self.day)
        chat = Chat(self.server.endpoint(), self.tracer, self.settings, budget, name_for_endpoint("me"))
        return await chat.text(ASKED, skill="answer", method="model")


async def test_a_call_counts_with_its_tokens_and_the_next_one_is_refused(
    scripted: ScriptedServer, tmp_path: Path
) -> None:
    case = Case(scripted, tmp_path, max_calls_per_visitor_day=2)
    scripted.script(Rule(reply="Since it scatters light."))
    await case.ask()
    assert case.day.spent() == ""
    calls, tokens = case.spent
    assert (calls, tokens > 0) == (1, True)
    scripted.script(Rule(reply="Since it scatters light.", usage=False))
    await case.ask()
    assert case.spent == (2, tokens + len("Why is the sky blue?Since it scatters light.") // 4)
    assert case.day.spent().startswith("Your budget for today is used up: 2 of 2 calls")
    with pytest.raises(CallLimitReached, match=r"used up: 2 of 2 calls of .* midnight UTC.*ask the teacher"):
        await case.ask()
    assert len(scripted.requests) == 2


async def test_tokens_have_a_limit_too(scripted: ScriptedServer, tmp_path: Path) -> None:
    case = Case(scripted, tmp_path, max_calls_per_visitor_day=0, max_tokens_per_visitor_day=1)
    assert case.day.spent() == ""
    await case.ask()
    assert "of 1 tokens of" in case.day.spent()
    with pytest.raises(CallLimitReached, match=r"used up: [\d,]+ of 1 tokens of"):
        await case.ask()


async def test_a_call_that_is_stopped_counts_with_what_was_sent(
    scripted: ScriptedServer, tmp_path: Path
) -> None:
    case = Case(scripted, tmp_path)
    scripted.script(Rule(delay=600))
    asking = asyncio.create_task(case.ask())
    while not scripted.requests:
        await asyncio.sleep(0.01)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert case.spent == (1, len("Why is the sky blue?") // 4)
