"""What a process knows of languages and embeddings: told and measured in the background, once, and never in the way."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.corpora.entries import Corpus
from core.errors import ModelError
from core.jobs import run_blocking
from core.models.recordings.items import KeptRun
from core.models.recordings.keys import digest
from core.retrieval import check
from core.retrieval.defaults import Default, Quality
from core.runs.preparing import recorded_share
from core.runs.recorded_default import recorded_default
from core.runs.sources.defaults import RetrieverDefaults
from core.trace.events import RunStarted, now


def corpus(name: str = "Notes", version: int = 1) -> Corpus:
    return Corpus("c1", name, datetime(2026, 1, 1), "e", "E", 240, 50, version, (), 1, 1)


class Known:
    """Languages, told when somebody lets it."""

    def __init__(self, folder: Path, *, builtin: bool = True) -> None:
        self.kept: dict[tuple[str, int], Mapping[str, float]] = {}
        self.told, self.go_on = 0, threading.Event()
        embedder = SimpleNamespace(builtin=builtin, key="e5-1", name="e5")
        settings = SimpleNamespace(database=f"sqlite:///{folder / 'checks.sqlite'}")
        backends: Any = SimpleNamespace(embedder=embedder, settings=settings)
        self.defaults = RetrieverDefaults(backends, self.of, self.tell)

    def of(self, corpus: Corpus) -> Mapping[str, float] | None:
        return self.kept.get((corpus.id, corpus.version))

    async def tell(self, corpus: Corpus) -> Mapping[str, float]:
        self.told += 1
        self.kept[corpus.id, corpus.version] = {"Korean": 1.0}
        self.go_on.set()
        return {"Korean": 1.0}

    def jobs_end(self) -> None:
        for job in list(self.defaults._jobs.values()):
            job.result(10)


def test_languages_that_are_not_known_are_told_in_the_background(tmp_path: Path) -> None:
    known = Known(tmp_path)
    assert known.defaults.of(corpus()) == Default("hybrid")
    known.jobs_end()
    found = known.defaults.of(corpus())
    assert found.why.startswith("Korean documents: ")
    assert found.dense_share is not None
    assert known.defaults.of(corpus()) == found
    assert known.told == 1
    assert run_blocking(known.defaults.found(corpus(version=2))) == found
    assert known.told == 2


def test_those_of_the_apps_own_corpora_are_known(tmp_path: Path) -> None:
    known = Known(tmp_path)
    assert known.defaults.of(corpus("Pellamar (Japanese)")).why.startswith("Japanese documents: ")
    assert known.told == 0


def test_an_endpoint_is_measured_once_and_then_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    async def measured(_: object, language: str) -> Quality:
        asked.append(language)
        return Quality(0.95, 0.85, 0.8)

    monkeypatch.setattr(check, "check", measured)
    known = Known(tmp_path, builtin=False)
    first = known.defaults.among({"Korean": 0.6, "Welsh": 0.4})
    assert (first.retriever, first.dense_share) == ("hybrid", None)
    known.jobs_end()
    found = known.defaults.among({"Korean": 0.6, "Welsh": 0.4})
    assert found.retriever == "dense"
    assert "Korean documents: dense search finds more than keyword search (0.95 against 0.80" in found.why
    other = Known(tmp_path, builtin=False)
    assert other.defaults.among({"Korean": 1.0}).retriever == "dense"
    assert asked == ["Korean"]


def test_an_endpoint_that_fails_leaves_hybrid_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(_: object, language: str) -> Quality:
        raise ModelError("The embeddings endpoint cannot be reached. Check that it runs.")

    monkeypatch.setattr(check, "check", fails)
    known = Known(tmp_path, builtin=False)
    for _ in range(3):
        assert known.defaults.among({"Korean": 1.0}).retriever == "hybrid"
        known.jobs_end()
    assert len(known.defaults._jobs) == 1, "it is not asked again and again"


def run(question: str = "Who?", **values: Any) -> KeptRun:
    how = {"question": question, "strategy": "plain", "mark": "m", "retriever": "dense"} | values
    return KeptRun(key=digest("run", how), **how)


def test_a_recording_is_searched_as_it_was_made() -> None:
    runs = [run(), run("When?"), run("Where?", retriever="hybrid"), run(mark="n", retriever="keyword")]
    found = recorded_default("Lesson", runs, "plain", mark="m")
    assert found is not None
    assert (found.retriever, found.why) == (
        "dense",
        "The recording “Lesson” was made with dense search of these documents.",
    )
    by_question = recorded_default("Lesson", runs, "plain", questions={"Where?"})
    assert by_question is not None
    assert by_question.retriever == "hybrid"
    assert recorded_default("Lesson", runs, "hyde", mark="m") is None
    assert recorded_default("Lesson", runs, "plain", mark="other") is None
    assert recorded_default("Lesson", [run(retriever="")], "plain") is None


@pytest.mark.parametrize(
    ("known", "share"),
    [
        ([], 0.4),
        ([run(retriever="hybrid")], None),
        ([run(retriever="hybrid", dense_share=0.7)], 0.7),
        ([run(retriever="hybrid"), run(retriever="hybrid", dense_share=0.4)], 0.4),
        ([run(retriever="dense"), run("When?", retriever="hybrid")], 0.4),
    ],
)
def test_so_are_its_weights(known: list[KeptRun], share: float | None) -> None:
    started = RunStarted(
        run="r", created=now(), question="Who?", strategy="plain", params={}, chat_model="", builtin=False,
        retriever="hybrid",
    )  # fmt: skip
    assert recorded_share(known, started, "m", 0.4) == share
