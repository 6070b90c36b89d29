"""Share of the first six places that near-duplicates take, and evidence recall at 6 with them and without.

    python -m research.repeats DATA_FOLDER [SET ...] [--vectors FOLDER]

Every question is searched once, as hybrid retrieval does; the ranking is used as it was found, and with its repeats
marked. A gold document is found with any of its passages, and with a passage that stands for one of them. Differences
have bootstrap intervals (95 %).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from core.evaluation.statistics import bootstrap_interval
from core.models.embeddings import Embedder, builtin_embedder
from core.retrieval.repeats import mark_repeats
from core.retrieval.retriever import as_one, ranking_of
from core.trace.artefacts import Ranking
from research.retrieval_sets import SearchedSet, Sizes, searched_set

K, DEPTH, RESAMPLES = 6, 20, 10_000
EVERY = Sizes(questions=100_000, documents=100_000)


def rankings(found: SearchedSet) -> Iterator[Ranking]:
    """One ranking per question, best first, without marks."""
    index = found.keyword_index()
    for number, one in enumerate(found.data.questions):
        cosines = found.chunks @ found.questions[number]
        best = [
            (found.passages[at], float(cosines[at])) for at in np.argsort(-cosines, kind="stable")[:DEPTH]
        ]
        lists = [
            ranking_of(one.text, "dense", "cosine similarity", K, best),
            ranking_of(one.text, "keyword", "BM25", K, index.rank(one.text, DEPTH)),
        ]
        yield as_one(lists, one.text, K, DEPTH)


def measure(found: SearchedSet) -> str:
    """A row of the table."""
    rows: list[list[float]] = []
    for one, before in zip(found.data.questions, rankings(found), strict=True):
        gold = {document for document, relevance in one.gold.items() if relevance > 0}
        after = mark_repeats(before)
        repeats = sum(hit.repeats is not None for hit in after.hits[:K])
        found_in = [{name for hit in made.used for name in hit.passage.documents} for made in (before, after)]
        shares = [len(gold & documents) / len(gold) for documents in found_in]
        rows.append([repeats, *shares, *(float(share == 1) for share in shares), shares[1] - shares[0]])
    values = np.array(rows)
    means, (low, high) = values.mean(axis=0), bootstrap_interval(values, 0, RESAMPLES, 0.95)
    return (
        f"| {found.name} | {len(rows)} | {means[0] / K:.2%} | {(values[:, 0] > 0).mean():.1%} | {means[1]:.4f} | "
        f"{means[2]:.4f} | {means[5]:+.4f} [{low[5]:+.4f}, {high[5]:+.4f}] | {means[3]:.3f} | {means[4]:.3f} |"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with data sets")
    parser.add_argument("sets", nargs="*", default=["musique_train100"], help="folders of it")
    parser.add_argument("--vectors", type=Path, default=Path(tempfile.gettempdir()) / "rag-loupe-vectors")
    chosen = parser.parse_args(arguments)
    embedder: Embedder = builtin_embedder()
    print(
        f"| set | questions | places of {K} | questions with one | R@{K} | after | difference | all | after |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name in chosen.sets:
        print(measure(searched_set(name, "", chosen.data, chosen.vectors, embedder, EVERY)), flush=True)


if __name__ == "__main__":
    main()
