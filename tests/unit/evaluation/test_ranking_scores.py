"""Evidence metrics equal trec_eval's own output; chunks count for their documents."""

from __future__ import annotations

from collections import defaultdict
from math import log2
from pathlib import Path

import pytest

from core.evaluation.ranking_scores import means, ranked_documents, ranking_scores
from core.runs.record import record
from core.trace.artefacts import Context, ContextPassage
from core.trace.passages import Repeat
from tests.examples.parts import PASSAGES
from tests.examples.runs import plain

GOLDEN = Path(__file__).parents[2] / "data" / "trec_eval"
NAMES = {
    "R@5": "recall_5",
    "R@10": "recall_10",
    "nDCG@10": "ndcg_cut_10",
    "AP@10": "map_cut_10",
    "Success@1": "success_1",
    "Success@5": "success_5",
    "Success@10": "success_10",
}


def rows(name: str) -> list[list[str]]:
    return [line.split() for line in (GOLDEN / name).read_text(encoding="utf-8").splitlines()]


def test_trec_eval() -> None:
    gold: dict[str, dict[str, int]] = defaultdict(dict)
    for question, _, document, relevance in rows("qrels.test"):
        gold[question][document] = int(relevance)
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for question, _, document, _, score, _ in rows("results.test"):
        found[question].append((float(score), document))
    rankings = {
        question: [one for _, one in sorted(pairs, reverse=True)] for question, pairs in found.items()
    }

    wanted = {*NAMES.values(), "recip_rank"}
    expected = {
        (question, name): float(value) for name, question, value in rows("out.test.aq") if name in wanted
    }
    scores = ranking_scores(rankings, gold)
    assert set(scores) == {"301", "302", "303"}
    for question, values in scores.items():
        for ours, theirs in NAMES.items():
            assert values[ours] == pytest.approx(expected[question, theirs], abs=5e-5)
        first = expected[question, "recip_rank"]
        assert values["RR@10"] == pytest.approx(first if first >= 0.1 else 0, abs=5e-5)
    for ours, theirs in NAMES.items():
        assert means(scores.values())[ours] == pytest.approx(expected["all", theirs], abs=1e-4)


def test_by_hand() -> None:
    scores = ranking_scores({"q": ["a", "x", "b"]}, {"q": {"a": 1, "b": 2, "c": 1}})["q"]
    assert scores["R@5"] == pytest.approx(2 / 3)
    assert scores["RR@10"] == 1
    assert scores["AP@10"] == pytest.approx((1 + 2 / 3) / 3)
    best = 2 + 1 / log2(3) + 1 / log2(4)
    assert scores["nDCG@10"] == pytest.approx((1 + 2 / log2(4)) / best)


def test_a_document_in_chunks_has_its_best_rank() -> None:
    gold = {"q": {"gold": 1}}
    assert ranking_scores({"q": ["x", "x", "x", "gold"]}, gold) == ranking_scores({"q": ["x", "gold"]}, gold)
    # Ten chunks of one document are one document.
    assert ranking_scores({"q": ["x"] * 10 + ["gold"]}, gold)["q"]["RR@10"] == 0.5


def test_nothing_below_the_tenth_document_counts() -> None:
    scores = ranking_scores({"q": [*map(str, range(10)), "gold"]}, {"q": {"gold": 1}})["q"]
    assert set(scores.values()) == {0.0}


def test_questions_without_ranking_or_gold() -> None:
    scores = ranking_scores({"b": ["x"]}, {"a": {"x": 1}, "b": {}, "c": {"x": 0}})
    assert set(scores) == {"a"}
    assert set(scores["a"].values()) == {0.0}
    assert ranking_scores({}, {}) == {}


def test_the_ranking_of_a_run() -> None:
    run = record(plain())
    assert run.context is not None
    documents = [one.passage.document for one in run.context.passages]
    assert ranked_documents(run.context, {}) == tuple(documents)
    assert ranked_documents(run.context, {documents[0]: "gold"})[0] == "gold"
    assert ranked_documents(None, {}) == ()


@pytest.mark.parametrize(
    ("gold", "ranked"),
    [
        ((), ["doc0", "doc1"]),  # what gave way costs no rank
        (("twin",), ["twin", "doc1"]),
        (("twin", "doc0"), ["doc0", "twin", "doc1"]),
        (("doc1",), ["doc0", "doc1"]),
    ],
)
def test_what_gave_way_is_found_where_it_is_gold(gold: tuple[str, ...], ranked: list[str]) -> None:
    first = PASSAGES[0].model_copy(update={"stands_for": (Repeat(chunk="t-0", document="t"),)})
    passages = tuple(
        ContextPassage(rank=rank, score=None, passage=one, given=True)
        for rank, one in enumerate((first, PASSAGES[1]), 1)
    )
    assert list(ranked_documents(Context(passages=passages), {"t": "twin"}, gold)) == ranked
