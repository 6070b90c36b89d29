"""What an embedding model finds in a language: measured on a few passages and questions that come with the app.

120 passages and 60 questions a language, from XQuAD, JSQuAD and Belebele (`data/retrieval_check`), are embedded once.
That tells models that do not know a language from those that do, not good ones from very good ones.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING

from core.corpora.splitting import embedded_text
from core.models.embedding_vectors import normalise
from core.retrieval.defaults import Quality
from core.retrieval.dense import SCORE_NAME as COSINE
from core.retrieval.found import as_one, ranking_of
from core.retrieval.keyword import SCORE_NAME as BM25
from core.retrieval.keyword import KeywordIndex
from core.trace.passages import Passage

if TYPE_CHECKING:
    from core.models.embeddings import Embedder
    from core.trace.artefacts import Ranking

FOLDER = Path(__file__).parents[2] / "data" / "retrieval_check"
LANGUAGES = ("English", "Korean", "Japanese", "Chinese")
"""Those that can be measured."""
DEPTH = 10
MARGIN = 0.03
"""Smaller differences are chance on so few questions; and who wrote these had read the passage, which favours keyword
search."""
Ranks = Callable[[int], "Ranking"]
"""The ranking of a question, by its place."""


async def check(embedder: Embedder, language: str) -> Quality:
    """Measure a model; some 180 texts are embedded, in batches.

    Args:
        embedder: The model.
        language: One of `LANGUAGES`.

    Raises:
        ModelError: The endpoint does not answer as it should.
    """
    titles, passages, questions = await asyncio.to_thread(read, language)
    texts = [embedded_text(titles[one.document], one.text) for one in passages]
    vectors = await embedder.embed_documents(texts)
    asked = await embedder.embed_documents(questions)
    return await asyncio.to_thread(quality, titles, passages, questions, vectors, asked)


def read(language: str) -> tuple[dict[str, str], list[Passage], list[str]]:
    """Titles by document, passages, and questions, each of which the passage at its own place answers. Blocks."""
    text = (FOLDER / f"{language.lower()}.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    passages = [
        Passage(
            chunk=f"{place}-0",
            document=str(place),
            title=line["title"],
            text=line["text"],
            position=0,
            start=0,
            end=len(line["text"]),
        )
        for place, line in enumerate(lines)
    ]
    titles = {one.document: one.title for one in passages}
    return titles, passages, [line["question"] for line in lines if "question" in line]


def quality(
    titles: dict[str, str],
    passages: Sequence[Passage],
    questions: Sequence[str],
    vectors: Sequence[Sequence[float]],
    asked: Sequence[Sequence[float]],
) -> Quality:
    """What is found with these vectors of the passages and of the questions; see `read`. Blocks."""
    import numpy as np

    cosines = normalise(np.array(asked)) @ normalise(np.array(vectors)).T
    index = KeywordIndex(list(passages), titles)

    def dense(place: int) -> Ranking:
        order = np.argsort(-cosines[place], kind="stable")[:DEPTH]
        scored = [(passages[int(one)], float(cosines[place, one])) for one in order]
        return ranking_of(questions[place], "dense", COSINE, DEPTH, scored)

    def keyword(place: int) -> Ranking:
        return ranking_of(questions[place], "keyword", BM25, DEPTH, index.rank(questions[place], DEPTH))

    def hybrid(place: int) -> Ranking:
        return as_one([dense(place), keyword(place)], questions[place], DEPTH, DEPTH)

    ways: tuple[Ranks, ...] = (dense, hybrid, keyword)
    return Quality(
        *(sum(_gain(way(at), at) for at in range(len(questions))) / len(questions) for way in ways)
    )


def _gain(ranking: Ranking, place: int) -> float:
    """nDCG@10 where one passage is relevant."""
    ranks = (hit.rank for hit in ranking.hits if hit.passage.document == str(place))
    return next((1 / log2(1 + rank) for rank in ranks), 0.0)
