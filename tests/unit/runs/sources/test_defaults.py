"""The default retriever of a corpus: by its languages, found out in the background, once, and never in the way."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from core.corpora.entries import Corpus
from core.jobs import run_blocking
from core.models.recordings.items import KeptRun
from core.models.recordings.open_recording import digest
from core.retrieval.defaults import Default
from core.runs.recordings import recorded_default, recorded_share
from core.runs.sources.defaults import RetrieverDefaults
from core.trace.events import RunStarted, now
from tests.cases import cases


def corpus(name: str = "Notes", version: int = 1) -> Corpus:
    return Corpus("c1", name, datetime(2026, 1, 1), "e", "E", 240, 50, version, (), 1, 1)


class Known:
    """Languages of corpora, and how often they had to be found out."""

    def __init__(self, *, builtin: bool = True) -> None:
        self.kept: dict[tuple[str, int], Mapping[str, float]] = {}
        self.asked = 0
        self.backends = SimpleNamespace(embedder=SimpleNamespace(builtin=builtin, name="e5"))
        self.known_languages = self
        service: Any = self
        self.defaults = RetrieverDefaults(service)

    def of(self, corpus: str, version: int) -> Mapping[str, float] | None:
        return self.kept.get((corpus, version))

    async def retriever(self, corpus: str, kind: str, *, later: bool) -> str:
        assert (corpus, kind, later) == ("Notes", "keyword", True)
        return "c1"

    async def languages(self, retriever: str) -> Mapping[str, float]:
        self.asked += 1
        self.kept[retriever, 1] = {"Korean": 1.0}
        return {"Korean": 1.0}

    def jobs_end(self) -> None:
        for job in list(self.defaults._jobs.values()):
            job.result(10)


def test_languages_that_are_not_known_are_found_out_in_the_background() -> None:
    known = Known()
    assert known.defaults.of(corpus()) == Default("hybrid")
    known.jobs_end()
    found = known.defaults.of(corpus())
    assert found.why.startswith("Korean documents: ")
    assert found.dense_share is not None
    assert known.defaults.of(corpus()) == found
    assert known.asked == 1
    assert run_blocking(known.defaults.find(corpus(version=2))) == found
    assert known.asked == 2


def test_those_of_the_apps_own_corpora_are_known() -> None:
    known = Known()
    assert known.defaults.of(corpus("Pellamar (Japanese)")).why.startswith("Japanese documents: ")
    assert known.asked == 0


def test_an_endpoint_needs_no_languages_and_its_reason_says_that_nothing_was_measured() -> None:
    known = Known(builtin=False)
    found = known.defaults.of(corpus())
    assert (found.retriever, found.dense_share) == ("hybrid", None)
    assert found.why.startswith("“e5” was not measured")
    assert found == run_blocking(known.defaults.find(corpus())) == known.defaults.among({"Korean": 1.0})
    assert known.asked == 0


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


@cases(
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
