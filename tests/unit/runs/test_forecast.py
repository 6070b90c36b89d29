"""Tokens and time of a coming run, judged from earlier ones and from the speed of the model."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.models.chat_models import BUILTIN, ChatModel, FileModel, RecordedModel
from core.models.recordings.items import Recording
from core.models.timing import Speed
from core.runs.backends import Backends
from core.runs.forecast import (
    JUDGED_RUNS,
    CallSeconds,
    PastTokens,
    call_seconds,
    past_tokens,
    recorded_tokens,
    run_forecast,
    savings,
    similar_tokens,
    time_sentence,
)
from core.runs.request import RunRequest
from core.runs.store import RunStore
from core.settings import Settings
from core.trace.events import ModelFinished, RunFinished, RunStarted, RunStopped, Usage
from tests import examples


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(f"sqlite:///{tmp_path / 'runs.sqlite'}")


def add(
    store: RunStore,
    run: str,
    *usages: tuple[int | None, int | None],
    owner: str = "me",
    finished: bool = True,
    **changes: Any,
) -> None:
    first = examples.RUNS["plain"]()[0]
    assert isinstance(first, RunStarted)
    started = first.model_copy(
        update={"run": run, "strategy": "plain", "chat_model": "m", "builtin": False, **changes}
    )
    calls = [
        ModelFinished(
            seq=number, call=str(number), output="x", seconds=1, usage=Usage(input=sent, output=got)
        )
        for number, (sent, got) in enumerate(usages, 1)
    ]
    seq = len(calls) + 1
    end = RunFinished(seq=seq) if finished else RunStopped(seq=seq, reason="Stopped.")
    store.append(run, [started, *calls, end], owner)


def judged(store: RunStore, **options: Any) -> PastTokens:
    asked = {"owners": ["me"], "strategy": "plain", "model": "m", "builtin": False, **options}
    return past_tokens(store, **asked)


def test_the_median_over_runs_of_the_tokens_per_call(store: RunStore) -> None:
    add(store, "a", (100, 10))
    add(store, "b", (200, 30), (400, 50))
    add(store, "c", (9000, 900))
    assert judged(store) == PastTokens(3, 300, 40)
    assert judged(store).of(7) == (2100, 280)
    assert PastTokens(1, 123.4, 0).of(10) == (1200, 0)


def test_only_comparable_runs_count(store: RunStore) -> None:
    add(store, "other-strategy", (1, 1), strategy="hyde")
    add(store, "other-model", (1, 1), chat_model="n")
    add(store, "built-in", (1, 1), chat_model="m", builtin=True)
    add(store, "theirs", (1, 1), owner="you")
    add(store, "stopped", (1, 1), finished=False)
    add(store, "fork", (1, 1), parent="a")
    add(store, "uncounted", (1, 1), (None, None))
    add(store, "no-call")
    assert judged(store) == PastTokens(0)
    assert judged(store, builtin=True, model="") == PastTokens(1, 1, 1)
    assert judged(store, model="").runs == 1  # the endpoint's first model, whichever that is
    store.pin("theirs", True)
    assert judged(store).runs == 1


def test_an_answer_that_looks_like_an_event_is_none(store: RunStore) -> None:
    add(store, "a", (10, 1), question='"type":"model_finished"')
    assert judged(store) == PastTokens(1, 10, 1)


def test_only_the_newest_runs_are_read(store: RunStore) -> None:
    for number in range(JUDGED_RUNS + 5):
        add(store, f"run-{number}", (10, 1))
    assert judged(store).runs == JUDGED_RUNS


# The time on this machine

HERE = FileModel("a.gguf")
SPEED = Speed(reading=100, writing=10, calls=7)


class Host:
    """Knows one speed."""

    def of(self, server: str, model: str) -> Speed | None:
        return SPEED if (server, model) == ("", "a.gguf") else None


@pytest.fixture
def backends(tmp_path: Path) -> Backends:
    known = Backends(Settings(_env_file=None, rag_loupe_home=tmp_path))
    known.models.__dict__["speeds"] = Host()
    return known


def request(strategy: str, **params: Any) -> RunRequest:
    return RunRequest("Why?", strategy, params, chat=replace(HERE, declared="capable"))


def seconds_with(backends: Backends, past: PastTokens, chat: ChatModel = HERE) -> CallSeconds:
    seconds = call_seconds(backends, chat, past)
    assert seconds is not None
    return seconds


def test_a_run_takes_its_calls_times_the_tokens_of_each_by_the_speed(backends: Backends) -> None:
    past = PastTokens(2, 1000, 50)  # 10 s of reading and 5 s of writing
    chain = run_forecast(backends, request("ircot", max_steps=6), seconds_with(backends, past))
    assert (chain.calls_expected, chain.calls_most) == (4, 7)
    assert (chain.seconds, chain.seconds_most) == (4 * 15, 7 * 15)
    assert time_sentence(chain, SPEED) == "60 seconds to 2 minutes on this machine, measured by 7 calls"
    graded = run_forecast(backends, request("self-rag", k=4), seconds_with(backends, past))
    assert graded.seconds == 15 * graded.calls_expected, (
        "what is asked at once takes the machine's time as well"
    )


def test_a_run_takes_no_longer_than_the_calls_that_it_may_send(backends: Backends) -> None:
    past = PastTokens(2, 1000, 50)
    agent = run_forecast(backends, request("agentic"), seconds_with(backends, past))
    assert agent.calls_most > backends.settings.max_calls
    assert agent.seconds_most == pytest.approx(15 * backends.settings.max_calls)


def test_a_strategy_that_was_never_run_takes_the_tokens_of_the_recording(backends: Backends) -> None:
    seconds = seconds_with(backends, PastTokens(0))
    read, written = recorded_tokens()["answer"]
    assert 1000 < read < 3000
    assert 20 < written < 200
    assert run_forecast(backends, request("plain"), seconds).seconds == read / 100 + written / 10
    assert seconds("grade_relevance") < seconds("answer")
    assert seconds("no-such-skill") > 0, "that of a usual call"


def test_of_a_model_elsewhere_or_one_that_plays_or_was_not_measured_no_time_is_known(
    backends: Backends,
) -> None:
    past = PastTokens(2, 1000, 50)
    assert call_seconds(backends, FileModel("b.gguf"), past) is None
    assert call_seconds(backends, BUILTIN, PastTokens(0)) is None, "its prompts are its own"
    recording = Recording("r", "", datetime.now(UTC), "R", "a.gguf", "", True, False, 1, 1)
    assert call_seconds(backends, RecordedModel(recording, model=HERE), past) is None


def test_tokens_of_other_models_stand_in_but_not_for_the_builtin_one(store: RunStore) -> None:
    add(store, "a", (100, 10), chat_model="n")
    asked: dict[str, Any] = {"owners": ["me"], "strategy": "plain", "model": "m"}
    similar = similar_tokens(store, **asked, builtin=False)
    assert (similar, similar.own) == (PastTokens(1, 100, 10, other=True), PastTokens(0))
    assert similar_tokens(store, **asked, builtin=True) == PastTokens(0)
    add(store, "b", (300, 30))
    similar = similar_tokens(store, **asked, builtin=False)
    assert similar == similar.own == PastTokens(1, 300, 30)


def saved(backends: Backends, strategy: str, **params: Any) -> list[tuple[str, Any]]:
    """Parameter and value, those first that save most."""
    seconds = seconds_with(backends, PastTokens(1, 1000, 50))
    return [(one.name, one.value) for one in savings(backends, request(strategy, **params), seconds)]


def test_the_parameters_that_save_most_are_offered(backends: Backends) -> None:
    assert saved(backends, "plain") == [], "one call is the least"
    assert saved(backends, "plain", rerank=20) == [("rerank", 0)], "half as many hits take as many calls"
    assert saved(backends, "ircot", max_steps=6) == [("max_steps", 3)]
    assert saved(backends, "ircot", max_steps=6, rerank=10)[0] == ("rerank", 0)
    assert saved(backends, "self-rag", k=6)[0] == ("k", 3)


def test_a_saving_is_the_difference_of_two_forecasts(backends: Backends) -> None:
    seconds = seconds_with(backends, PastTokens(1, 1000, 50))
    (steps,) = savings(backends, request("ircot", max_steps=6), seconds)
    assert (steps.usual, steps.most) == (0, 3 * 15), "three thoughts are usual"


def test_a_switch_that_costs_calls_can_be_turned_off(backends: Backends) -> None:
    assert ("read", False) in saved(backends, "search-o1", max_searches=2)
