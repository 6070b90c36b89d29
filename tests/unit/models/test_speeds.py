"""The speed of the models of this machine, in the database."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from core.errors import ModelError, StoreError
from core.models.calling import CallBudget
from core.models.chat import Chat
from core.models.endpoint import ChatEndpoint
from core.models.host import ModelHost
from core.models.speeds import NEWEST, Speeds
from core.models.timing import CallTime, Speed
from core.models.trial import read_ahead, try_out
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.trace.events import ListTracer, Message
from tests.scripted import Rule, ScriptedServer

SERVER = "http://127.0.0.1:11434/v1"


def endpoint(url: str = SERVER, model: str = "m", file: str = "") -> ChatEndpoint:
    return ChatEndpoint(url, SecretStr("none"), model, file=file)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.sqlite'}"


@pytest.fixture
def host(tmp_path: Path) -> ModelHost:
    settings = Settings(_env_file=None, rag_loupe_home=tmp_path, model_attempts=1)
    return ModelHost(settings, Supervisor(tmp_path))


def test_calls_are_kept_for_later_processes_and_each_model_has_its_own(database: str) -> None:
    speeds = Speeds(database)
    assert speeds.of(SERVER, "m") is None
    speeds.keep(endpoint(), CallTime(1000, 10, 50, 10))
    speeds.keep(endpoint(model="n"), CallTime(1000, 1, 50, 1))
    assert speeds.of(SERVER, "m") == Speeds(database).of(SERVER, "m") == Speed(100, 5, 1)
    assert speeds.of("http://127.0.0.1:1234/v1", "m") is None
    assert speeds.of(SERVER, "") is None


def test_what_the_app_runs_is_known_at_whatever_port(database: str) -> None:
    speeds = Speeds(database)
    speeds.keep(endpoint("http://127.0.0.1:5001/v1", "a (12ab)", file="a.gguf"), CallTime(1000, 10, 50, 10))
    assert speeds.of("", "a (12ab)") == Speed(100, 5, 1)


def test_an_endpoint_elsewhere_is_not_measured(database: str) -> None:
    speeds = Speeds(database)
    far = endpoint("https://api.example.com/v1")
    with speeds.shared(far).call():
        pass
    assert speeds.of(far.base_url, "m") is None
    assert speeds.of_asked("m") is None


def test_only_the_newest_calls_count(database: str) -> None:
    speeds = Speeds(database)
    for seconds in (10.0,) * NEWEST + (5.0,) * NEWEST:
        speeds.keep(endpoint(), CallTime(1000, seconds, 50, seconds))
    assert speeds.of(SERVER, "m") == Speed(200, 10, NEWEST)


def test_no_address_is_stored(database: str, tmp_path: Path) -> None:
    Speeds(database).keep(endpoint("http://localhost:8000/secret-path/v1", "m"), CallTime(9, 9, 9, 9))
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"secret-path" not in stored


def test_a_database_that_cannot_be_used_costs_no_reply(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").mkdir()
    speeds = Speeds(f"sqlite:///{tmp_path / 'runs.sqlite'}")
    speeds.keep(endpoint(), CallTime(1000, 10, 50, 10))
    with pytest.raises(StoreError):
        speeds.of(SERVER, "m")


async def test_a_call_is_measured_and_a_failed_one_is_not(scripted: ScriptedServer, host: ModelHost) -> None:
    told = scripted.endpoint()
    chat = Chat(told, ListTracer(), host.settings, CallBudget(9), speeds=host.speeds)
    ask = (Message(role="user", content="a long question " * 80),)
    scripted.script(Rule(status=400, times=1), Rule(reply="It is so, and it has been so for a long time."))
    with pytest.raises(ModelError):
        await chat.text(ask, skill="answer", method="model")
    for _ in range(2):
        await chat.traced(ListTracer()).text(ask, skill="answer", method="model")
    speed = host.speeds.of_asked(told.model)
    assert speed is not None
    assert speed.calls == 2
    assert speed == host.speeds.of(told.base_url, told.model)


async def test_a_trial_measures_what_was_never_asked_and_only_that(
    scripted: ScriptedServer, host: ModelHost
) -> None:
    told = scripted.endpoint()
    scripted.script(Rule(reply="Then the lamp went out, and nobody saw it."))
    await try_out(told, host)
    await try_out(told, host)
    assert len(scripted.requests) == 1
    assert host.speeds.of(told.base_url, told.model) is not None


async def test_a_trial_that_fails_is_no_matter(scripted: ScriptedServer, host: ModelHost) -> None:
    scripted.script(Rule(status=500))
    await try_out(scripted.endpoint(), host)
    assert host.speeds.of(scripted.base_url, scripted.endpoint().model) is None


async def test_a_model_file_reads_the_rules_ahead(scripted: ScriptedServer, host: ModelHost) -> None:
    rules = Message(role="system", content="Answer from the passages alone.")
    await read_ahead(scripted.endpoint(), host, rules)
    assert not scripted.requests
    await read_ahead(replace(scripted.endpoint(), file="a.gguf"), host, rules)
    body = scripted.requests[0]["body"]
    assert (body["messages"][0]["content"], body["max_tokens"]) == ("Answer from the passages alone.", 1)
