"""Which retriever finds most in which language with the built-in embeddings: the table of `core.retrieval.defaults`.

    python -m research.retriever_by_language DATA_FOLDER [--vectors FOLDER] [--questions 300] [--documents 600]
        [--seed 0]

DATA_FOLDER holds a folder per data set (`research.retrieval_sets`; those that are missing are left out). Every set
is cut, embedded and searched as the app would do it, with exact cosines in the place of Chroma. The vectors are kept in
a folder, so that only the first run takes long. The questions of each set are halved by the seed: one half chooses, the
other judges, and a language's figure is the mean over its sets. Beside dense, keyword and hybrid retrieval (RRF of both
lists) are measured

- RRF with weights: score(d) = Σ w / (60 + rank(d));
- convex combinations of scores, normalised by their smallest and largest, or by the smallest that there can be, “TM2C2”
  (S. Bruch, S. Gai, A. Ingber: An Analysis of Fusion Functions for Hybrid Retrieval, TOIS 2023).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.evaluation.ranking_scores import ranking_scores
from core.retrieval.fusion import DEFAULT_K
from core.settings import Settings
from research.retrieval_sets import SearchedSet, Sizes, folders, searched_set
from tools.demo_world.vectors import builtin

METRIC = "nDCG@10"
DEPTH = 10
"""Chunks of each list that the app fuses."""
DEEP = 100
"""Chunks of each list that are fused where scores are combined, after the paper (1,000 there)."""
SHARES = tuple(round(0.1 * step, 1) for step in range(1, 10))
"""Weights of the dense list, where both weights come to 1."""
MARGIN = 0.01
"""By how much a weighting has to win on the choosing half, so that it takes the place of equal weights; and by how much
dense or keyword search, so that it takes the place of hybrid search."""
RESAMPLES = 10_000
RANKS, SCORES = "hybrid by ranks", "min-max"
Floats = NDArray[np.float64]
Scored = list[tuple[int, float]]
"""Places of chunks with their scores, best first."""
Fuse = Callable[[Scored, Scored], Sequence[int]]


@dataclass(frozen=True)
class Measured:
    """One set: method -> value of each question, in the order of the questions; and which of them choose."""

    name: str
    language: str
    values: Mapping[str, Floats]
    choosing: NDArray[np.bool_]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = Sizes()
    parser.add_argument("folder", type=Path, help="holds the data sets")
    parser.add_argument("--vectors", type=Path, help="where vectors are kept (default: in the home)")
    parser.add_argument("--questions", type=int, default=usual.questions, help="at most so many of a set")
    parser.add_argument("--documents", type=int, default=usual.documents, help="at most so many of a set")
    parser.add_argument("--seed", type=int, default=usual.seed)
    arguments = parser.parse_args()
    kept = arguments.vectors or Settings().rag_loupe_home / "benchmark-vectors"
    sizes = Sizes(arguments.questions, arguments.documents, arguments.seed)
    embedder, found = builtin(), list[Measured]()
    for name, language in folders(arguments.folder):
        data = searched_set(name, language, arguments.folder, kept, embedder, sizes)
        found.append(measured(data, arguments.seed))
        print(f"{name}: {len(data.data.questions)} questions, {len(data.titles)} documents", flush=True)
    print_sets(found)
    print_languages(found)


def methods() -> dict[str, Fuse]:
    """Every way to make one list of two."""
    found: dict[str, Fuse] = {
        "dense": lambda dense, _: [place for place, _ in dense[:DEPTH]],
        "keyword": lambda _, keyword: [place for place, _ in keyword[:DEPTH]],
        RANKS: partial(rrf, share=0.5),
    }
    for share in SHARES:
        found[f"RRF {share}"] = partial(rrf, share=share)
        found[f"{SCORES} {share}"] = partial(convex, share=share, lowest=None)
        found[f"theoretical {share}"] = partial(convex, share=share, lowest=(-1.0, 0.0))
    return found


def rrf(dense: Scored, keyword: Scored, share: float) -> list[int]:
    """Reciprocal Rank Fusion with weights, equal ones at a share of 0.5."""
    scores: dict[int, float] = {}
    best: dict[int, int] = {}
    for found, weight in ((dense, 2 * share), (keyword, 2 - 2 * share)):
        for rank, (place, _) in enumerate(found[:DEPTH], 1):
            scores[place] = scores.get(place, 0) + weight / (DEFAULT_K + rank)
            best[place] = min(rank, best.get(place, rank))
    return sorted(scores, key=lambda place: (-scores[place], best[place]))[:DEPTH]


def convex(dense: Scored, keyword: Scored, share: float, lowest: tuple[float, float] | None) -> list[int]:
    """A convex combination of normalised scores; what a list lacks has 0 there.

    Args:
        share: Weight of the dense score, from 0 to 1.
        lowest: Smallest scores that there can be; None: the smallest of each list.
    """
    scores: dict[int, float] = {}
    for column, (found, weight) in enumerate(((dense, share), (keyword, 1 - share))):
        if not found:
            continue
        low = lowest[column] if lowest else found[-1][1]
        span = found[0][1] - low
        for place, score in found:
            scores[place] = scores.get(place, 0) + weight * ((score - low) / span if span > 0 else 1)
    return sorted(scores, key=lambda place: -scores[place])[:DEPTH]


def measured(data: SearchedSet, seed: int) -> Measured:
    """Search with every question in every way."""
    index, places = data.keyword_index(), {one.chunk: place for place, one in enumerate(data.passages)}
    lists: list[tuple[Scored, Scored]] = []
    for question, vector in zip(data.data.questions, data.questions, strict=True):
        cosines = data.chunks @ vector
        near = [(int(place), float(cosines[place])) for place in np.argsort(-cosines, kind="stable")[:DEEP]]
        words = [(places[passage.chunk], score) for passage, score in index.rank(question.text, DEEP)]
        lists.append((near, words))
    gold = {one.id: one.gold for one in data.data.questions}
    values: dict[str, Floats] = {}
    for method, fuse in methods().items():
        rankings = {
            one.id: [data.passages[place].document for place in fuse(*both)]
            for one, both in zip(data.data.questions, lists, strict=True)
        }
        scores = ranking_scores(rankings, gold)
        values[method] = np.array([scores[one.id][METRIC] for one in data.data.questions])
    order = np.random.default_rng(seed).permutation(len(gold))
    return Measured(data.name, data.language, values, order < len(gold) // 2)


def mean(sets: Sequence[Measured], method: str, *, judging: bool) -> float:
    """Mean over the sets, each of which counts the same."""
    return float(np.mean([one.values[method][one.choosing != judging].mean() for one in sets]))


def interval(sets: Sequence[Measured], method: str, baseline: str, seed: int = 0) -> tuple[float, float]:
    """95 % bootstrap interval of a difference on the judging halves, questions drawn within each set."""
    random = np.random.default_rng(seed)
    drawn = np.zeros(RESAMPLES)
    for one in sets:
        moved = (one.values[method] - one.values[baseline])[~one.choosing]
        drawn += moved[random.integers(0, len(moved), (RESAMPLES, len(moved)))].mean(axis=1) / len(sets)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


@dataclass(frozen=True)
class Chosen:
    """What the choosing halves chose in a language."""

    hybrid: str
    """The method of hybrid search: by ranks, or a convex combination where that wins by `MARGIN`."""
    retriever: str
    """The method of the default retriever: that hybrid search, dense or keyword."""


def chosen(sets: Sequence[Measured]) -> Chosen:
    """By the choosing halves alone; hybrid search is the default unless another wins by `MARGIN`."""
    value = {method: mean(sets, method, judging=False) for method in methods()}
    best = max((method for method in value if method.startswith(SCORES)), key=value.__getitem__)
    hybrid = best if value[best] >= value[RANKS] + MARGIN else RANKS
    return Chosen(
        hybrid, max((hybrid, "dense", "keyword"), key=lambda one: value[one] + MARGIN * (one == hybrid))
    )


def print_sets(found: Sequence[Measured]) -> None:
    """All questions of each set, without halves."""
    print(f"\n### {METRIC} of each set, all questions\n")
    shown = ("dense", "keyword", RANKS, *(f"{SCORES} {share}" for share in (0.3, 0.4, 0.5, 0.6)))
    print(f"| set | language | questions | {' | '.join(shown)} |")
    print("|---|---|---|" + "---|" * len(shown))
    for one in found:
        cells = " | ".join(f"{one.values[method].mean():.3f}" for method in shown)
        print(f"| {one.name} | {one.language} | {len(one.choosing)} | {cells} |")


def print_languages(found: Sequence[Measured]) -> None:
    """What the choosing halves choose in each language, and what it comes to on the judging halves."""
    languages = {one.language: [other for other in found if other.language == one.language] for one in found}
    print(f"\n### {METRIC} by language: chosen on one half, judged on the other\n")
    print(
        "| language | sets | default | it | dense | keyword | by ranks | to the best of these | to by ranks |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for language, sets in languages.items():
        default = chosen(sets).retriever
        three = {method: mean(sets, method, judging=True) for method in ("dense", "keyword", RANKS)}
        best = max(three, key=three.__getitem__)
        cells = " | ".join(f"{value:.3f}" for value in three.values())
        moved = " | ".join(difference(sets, default, other) for other in (best, RANKS))
        print(
            f"| {language} | {len(sets)} | {default} | {mean(sets, default, judging=True):.3f} | {cells} | {moved} |"
        )
    print("\nFor `core.retrieval.defaults`, judging halves:\n")
    for language, sets in languages.items():
        hybrid = chosen(sets).hybrid
        three_values = [mean(sets, method, judging=True) for method in ("dense", hybrid, "keyword")]
        share = "" if hybrid == RANKS else f", {hybrid.split()[-1]}"
        print(f'    "{language}": Quality({", ".join(f"{value:.3f}" for value in three_values)}{share}),')
    print("\nEvery method, choosing half / judging half:\n")
    print("| method | " + " | ".join(languages) + " |")
    print("|---|" + "---|" * len(languages))
    for method in methods():
        halves = (
            f"{mean(sets, method, judging=False):.3f} / {mean(sets, method, judging=True):.3f}"
            for sets in languages.values()
        )
        print(f"| {method} | {' | '.join(halves)} |")


def difference(sets: Sequence[Measured], method: str, baseline: str) -> str:
    """On the judging halves, with its interval."""
    moved = mean(sets, method, judging=True) - mean(sets, baseline, judging=True)
    low, high = interval(sets, method, baseline)
    return f"{moved:+.3f} ({low:+.3f} to {high:+.3f})"


if __name__ == "__main__":
    main()
