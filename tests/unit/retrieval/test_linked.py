"""Linked retrieval: a walk's chances and cosines become one order, and where nothing leads on, nothing changes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from core.retrieval.kinds import Walking
from core.retrieval.linked import NO_LINKS, NOWHERE, WalkResult, join_scores, walk
from core.trace.artefacts import Ranking
from core.trace.passages import Hit, Passage

TEXTS = {
    "Anna": "Anna wrote to Bert Olsen.",
    "Bert Olsen": "He lived in Carrick.",
    "Carrick (town)": "It lies on the sea.",
    "Delta": "Nothing leads here.",
}


def corpus(texts: dict[str, str], name: str) -> Any:
    """A corpus with a passage a document; the vectors of the first two are the query's, the others across."""
    passages = [
        Passage(
            chunk=str(place), document=str(place), title=title, text=text, position=0, start=0, end=len(text)
        )
        for place, (title, text) in enumerate(texts.items())
    ]
    titles = {str(place): title for place, title in enumerate(texts)}
    chunks = SimpleNamespace(
        name=name,
        passages=lambda documents: passages,
        vectors=lambda ids: {one: [1.0, 0.0] if one < "2" else [0.0, 1.0] for one in ids},
    )
    snapshot = SimpleNamespace(version=1, documents=frozenset(titles), titles=titles)
    return SimpleNamespace(chunks=chunks, snapshot=lambda: snapshot, corpus=chunks, graphs=None)


def ranking(found: Any, *places: int) -> Ranking:
    passages = found.chunks.passages(None)
    hits = [Hit(rank=rank, score=1 / rank, passage=passages[place]) for rank, place in enumerate(places, 1)]
    return Ranking(query="q", retriever="hybrid", score_name="s", k=2, hits=tuple(hits))


async def test_a_walk_brings_in_what_the_hits_lead_to() -> None:
    found = corpus(TEXTS, "chain")
    walked = walk(found, (), ranking(found, 0, 3), [1.0, 0.0], Walking(seeds=1, weight=0.1))
    assert isinstance(walked, WalkResult)
    assert [walked.links.passages[one.place].title for one in walked.order[:2]] == ["Anna", "Bert Olsen"]
    chances = {one.place: one.chance for one in walked.order}
    assert chances[3] == 0
    assert sum(chances.values()) == pytest.approx(1)
    assert {one.place: round(one.cosine) for one in walked.order} == {0: 1, 1: 1, 2: 0, 3: 0}


async def test_where_nothing_leads_on_it_says_so() -> None:
    linked, bare = corpus(TEXTS, "some"), corpus({"Delta": "Nothing.", "Echo": "Nothing either."}, "none")
    assert walk(linked, (), ranking(linked, 3, 0), [1.0, 0.0], Walking(seeds=1)) == NOWHERE
    assert walk(linked, (), ranking(linked), [1.0, 0.0], Walking()) == NOWHERE
    assert walk(bare, (), ranking(bare, 1, 0), [1.0, 0.0], Walking()) == NO_LINKS


async def test_documents_without_a_title_go_by_the_names_of_their_files() -> None:
    texts = {"Kant.txt": "He knew Hume.", "Hume.txt": "He took notes.", "notes.txt": "He wrote."}
    found = corpus(texts, "files")
    found.snapshot().titles.update(dict.fromkeys("012", ""))
    walked = walk(found, (), ranking(found, 0), [1.0, 0.0], Walking())
    assert isinstance(walked, WalkResult)
    assert {one.place for one in walked.order} == {0, 1}


def test_chances_and_cosines_count_by_their_spread() -> None:
    chances, cosines = np.array([0.36, 0.16, 0.04]), np.array([0.2, 0.8, 0.5])
    # Roots .6 .4 .2, mean .4; both spread as (1, 0, −1) · √1.5 does.
    assert join_scores(chances, cosines, 0).tolist() == pytest.approx([1.5**0.5, 0, -(1.5**0.5)])
    assert join_scores(chances, cosines, 2).tolist() == pytest.approx(
        [-(1.5**0.5), 2 * 1.5**0.5, -(1.5**0.5)]
    )
    assert join_scores(np.ones(3), cosines, 0).tolist() == [0, 0, 0]
