"""Reciprocal Rank Fusion against other programs' results, by hand, and when constants are changed."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Literal

import pytest

from core.errors import InputError
from core.retrieval.fusion import contribution, fuse, fuse_again, unite
from core.trace.artefacts import Fusion, PooledRanking, Ranking
from core.trace.passages import Hit, Passage
from tests.cases import cases

GOLDEN = Path(__file__).parents[2] / "data" / "rrf"


def ranking(*chunks: str, k: int | None = None, query: str = "q", ranks: list[int] | None = None) -> Ranking:
    numbers = ranks or list(range(1, len(chunks) + 1))
    hits = tuple(
        Hit(
            rank=rank,
            score=1 / rank,
            passage=Passage(
                chunk=chunk, document="d", title="t", text=chunk, position=0, start=0, end=len(chunk)
            ),
        )
        for rank, chunk in zip(numbers, chunks, strict=True)
    )
    return Ranking(query=query, retriever="dense", score_name="s", k=k or max(1, len(hits)), hits=hits)


def scores(fusion: Fusion) -> dict[str, float]:
    return {row.passage.chunk: row.score for row in fusion.rows}


def order(artefact: Fusion | PooledRanking) -> list[str]:
    return [row.passage.chunk for row in artefact.rows]


def read_run(name: str) -> dict[str, list[tuple[str, int, float]]]:
    found: dict[str, list[tuple[str, int, float]]] = defaultdict(list)
    for line in (GOLDEN / f"pyserini_simple_trec_run_{name}.txt").read_text().splitlines():
        query, _, document, rank, score, _ = line.split()
        found[query].append((document, int(rank), float(score)))
    return found


def test_same_scores_as_pyserini() -> None:
    runs = [read_run("fusion_1"), read_run("fusion_2")]
    expected = read_run("rrf_verify")
    assert len(expected) == 3
    for query, rows in expected.items():
        lists = [
            ranking(*(name for name, _, _ in run[query]), k=10, ranks=[rank for _, rank, _ in run[query]])
            for run in runs
            if query in run
        ]
        fused = fuse(lists, k=60)
        assert order(fused) == [name for name, _, _ in rows]
        assert scores(fused) == pytest.approx({name: score for name, _, score in rows}, abs=1e-15)


def test_same_scores_as_ranx() -> None:
    golden = json.loads((GOLDEN / "ranx_rrf.json").read_text())
    for query, expected in golden["expected"].items():
        lists = [
            ranking(*sorted(run[query], key=run[query].__getitem__, reverse=True)) for run in golden["runs"]
        ]
        assert scores(fuse(lists, k=golden["k"])) == pytest.approx(expected, abs=1e-15)


def test_contribution_counts_ranks_from_one_or_zero() -> None:
    assert contribution(1, 60) == 1 / 61
    assert contribution(1, 60, first_rank=0) == 1 / 60
    assert contribution(3, 60) == 1 / 63
    assert contribution(1, 0, first_rank=1) == 1
    with pytest.raises(InputError, match="k = 0"):
        contribution(1, 0, first_rank=0)


def test_by_hand() -> None:
    fused = fuse([ranking("a", "b", "c", query="q1"), ranking("b", "d", query="q2")], k=1)
    assert scores(fused) == pytest.approx({"a": 1 / 2, "b": 1 / 3 + 1 / 2, "c": 1 / 4, "d": 1 / 3})
    assert order(fused) == ["b", "a", "d", "c"]
    assert fused.rows[0].ranks == (2, 1)
    assert fused.rows[1].ranks == (1, None)
    assert [column.query for column in fused.lists] == ["q1", "q2"]
    zero = fuse([ranking("a", "b", "c"), ranking("b", "d")], k=1, first_rank=0)
    assert scores(zero) == pytest.approx({"a": 1, "b": 1 / 2 + 1, "c": 1 / 3, "d": 1 / 2})


def test_ties_best_single_rank_then_first_seen() -> None:
    mirrored = fuse([ranking("a", "b"), ranking("b", "a")])
    assert mirrored.rows[0].score == mirrored.rows[1].score
    assert order(mirrored) == ["a", "b"]
    assert order(fuse([ranking("x", "y"), ranking("z", "w")])) == ["x", "z", "y", "w"]
    # 1/(2+1) = 2/(5+1): the one that is first somewhere comes before the one that is fifth twice.
    first = ranking("p", "q", "r", "s", "two")
    second = ranking("one", "t", "u", "v", "two")
    assert contribution(1, 3) == 2 * contribution(5, 3) == 0.25
    fused = fuse([first, second], k=3)
    assert order(fused)[:3] == ["p", "one", "two"]


def test_the_order_of_lists_never_changes_a_score() -> None:
    lists = [ranking("a", "b", "c"), ranking("c", "a"), ranking("b", "c", "a", "d")]
    assert scores(fuse(lists)) == scores(fuse(lists[::-1]))


def test_one_list_and_empty_lists() -> None:
    assert order(fuse([ranking("a", "b", "c")])) == ["a", "b", "c"]
    fused = fuse([ranking(), ranking("a")])
    assert fused.rows[0].ranks == (None, 1)
    assert len(fused.lists) == 2
    assert fuse([]).rows == ()
    assert unite([ranking()]).rows == ()


def test_only_hits_that_a_strategy_uses_are_pooled() -> None:
    lists = [ranking("a", "b", "c", k=2), ranking("d", "c", k=1)]
    assert set(order(fuse(lists))) == {"a", "b", "d"}
    assert order(unite(lists)) == ["a", "d", "b"]


def test_union_has_best_rank_first_then_first_seen() -> None:
    united = unite([ranking("a", "b", "c"), ranking("c", "d", "b")])
    assert order(united) == ["a", "c", "b", "d"]
    assert [row.ranks for row in united.rows] == [(1, None), (3, 1), (2, 3), (None, 2)]
    assert all(row.score is None for row in united.rows)


def test_a_list_that_holds_a_chunk_twice_counts_it_once() -> None:
    assert scores(fuse([ranking("a", "b", "a")])) == {"a": 1 / 61, "b": 1 / 62}


@cases("seed", range(40))
def test_refusing_equals_fusing_anew(seed: int) -> None:
    dice = random.Random(seed)
    chunks = [f"c{number}" for number in range(dice.randint(1, 12))]
    lists = [
        ranking(*dice.sample(chunks, dice.randint(0, len(chunks))), query=f"q{number}")
        for number in range(dice.randint(1, 5))
    ]
    fused = fuse(lists)
    assert fuse_again(fused, 60, 1) == fused
    k = dice.randint(1, 200)
    first: Literal[0, 1] = 0 if dice.random() < 0.5 else 1
    changed = fuse_again(fused, k, first)
    assert changed == fuse(lists, k=k, first_rank=first)
    assert fuse_again(changed, 60, 1) == fused, "and back"


def test_refusing_keeps_what_else_the_artefact_says() -> None:
    fused = fuse([ranking("a")]).model_copy(update={"note": "a note", "skill": "fusion"})
    assert fuse_again(fused, 10, 0).note == "a note"
