"""Questions with the passages that plain hybrid retrieval finds for them, and what both benchmarks of offline answers
share: the halves, and sentence vectors that are kept between runs."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from core.evaluation.dataset_indexing import indexed
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.datasets import DATA, DataSet, read_folder
from core.jobs import run_blocking
from core.models.embeddings import Embedder
from core.runs.workbench import Workbench
from core.skills.base import SkillContext
from core.skills.rerank import TOKENS
from core.skills.span_answer import sources_of
from core.skills.spans.features import Source
from core.strategies.base import OneSearchParams
from core.trace.passages import Passage
from research.reranking import skills
from research.skills.labelled import RAGTASKS, source

CHOOSE, JUDGE = "choose", "judge"
DEMO = "demo_world"


@dataclass(frozen=True)
class Case:
    """A question with gold answers and the passages it is answered from."""

    question: LabelledQuestion
    passages: Sequence[Passage]


@dataclass
class KeptVectors:
    """An embedder whose vectors of documents are kept in a file."""

    embedder: Embedder
    file: Path
    known: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict)
    asked: dict[str, list[float]] = field(default_factory=dict)

    def load(self) -> KeptVectors:
        """Read what an earlier run kept."""
        if self.file.exists():
            with np.load(self.file) as kept:
                self.known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))
        return self

    def save(self) -> None:
        """Keep what is known."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(self.file, keys=np.array(list(self.known)), vectors=np.array(list(self.known.values())))

    async def embed_query(self, text: str) -> list[float]:
        """The vector of a question."""
        if text not in self.asked:
            self.asked[text] = await self.embedder.embed_query(text)
        return self.asked[text]

    async def embed_documents(self, texts: list[str]) -> list[Any]:
        """One vector per text."""
        keys = [hashlib.sha256(text.encode()).hexdigest()[:24] for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.known}
        if new:
            made = await self.embedder.embed_documents(list(new.values()))
            self.known |= {key: np.array(one, np.float32) for key, one in zip(new, made, strict=True)}
        return [self.known[key] for key in keys]


@dataclass
class Ground:
    """Data, retrieval and embeddings."""

    folder: Path
    bench: Workbench
    vectors: KeptVectors = field(init=False)
    context: SkillContext = field(init=False)

    def __post_init__(self) -> None:
        kept = self.bench.settings.rag_loupe_home / "benchmarks" / "offline_answers.npz"
        self.vectors = KeptVectors(self.bench.backends.embedder, kept).load()
        self.context = skills(self.bench, TOKENS)
        object.__setattr__(self.context, "embedder", cast(Embedder, self.vectors))

    def dataset(self, name: str) -> DataSet:
        """A data set of the folder, or the demo world."""
        return read_folder(DATA / name if name == DEMO else self.folder / name)

    def cases(self, name: str, half: str, limit: int, seed: int) -> list[Case]:
        """Questions of one half, each with the passages that plain hybrid retrieval finds by its usual number."""
        dataset = self.dataset(name)
        chosen = [one for one in dataset.questions if one.answers and half in ("", half_of(name, one, seed))]
        random.Random(seed).shuffle(chosen)
        corpus = run_blocking(indexed(dataset, self.bench.corpora))
        retriever = run_blocking(self.bench.corpora.retriever(corpus.name, "hybrid"))
        k = OneSearchParams().k
        return [
            Case(one, [hit.passage for hit in run_blocking(retriever.search(one.text, k)).hits])
            for one in chosen[:limit]
        ]

    def gold_cases(self, name: str, cases: Sequence[Case], seed: int) -> list[Case]:
        """The same questions with their gold passages and two of those that were found."""
        found = source(self.folder, name)
        made: list[Case] = []
        for case in cases:
            gold = found.gold(case.question)
            titles = {one.title for one in gold}
            mixed = [*gold, *[one for one in case.passages if one.title not in titles][:2]]
            random.Random(f"{seed} {case.question.id}").shuffle(mixed)
            made.append(Case(case.question, mixed))
        return made

    def records(self, limit: int, seed: int) -> list[Case]:
        """Hand-written records, each with its passage and one that shares words with the question."""
        found = source(self.folder, RAGTASKS)
        chosen = [one for one in found.dataset.questions if one.answers]
        random.Random(seed).shuffle(chosen)
        made = [Case(one, [*found.gold(one), *found.others(one, 1)]) for one in chosen[:limit]]
        return [Case(one.question, one.passages[:: -1 if place % 2 else 1]) for place, one in enumerate(made)]

    def sources(self, case: Case) -> list[Source]:
        """The sentences of the passages with their relevance."""
        return run_blocking(sources_of(self.context, case.question.text, case.passages))[0]


def half_of(name: str, question: LabelledQuestion, seed: int) -> str:
    """The half of a question; questions of XQuAD by article, so that both halves share no text."""
    group = question.id
    if name.startswith("xquad"):
        group = next(iter(question.gold)).split("_")[0]
        name = "xquad"
    return CHOOSE if random.Random(f"{seed} {name} {group}").random() < 0.5 else JUDGE
