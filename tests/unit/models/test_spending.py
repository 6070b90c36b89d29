"""Budgets for a day: what counts, for whom, over processes and threads; on SQLite and on PostgreSQL."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from core.errors import CallLimitReached, ModelError
from core.models.calling import CallBudget
from core.models.chat import Chat
from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel, EndpointModel, FileModel, RecordedModel
from core.models.endpoint import ChatEndpoint, name_for_endpoint
from core.models.recordings.items import Head
from core.models.recordings.store import RecordingStore
from core.models.spending import DayBudget, Quantity, Spending, SpendingStore
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
    limit = Quantity(calls=3)
    with ThreadPoolExecutor(8) as threads:
        taken = list(threads.map(lambda turn: stores[turn % 2].take("me", TODAY, limit), range(12)))
    assert sorted(spent is None for spent in taken) == [False] * 9 + [True] * 3
    assert {spent for spent in taken if spent} == {Quantity(3, 0)}
    assert stores[0].take("other", TODAY, limit) is None
    stores[1].add("me", TODAY, Quantity(calls=-1, tokens=70))
    assert stores[0].spent("me", TODAY) == Quantity(2, 70)
    assert stores[0].take("me", TODAY, Quantity(tokens=70)) == Quantity(2, 70)
    assert stores[0].take("me", TODAY, Quantity(tokens=71)) is None
    for store in stores:
        store.close()


def test_a_day_begins_anew_and_past_days_are_forgotten(database: str) -> None:
    store, limit, tomorrow = SpendingStore(database), Quantity(calls=1), TODAY + timedelta(1)
    assert store.take("me", TODAY, limit) is None
    assert store.take("other", TODAY, limit) is None
    assert store.take("me", TODAY, limit) is not None
    assert store.take("me", tomorrow, limit) is None
    assert store.spent("me", TODAY) == store.spent("other", TODAY) == Quantity()
    store.add("me", TODAY, Quantity(tokens=9))  # a call that began before midnight
    assert store.spent("me", TODAY) == Quantity()
    store.delete_before(tomorrow + timedelta(1))
    assert store.spent("me", tomorrow) == Quantity()
    store.close()


def test_deleting_an_owner_renews_no_budget(database: str) -> None:
    store, today = SpendingStore(database), now().date()
    for day in (today - timedelta(1), today):
        with store.session() as session:
            session.execute(
                SpendingStore.tables.tables["spending"].insert(),
                [{"owner": name_for_endpoint(owner), "day": day} for owner in ("me", "other")],
            )
        store.add("me", day, Quantity(5, 5))
        store.add("other", day, Quantity(5, 5))
    store.delete("me")
    assert store.spent("me", today - timedelta(1)) == Quantity()
    assert store.spent("me", today) == store.spent("other", today - timedelta(1)) == Quantity(5, 5)
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
    spending = Spending(settings(database_url=SecretStr("sqlite:///:memory:"), **values))
    assert (spending.budget(chat, by) is not None) is limited


def test_a_recording_has_one_where_the_server_answers_what_it_lacks(tmp_path: Path) -> None:
    made = RecordingStore(f"sqlite:///{tmp_path / 'a.sqlite'}").begin(
        Head(name="a", model="m", created=now()), "me"
    )
    spending = Spending(settings(rag_loupe_home=tmp_path))
    assert spending.budget(RecordedModel(made, missing="fail"), ME) is None
    assert spending.budget(RecordedModel(made, missing="endpoint"), ME) is not None


class Case:
    """A visitor who asks the scripted endpoint with a budget for the day."""

    def __init__(self, server: ScriptedServer, home: Path, **values: object) -> None:
        self.settings = settings(rag_loupe_home=home, **values)
        self.tracer, self.server = ListTracer(), server
        day = Spending(self.settings).budget(CONFIGURED, ME)
        assert day is not None
        self.day: DayBudget = day

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
    assert case.day.spent().calls == 1
    tokens = case.day.spent().tokens
    assert tokens > 0
    scripted.script(Rule(reply="Since it scatters light.", usage=False))
    await case.ask()
    assert (
        case.day.spent().tokens
        == tokens + len("Why is the sky blue?") // 4 + len("Since it scatters light.") // 4
    )
    assert case.day.left() == "Used today: 2 of 2 calls. It begins anew at midnight UTC."
    with pytest.raises(
        CallLimitReached, match=r"used 2 calls .* each visitor has 2 calls a day.*ask the teacher"
    ):
        await case.ask()
    assert len(scripted.requests) == 2


async def test_tokens_have_a_limit_too(scripted: ScriptedServer, tmp_path: Path) -> None:
    case = Case(
        scripted,
        tmp_path,
        max_calls_per_visitor_day=0,
        max_tokens_per_visitor_day=1,
        browser_endpoints="none",
    )
    await case.ask()
    with pytest.raises(CallLimitReached, match=r"has 1 token a day\. .* midnight UTC") as refused:
        await case.ask()
    assert "endpoint of your own" not in str(refused.value)


async def test_what_the_model_never_worked_on_does_not_count(
    scripted: ScriptedServer, tmp_path: Path
) -> None:
    case = Case(scripted, tmp_path)
    scripted.script(Rule(fault="rate_limit", times=1), Rule(status=500, times=1))
    await case.ask()
    assert case.day.spent().calls == 1
    scripted.script(Rule(status=400, reply="No."))
    with pytest.raises(ModelError, match="No"):
        await case.ask()
    assert case.day.spent().calls == 1


@pytest.mark.over_http
async def test_a_reply_that_breaks_off_counts(scripted: ScriptedServer, tmp_path: Path) -> None:
    case = Case(scripted, tmp_path)
    scripted.script(Rule(fault="cut"))
    with pytest.raises(CallLimitReached):  # tried again until the day's calls are used up
        await case.ask()
    assert case.day.spent().calls == 3
