"""A recording that is handed on plays where there is no endpoint, and where vectors differ a little."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from core.models.chat_models import RecordedModel
from core.models.embedding_vectors import Embeddings
from core.models.recordings.files import import_recording, to_lines
from core.runs.gallery import demo_request
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.trace.events import ModelFinished
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

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector = np.array(self._model.embed_query(text))
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
    """The same documents, no endpoint, and noise in every vector."""
    bench = open_bench(homes.demo())
    embedder = bench.backends.embedder
    bench.backends.embedder = replace(embedder, embeddings=Noisy(embedder.embeddings))
    yield bench
    leave(bench)


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
    assert substance(played) == substance(made)
    replies = [event.recorded for event in played if isinstance(event, ModelFinished)]
    assert replies == [theirs.name] * len(replies)
