"""A recording that is handed on plays where there is no endpoint, and where every vector differs a little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.corpora import demo
from core.corpora.demo import with_known_vectors
from core.jobs import run_blocking
from core.models.chat_models import RecordedModel
from core.models.embedding_vectors import Embeddings
from core.models.recordings.files import import_recording, to_lines
from core.runs.gallery import DEMO_GRAPH, demo_request
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.trace.events import Event, ModelFinished
from tests.bench import leave, open_bench
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer
from tests.servers.test_ask import thinking_on
from tests.servers.test_recordings import OWNER, finished, substance

QUESTION = "Why is the gun on Castle Point not fired on 11 November?"


class Noisy(Embeddings):
    """Another processor, far worse than any: each vector is turned by 1 %."""

    def __init__(self, model: Embeddings) -> None:
        self._model, self._chance = model, np.random.default_rng(7)
        self.dimensions = model.dimensions
        self.count = 0
        """Vectors that it gave."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self._noisy(vector) for vector in self._model.embed_documents(texts)]

    def embed_query(self, text: str) -> list[float]:
        return self._noisy(self._model.embed_query(text))

    def _noisy(self, numbers: list[float]) -> list[float]:
        self.count += 1
        vector = np.array(numbers)
        noise = self._chance.normal(size=len(vector))
        noisy: list[float] = (vector + 0.01 * noise / np.linalg.norm(noise) * np.linalg.norm(vector)).tolist()
        return noisy


@pytest.fixture(scope="module")
def teachers(scripted_server: ScriptedServer, homes: Homes) -> Iterator[Workbench]:
    bench = open_bench(homes.demo(), scripted_server)
    yield bench
    leave(bench)


@pytest.fixture(scope="module")
def students(homes: Homes) -> Iterator[Workbench]:
    """No endpoint, and noise in every vector: the documents are indexed anew, their stored vectors are no exception.
    The names of the graph keep the vectors that come with it."""
    bench = open_bench(homes.new())
    usual = bench.backends.embedder
    documents = Noisy(with_known_vectors(usual).embeddings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "with_known_vectors", lambda _: replace(usual, embeddings=documents))
        chunks = bench.corpora.demo().result().chunks
    assert documents.count >= chunks > 0
    bench.backends.embedder = replace(usual, embeddings=Noisy(usual.embeddings))
    run_blocking(bench.graphs.prepare(DEMO_GRAPH).ended())
    yield bench
    leave(bench)


def without_walks(events: Sequence[Event]) -> list[Any]:
    """Return the events without those of a walk, whose chances are computed of the vectors; its order is recorded."""
    return [happened for happened in substance(events) if '"kind":"walk"' not in str(happened)]


@pytest.mark.parametrize("strategy", list(strategies()))
def test_not_one_reply_is_missing_where_vectors_differ(
    teachers: Workbench, students: Workbench, scripted: ScriptedServer, strategy: str
) -> None:
    scripted.script(Rule(skill="resolve", reply=QUESTION), *thinking_on())
    kept = teachers.recordings.to_keep(f"Lesson on {strategy}", "scripted", OWNER)
    asked = replace(demo_request(QUESTION, strategy), owner=OWNER)
    keeping = RecordedModel(kept, "endpoint", keeps=True)
    made = list(teachers.launcher.start(replace(asked, chat=keeping)).result(60))
    finished(made)
    data = "".join(to_lines(teachers.recordings.store, kept)).encode()
    limit = students.settings.max_recording_bytes
    theirs = import_recording("lesson.jsonl", data, students.recordings.store, "a student", limit)
    played = list(students.launcher.start(replace(asked, chat=RecordedModel(theirs))).result(60))
    finished(played)
    assert without_walks(played) == without_walks(made)
    replies = [event.recorded for event in played if isinstance(event, ModelFinished)]
    assert replies == [theirs.name] * len(replies)
