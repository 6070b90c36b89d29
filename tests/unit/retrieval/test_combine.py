"""Hybrid search with weights: scores of two lists, scaled and added up."""

from __future__ import annotations

import pytest

from core.retrieval.fusion import COMBINED_DEPTH, combine
from core.retrieval.retriever import as_one, combined_score_name, depth_of_lists, ranking_of
from core.trace.artefacts import Ranking
from core.trace.passages import Passage


def passage(chunk: str) -> Passage:
    return Passage(chunk=chunk, document="d", title="t", text=chunk, position=0, start=0, end=len(chunk))


def ranking(name: str, **scores: float) -> Ranking:
    return ranking_of("q", name, "s", 2, [(passage(chunk), score) for chunk, score in scores.items()])


DENSE = ranking("dense", a=0.9, b=0.7, c=0.5)
KEYWORD = ranking("keyword", c=20.0, a=15.0, d=10.0)


def test_by_hand() -> None:
    found = combine(DENSE, KEYWORD, 0.4)
    assert [one.chunk for one, _ in found] == ["a", "c", "b", "d"]
    assert [score for _, score in found] == pytest.approx([0.4 + 0.6 * 0.5, 0.6, 0.4 * 0.5, 0.0])


@pytest.mark.parametrize(("share", "first"), [(1.0, "a"), (0.0, "c")])
def test_all_weight_on_one_list_gives_its_order(share: float, first: str) -> None:
    assert combine(DENSE, KEYWORD, share)[0][0].chunk == first


def test_a_list_that_found_nothing_or_one_hit_or_equal_ones() -> None:
    nothing = ranking("keyword")
    assert [one.chunk for one, _ in combine(DENSE, nothing, 0.4)] == ["a", "b", "c"]
    assert combine(nothing, nothing, 0.4) == []
    alone = combine(ranking("dense", a=0.2), ranking("keyword", b=1.0, c=1.0), 0.4)
    assert [(one.chunk, score) for one, score in alone] == [("b", 0.6), ("c", 0.6), ("a", 0.4)]


def test_the_ranking_says_how_it_was_weighed() -> None:
    found = as_one([DENSE, KEYWORD], "q", 2, 3, 0.4)
    assert [hit.passage.chunk for hit in found.hits] == ["a", "c", "b"]
    assert (found.retriever, found.k, found.score_name) == ("hybrid", 2, "40 % cosine + 60 % BM25, scaled")
    assert as_one([DENSE, KEYWORD], "q", 2, 3).score_name == "RRF score"
    assert as_one([KEYWORD], "q", 2, 3, 0.4) is KEYWORD
    assert len(combined_score_name(1 / 3)) <= 64


def test_scores_are_combined_from_longer_lists() -> None:
    assert depth_of_lists(4, 10, None) == 10
    assert depth_of_lists(4, 10, 0.4) == COMBINED_DEPTH
    assert depth_of_lists(4, 400, 0.4) == 400
