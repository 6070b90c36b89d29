"""The recording that comes with the app: runs that it is to hold are played, without a model; all when thorough."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.corpora.demo import DEMO_CORPUS
from core.jobs import run_blocking
from core.models.chat_models import RecordedModel
from core.models.embedding_vectors import Embeddings
from core.models.recordings.files import from_lines
from core.models.recordings.items import BUILDING, KeptReply, KeptRun
from core.models.recordings.store import RecordingStore
from core.runs import recordings
from core.runs.recordings import install_shipped
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.trace.artefacts import Ranking
from core.users import APP
from tests.bench import leave, open_bench
from tests.homes import Homes
from tools.explorables.forked import forked, told
from tools.recording import FILE, PLAN, edited, fork_all, graph_job, planned, play_all

NOISE = 0.01


class Disturbed(Embeddings):
    """An embedding model whose vectors are never twice the same, as from another processor."""

    def __init__(self, model: Embeddings) -> None:
        self.model, self.chance = model, np.random.default_rng(0)
        self.dimensions = model.dimensions

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows = np.array(self.model.embed_documents(texts))
        noise = self.chance.normal(size=rows.shape)
        noise *= (
            NOISE * np.linalg.norm(rows, axis=1, keepdims=True) / np.linalg.norm(noise, axis=1, keepdims=True)
        )
        found: list[list[float]] = (rows + noise).tolist()
        return found

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


@pytest.fixture(scope="module")
def bench(homes: Homes) -> Iterator[Workbench]:
    opened = open_bench(homes.demo())
    usual = opened.backends.embedder
    opened.backends.__dict__["embedder"] = replace(usual, embeddings=Disturbed(usual.embeddings))
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    for corpus in plan["languages"]["corpora"]:
        opened.corpora.demo(corpus).result()
    yield opened
    leave(opened)


def every(plan: dict[str, Any], bench: Workbench) -> list[tuple[str, RunRequest]]:
    """All runs of the plan, each as its title and its request."""
    return list(planned(plan, bench))


def telling(plan: dict[str, Any], bench: Workbench) -> list[tuple[str, RunRequest]]:
    """Every strategy with a few questions, what forks and lessons need, each change of a value and each corpus: enough
    that a change of any prompt, method, default or document is noticed."""
    wanted = {f"{key} {one}" for key in strategies() for one in ("q01", plan["further"][key][0])}
    wanted |= {
        f"{key} {one}"
        for group in plan["beside"]
        for key in group["strategies"]
        for one in group["questions"]
    }
    wanted |= {title.rsplit(" ", 1)[0] for title, _, _ in edited(plan, bench)}
    tried, found = set[object](), []
    for title, request in planned(plan, bench):
        strategy, _, *other = title.split(" ", 2)  # what is changed, or another corpus
        aspects = {(strategy, request.corpus == DEMO_CORPUS), *other} if other else set()
        if title in wanted or aspects - tried:
            found.append((title, request))
            tried |= aspects
    return found


@pytest.mark.parametrize("of_the_plan", [telling, pytest.param(every, marks=pytest.mark.thorough)])
def test_runs_are_played_though_query_vectors_differ_a_little(
    bench: Workbench, of_the_plan: Callable[[dict[str, Any], Workbench], list[tuple[str, RunRequest]]]
) -> None:
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    (shipped,) = bench.recordings.store.listed([])
    chat = RecordedModel(shipped)
    building = graph_job(plan, bench, chat)
    played = run_blocking(play_all(bench, of_the_plan(plan, bench), chat, 8))
    assert {one.title: one.run.error for one in played if one.run.state != "finished"} == {}
    assert not building.result().failed
    cited = Counter(
        one.run.started.strategy
        for one in played
        if one.run.started and one.run.answer and one.run.answer.citations
    )
    assert {key for key, one in strategies().items() if one.retrieves or one.explores} <= cited.keys()
    forks = run_blocking(fork_all(bench, played, plan, chat, 8))
    assert [one.title for one in forks] == [title for title, _, _ in edited(plan, bench)]
    assert {one.title: one.run.error for one in forks if one.run.state != "finished"} == {}
    texts: dict[str, Any] = {}
    kept = {one.title: told(one.run, texts) for one in (*played, *forks) if one.title in forked().runs}
    assert kept.items() <= forked().runs.items()
    for one in (*played, *forks):
        assert all(call.recorded == shipped.name for call in one.run.calls), one.title
        searched = [ranking for ranking in one.run.find(Ranking) if ranking.skill != "rerank"]
        assert all(ranking.recorded == shipped.name for ranking in searched), one.title
    _, items = from_lines(FILE.name, FILE.read_bytes(), recordings.LARGEST_SHIPPED)
    asked = {call.skill for one in (*played, *forks) for call in one.run.calls}
    assert {item.skill for item in items if isinstance(item, KeptReply)} - asked == {"extract"}  # the graph's


def test_every_run_of_the_plan_is_in_it_and_no_other(bench: Workbench) -> None:
    def how(one: RunRequest | KeptRun) -> tuple[str, str, str, str]:
        return one.question, one.strategy, one.corpus or "", one.graph or ""

    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    _, items = from_lines(FILE.name, FILE.read_bytes(), recordings.LARGEST_SHIPPED)
    kept = [item for item in items if isinstance(item, KeptRun) and item.strategy != BUILDING]
    assert Counter(map(how, kept)) == Counter(how(request) for _, request in planned(plan, bench))


def test_the_file_says_who_wrote_the_replies_and_that_the_pace_is_no_measurement() -> None:
    head, items = from_lines(FILE.name, FILE.read_bytes(), recordings.LARGEST_SHIPPED)
    assert "Claude" in head.licence
    assert "CC0" in head.licence
    assert not head.measured
    assert sum(isinstance(item, KeptReply) for item in items) > 600


def test_what_the_readme_asks_of_it_is_in_it() -> None:
    words = (FILE.parents[2] / "README.md").read_text(encoding="utf-8")
    asked = re.findall(r'ask "([^"]+)" --strategy (\S+) --recording Pellamar', words)
    _, items = from_lines(FILE.name, FILE.read_bytes(), recordings.LARGEST_SHIPPED)
    known = {(run.question, run.strategy) for run in items if isinstance(run, KeptRun)}
    assert asked
    assert set(asked) <= known


def test_a_database_gets_it_once_and_a_later_one_takes_its_place(
    homes: Homes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = RecordingStore(f"sqlite:///{homes.new() / 'rag-loupe.sqlite'}")
    first, again = install_shipped(store), install_shipped(store)
    assert first is not None
    assert again == first
    assert (first.owner, first.pinned, first.name) == (APP.owner, True, "Pellamar")
    later = tmp_path / "later.jsonl"
    lines = FILE.read_bytes().splitlines()
    later.write_bytes(b"\n".join(line for line in lines[:-1]))
    monkeypatch.setattr(recordings, "SHIPPED", later)
    second = install_shipped(store)
    assert second is not None
    assert second.id != first.id
    assert [one.id for one in store.listed([])] == [second.id]
    monkeypatch.setattr(recordings, "SHIPPED", tmp_path / "none.jsonl")
    assert install_shipped(store) is None
    store.close()
