"""What every task works with: the model, the embeddings, the retrievers; and how a case is put through a skill."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import LoupeError
from core.evaluation.dataset_indexing import document_keys, index
from core.evaluation.ranking_scores import ranking_scores
from core.models.calling import CallBudget
from core.models.chat import Chat
from core.models.endpoint import ChatEndpoint
from core.retrieval.retriever import Retriever
from core.runs.workbench import Workbench
from core.skills.base import Skill, SkillContext
from core.trace.artefacts import Ranking
from core.trace.events import ListTracer, ModelStarted
from core.trace.passages import Passage
from research.skills.labelled import Source, source
from research.skills.measuring import Half, Outcome, Seen, halves
from research.training.kept import kept_out

K = 4
"""Hits that a strategy uses of each search, by default."""
DEPTH = 10


@dataclass(frozen=True)
class Case:
    """One use of a skill."""

    group: str
    run: Callable[[SkillContext], Awaitable[Seen]]


Cases = Callable[["Ground", str, Sequence[str]], Awaitable[list[Case]]]
"""Cases of a data set for the groups of a sample."""


@dataclass(frozen=True)
class Task:
    """A skill, and labelled cases for it."""

    key: str
    skill: Skill
    explains: str
    """What is measured, as a sentence."""
    data: tuple[str, ...]
    cases: Cases
    groups: Callable[[Ground, str], Sequence[str]]
    """Everything of a data set that a sample may be drawn from."""


@dataclass
class Ground:
    """Backends and data; its retrievers are opened once."""

    folder: Path
    bench: Workbench
    endpoint: ChatEndpoint
    _retrievers: dict[str, tuple[Retriever, dict[str, str]]] = field(default_factory=dict)

    def context(self, methods: dict[str, str]) -> tuple[SkillContext, ListTracer]:
        """A skill's surroundings with nothing counted yet, and where its events go."""
        tracer = ListTracer()
        chat = Chat(self.endpoint, tracer, self.bench.settings, CallBudget(self.bench.settings.max_calls))
        return SkillContext(
            chat=chat,
            embedder=self.bench.backends.embedder,
            tracer=tracer,
            builtin=self.endpoint.builtin,
            methods=methods,
        ), tracer

    def source(self, name: str) -> Source:
        """A data set."""
        return source(self.folder, name)

    async def search(self, data: str, query: str) -> Ranking:
        """What dense retrieval finds in a data set, as strategies ask for it."""
        return await (await self.retriever(data)).search(query, K, depth=DEPTH)

    async def retriever(self, data: str) -> Retriever:
        """Dense retrieval over a data set, which is indexed when first needed."""
        if data not in self._retrievers:
            corpus = await index(self.source(data).dataset, self.bench.corpora)
            keys = document_keys(self.bench.corpora.catalogue, corpus.id)
            self._retrievers[data] = (await self.bench.corpora.retriever(corpus.name, "dense"), keys)
        return self._retrievers[data][0]

    def scores(self, data: str, question: str, found: Sequence[Passage]) -> dict[str, float]:
        """Evidence metrics of a ranking for a question of a data set that was searched."""
        keys = self._retrievers[data][1]
        gold = next(one.gold for one in self.source(data).dataset.questions if one.id == question)
        ranked = [keys.get(passage.document, passage.document) for passage in found]
        return ranking_scores({question: ranked}, {question: gold})[question]


async def outcomes(
    ground: Ground, task: Task, data: str, method: str, *, limit: int, seed: int, only_kept_out: bool = False
) -> list[Outcome]:
    """A sample of a data set through one method, one case after the other, so that its seconds can be compared.

    A case whose model call fails is named, and counts in no measure but `failed`.

    Args:
        ground: What it works with.
        task: Its skill's method is set; other skills keep their default.
        data: One of the task's.
        method: Key of the method.
        limit: How many groups.
        seed: Of the sample and its halves.
        only_kept_out: Whether to leave out what the built-in model was trained on. A group's half stays what it is
            without, since methods were chosen by the one half and not by the other.
    """
    half = halves(task.groups(ground, data), seed)
    sample = [group for group in half if not only_kept_out or kept_out(data, group)][:limit]
    made: list[Outcome] = []
    for case in await task.cases(ground, data, sample):
        context, tracer = ground.context({task.skill.key: method})
        start = time.perf_counter()
        try:
            seen = await case.run(context)
        except LoupeError as error:
            seen = Seen({"failed": 1.0})
            print(f"{task.key} {case.group}: {error}", flush=True)
        seconds = time.perf_counter() - start
        calls = sum(isinstance(event, ModelStarted) for event in tracer.events)
        made.append(Outcome(case.group, data, half[case.group], seen, seconds, calls))
    return made


def of_half(found: Sequence[Outcome], half: Half) -> list[Outcome]:
    """Those of one half."""
    return [one for one in found if one.half == half]
