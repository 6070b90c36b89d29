"""Evaluation with handles: how many questions, which, and by what chance; the interval of a difference breathes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from core.corpora.demo import WORLD, with_known_vectors
from core.corpora.documents import Document
from core.corpora.entries import chunk_sizes
from core.corpora.splitting import Splitter
from core.evaluation.datasets import DataSet, read_folder
from core.evaluation.ranking_scores import ranking_scores
from core.evaluation.statistics import differences
from core.models.embeddings import builtin_embedder
from core.retrieval.defaults import BUILTIN
from tools.explorables.world import World, hybrid

METRIC = "R@5"
FOUND = 30
"""Chunks of a ranking: enough for the first documents."""
SHARE = BUILTIN["English"].dense_share or 0.5
HOW = (
    "Take fewer questions, other ones (another seed), or only one kind. Choose a question below to take it out or to "
    "put it back."
)
GROUPS = (
    ("all", ()),
    (
        "in other words",
        ("wording gap", "resembles the answer", "rule and case", "aliases", "other language", "follow-up"),
    ),
    ("in several steps", ("two hops", "three hops", "four hops", "who held it when", "comparison")),
)
"""Kinds of questions; the last group has all that are in no other."""
REST = "from several sources"
SEEDS = 12


def make() -> dict[str, Any]:
    """Return the recall of two searches for each question, and orders of questions that chance made."""
    data = read_folder(WORLD)
    found = _searchable(data)
    questions = [one for one in data.questions if one.gold]
    asked = found.vectors_of([one.text for one in questions])
    rankings: dict[str, dict[str, Sequence[str]]] = {"keyword": {}, "hybrid": {}}
    for one, vector in zip(questions, asked, strict=True):
        for name, share in (("keyword", 0.0), ("hybrid", SHARE)):
            hits = hybrid(found, one.text, vector, share)[:FOUND]
            rankings[name][one.id] = [passage.document for passage in hits]
    gold = {one.id: one.gold for one in questions}
    scores = {name: ranking_scores(ranked, gold) for name, ranked in rankings.items()}
    groups = [name for name, _ in GROUPS] + [REST]
    return {
        "question": "Does hybrid search find more than search by words?",
        "about": f"{len(questions)} questions on Pellamar, searched by words (BM25) and by meaning and words "
        "(hybrid). Measured: the share of the evidence that is among the first 5 documents, Recall@5.",
        "how": HOW,
        "seeds": SEEDS,
        "groups": groups,
        "questions": [
            {
                "text": one.text,
                "group": groups.index(next((name for name, kinds in GROUPS if one.type in kinds), REST)),
                "keyword": round(scores["keyword"][one.id][METRIC], 4),
                "hybrid": round(scores["hybrid"][one.id][METRIC], 4),
            }
            for one in questions
        ],
        "orders": [_shuffled(len(questions), seed) for seed in range(SEEDS)],
    }


def _shuffled(count: int, seed: int) -> list[int]:
    return Random(seed).sample(range(count), count)


def _searchable(data: DataSet) -> World:
    embedder = with_known_vectors(builtin_embedder())
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, *chunk_sizes(embedder.max_tokens, overlap=0))
    documents = [Document(one.id, one.id, one.title, one.text, key=one.id) for one in data.documents]
    passages = [one for document in documents for one in splitter.split(document)]
    return World(embedder, passages, {one.id: one.title for one in documents})


def chosen(data: Mapping[str, Any], values: Mapping[str, Any]) -> list[int]:
    """Places of the questions that count: the first of an order that chance made, of the right kind, not taken out."""
    group = int(values["group"])
    order = data["orders"][values["seed"] - 1]
    wanted = [
        at for at in order if values["in"][at] and (group == 0 or data["questions"][at]["group"] == group)
    ]
    return wanted[: values["count"]]


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The `mean` difference with its `low` and `high` end, its `p`, and on how many questions there is `more`, `less`.

    Args:
        data: As `make` gives it.
        values: `count`, `seed` (from 1), `group` (a place) and `in`: which questions may count.
    """
    questions = {str(at): data["questions"][at] for at in chosen(data, values)}
    scores = {
        name: {at: {METRIC: one[name]} for at, one in questions.items()} for name in ("keyword", "hybrid")
    }
    (made,) = differences(scores, "keyword", METRIC, seed=values["seed"])
    return {
        "mean": made.interval.mean,
        "low": made.interval.low,
        "high": made.interval.high,
        "p": made.p,
        "more": made.more,
        "less": made.less,
        "same": made.same,
    }
