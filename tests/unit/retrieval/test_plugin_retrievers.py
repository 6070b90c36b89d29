"""A retriever that another package brings is offered and searches as those of the app do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.retrieval import kinds
from core.retrieval.kinds import BUILTIN, RETRIEVERS, other_kind
from core.retrieval.retriever import Retriever
from core.trace.passages import Passage
from tests.plugins import installed

CODE = """
from core.retrieval.kinds import RetrieverPlugin

def rank(corpus, documents, query, count):
    passages = corpus.chunks.passages(documents)
    scored = [(passage, float(len(passage.text))) for passage in passages if query in passage.text]
    return sorted(scored, key=lambda pair: -pair[1])[:count]

longest = RetrieverPlugin("Longest", "letters", rank)
"""
POINTS = {
    "rag_loupe.retrievers": {
        "longest": "letters:longest",
        "other": "letters:rank",
        "dense": "letters:longest",
    }
}


@pytest.fixture(autouse=True)
def letters(tmp_path: Path) -> Iterator[None]:
    kinds.plugins.cache_clear()
    with installed(tmp_path, "letters", CODE, POINTS):
        yield
    kinds.plugins.cache_clear()


def passage(place: int, text: str) -> Passage:
    return Passage(
        chunk=str(place), document=f"d{place}", title="t", text=text, position=0, start=0, end=len(text)
    )


def retriever(kind: str) -> Retriever:
    texts = ["A ferry.", "The ferry was late.", "A harbour that is far away."]
    passages = [passage(place, text) for place, text in enumerate(texts)]
    corpus: Any = SimpleNamespace(
        chunks=SimpleNamespace(
            passages=lambda documents: [one for one in passages if one.document in documents]
        ),
        matching=lambda where: frozenset(["d0", "d1", "d2"] if not where else ["d0"]),
    )
    embedder: Any = None
    return Retriever(kind, corpus, embedder)


def test_it_is_offered_behind_those_of_the_app() -> None:
    assert list(RETRIEVERS) == [*BUILTIN, "longest"]
    assert RETRIEVERS["longest"] == "Longest"
    assert RETRIEVERS["dense"] == "Dense"
    assert "other" not in RETRIEVERS
    assert other_kind("longest") == "linked"


async def test_it_searches() -> None:
    ranking = await retriever("longest").search("ferry", 2)
    assert (ranking.retriever, ranking.score_name, ranking.query) == ("longest", "letters", "ferry")
    assert [(hit.passage.chunk, hit.score) for hit in ranking.hits] == [("1", 19.0), ("0", 8.0)]
    (alone,) = await retriever("longest").lists("ferry", 2)
    assert alone == ranking
    mean = await retriever("longest").search_mean("q", ["ferry"], with_question=True, k=2)
    assert [hit.passage.chunk for hit in mean.hits] == ["1", "0"]


async def test_it_searches_what_a_filter_leaves() -> None:
    where: Any = ("a condition",)
    ranking = await retriever("longest").within(where).search("ferry", 2)
    assert [hit.passage.chunk for hit in ranking.hits] == ["0"]
