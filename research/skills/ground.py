"""What every task works with: the model, the embeddings, the retrievers; and how a case is put through a skill."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import psutil

from core.errors import CallLimitReached, UnusableReply
from core.evaluation.dataset_indexing import document_keys, index
from core.evaluation.ranking_scores import ranking_scores
from core.knowledge.explore.explorer import Explorer
from core.models.calling import CallBudget
from core.models.chat import Chat
from core.models.chat_models import CONFIGURED
from core.models.endpoint import ChatEndpoint
from core.retrieval.retriever import Retriever
from core.runs.workbench import Workbench
from core.services.chat import BUILTIN_CHAT
from core.skills import SKILLS
from core.skills.base import ModelKind, Skill, SkillContext, prompt_key
from core.trace.artefacts import Ranking
from core.trace.events import ListTracer, ModelStarted, ReplyUnusable
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
    main: str
    """The measure by which methods are compared."""
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
    _explorers: dict[str, Explorer] = field(default_factory=dict)

    def context(self, methods: dict[str, str]) -> tuple[SkillContext, ListTracer]:
        """A skill's surroundings with nothing counted yet, and where its events go."""
        tracer = ListTracer()
        chat = Chat(self.endpoint, tracer, self.bench.settings, CallBudget(self.bench.settings.max_calls))
        return SkillContext(
            chat=chat,
            embedder=self.bench.backends.embedder,
            tracer=tracer,
            builtin=self.endpoint.builtin,
            methods={key: skill.default_method(self.kind) for key, skill in SKILLS.items()} | methods,
        ), tracer

    @cached_property
    def kind(self) -> ModelKind:
        """The kind of the model, by which skills that are not measured take their methods."""
        return self.bench.backends.kind(CONFIGURED, self.endpoint)

    def model_of(self, skill: Skill, method: str) -> str:
        """Name of the model that a method asks; empty: it asks none."""
        return self.endpoint.model if skill.method(method).slots else ""

    def model_seconds(self) -> float:
        """Processor seconds that the model's process has taken so far; 0 where it is not one of this machine's own."""
        host = self.bench.backends.models
        running = host.supervisor.running(BUILTIN_CHAT) if self.endpoint.builtin else None
        every = [running] if running else host.files.running() if self.endpoint.file else []
        spent = 0.0
        for one in every:
            with suppress(psutil.Error):
                times = psutil.Process(one.pid).cpu_times()
                spent += times.user + times.system
        return spent

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

    async def explorer(self, graph: str) -> Explorer:
        """A graph of the app, which is imported when first needed."""
        if graph not in self._explorers:
            self._explorers[graph] = await self.bench.graphs.prepare(graph).ended()
        return self._explorers[graph]

    def scores(self, data: str, question: str, found: Sequence[Passage]) -> dict[str, float]:
        """Evidence metrics of a ranking for a question of a data set that was searched."""
        keys = self._retrievers[data][1]
        gold = next(one.gold for one in self.source(data).dataset.questions if one.id == question)
        ranked = [keys.get(passage.document, passage.document) for passage in found]
        return ranking_scores({question: ranked}, {question: gold})[question]


def prompt_of(skill: Skill, method: str) -> str:
    """Beginning of the hash of a method's prompt; empty: it has none."""
    text = skill.prompts().get(prompt_key(skill.key, method), "")
    return hashlib.sha256(text.encode()).hexdigest()[:8] if text else ""


@dataclass(frozen=True)
class Item:
    """A case with where it stands in its data set."""

    data: str
    place: int
    """Among the cases of its group, from 0."""
    half: Half
    case: Case


async def items(
    ground: Ground, task: Task, data: str, *, limit: int, seed: int, only_kept_out: bool = False
) -> list[Item]:
    """The cases of a sample of a data set.

    Args:
        ground: What they work with.
        task: Whose cases.
        data: One of the task's.
        limit: How many groups.
        seed: Of the sample and its halves.
        only_kept_out: Whether to leave out what the built-in model was trained on. A group's half stays what it is
            without, since methods were chosen by the one half and not by the other.
    """
    half = halves(task.groups(ground, data), seed)
    sample = [group for group in half if not only_kept_out or kept_out(data, group)][:limit]
    places: Counter[str] = Counter()
    made: list[Item] = []
    for case in await task.cases(ground, data, sample):
        made.append(Item(data, places[case.group], half[case.group], case))
        places[case.group] += 1
    return sorted(made, key=lambda item: (sample.index(item.case.group), *_from_both_ends(item, places)))


def _from_both_ends(item: Item, places: Mapping[str, int]) -> tuple[int, bool]:
    """Sorts the cases of a group: the first, the last, the second … Where those that are right come first, a part of
    them has as many that are not."""
    last = places[item.case.group] - 1 - item.place
    return min(item.place, last), item.place > last


async def outcome(ground: Ground, task: Task, item: Item, method: str) -> Outcome:
    """A case through one method.

    A reply that has not the form asked for is an outcome: `unusable` where the skill's other method did it, else
    `failed`, which counts as 0 in the task's first measure.

    Raises:
        LoupeError: The endpoint or a service fails.
    """
    context, tracer = ground.context({task.skill.key: method})
    seen, failed = Seen(), ""
    start, model, own = time.perf_counter(), ground.model_seconds(), time.process_time()
    try:
        seen = await item.case.run(context)
    except (UnusableReply, CallLimitReached) as error:
        seen, failed = Seen({task.main: 0.0}), type(error).__name__
    calls = sum(isinstance(event, ModelStarted) for event in tracer.events)
    return Outcome(
        task=task.key,
        method=method,
        model=ground.model_of(task.skill, method),
        prompt=prompt_of(task.skill, method),
        data=item.data,
        group=item.case.group,
        place=item.place,
        half=item.half,
        values={key: float(value) for key, value in seen.values.items()},
        label=seen.label,
        score=float(seen.score),
        seconds=time.perf_counter() - start,
        calls=calls,
        unusable=sum(isinstance(event, ReplyUnusable) for event in tracer.events),
        failed=failed,
        cpu=ground.model_seconds() - model,
        own=time.process_time() - own,
    )
