"""What reranking finds beside the search alone, on labelled data sets: a Markdown table.

    python -m research.reranking DATA_FOLDER [--set NAME ...] [--method tokens|server] [--candidates N ...]
    python -m research.reranking DATA_FOLDER --choose

DATA_FOLDER holds a folder per data set; the demo world comes with the app. Each question is searched for 10 passages,
and for more that are reranked; differences are of the same questions in the same run, with bootstrap intervals.
`--method server` asks the reranker in RERANK_BASE_URL. Seconds are of the first questions, no passage of which was read
before.

`--choose` weighs MaxSim in the joined score of the method `tokens`, on the questions of 2WikiMultihopQA that are not
among the 200 of the other table: the weight in the app is the one with the largest mean gain over the three searches
with 20 candidates.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.evaluation.dataset_indexing import document_keys, index
from core.evaluation.datasets import DATA, DataSet, read_folder, sample
from core.evaluation.ranking_scores import means, ranking_scores
from core.evaluation.statistics import LEVEL, RESAMPLES, bootstrap_interval
from core.jobs import run_blocking
from core.models.calling import CallBudget
from core.models.chat import Chat
from core.models.embeddings import kept_token_vectors
from core.models.endpoint import NO_KEY, ChatEndpoint
from core.models.rerank_endpoint import RerankEndpoint
from core.retrieval.late_interaction import join_scores
from core.retrieval.retriever import Retriever
from core.runs.workbench import Workbench, get_workbench
from core.skills.base import SkillContext
from core.skills.rerank import RERANK, SERVER, TOKENS, likenesses, passage_text, rerank
from core.trace.artefacts import EVAL_CUTOFF, Ranking
from core.trace.events import ListTracer

CHOSEN_ON = "2wiki_train500"
SETS = (CHOSEN_ON, "hotpotqa_train100", "musique_train100", "scifact", "strategyqa_dev229", "demo_world")
SEARCHES = ("dense", "hybrid", "linked")
CANDIDATES = (10, 20, 30)
WEIGHTS = (0.25, 0.5, 0.75, 1.0, 2.0, float("inf"))
REPORTED, SEED = 200, 0
TIMED = 10
"""Questions."""
KEPT = 20_000
"""Passages whose token vectors are kept between questions: all of a set."""
MEASURES = ("nDCG@10", "R@10")
Found = dict[str, Ranking]
"""Question -> what was found."""
Search = Callable[[str], Coroutine[Any, Any, Ranking]]
Judged = Mapping[str, Mapping[str, float]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    parser.add_argument("--set", action="append", choices=SETS, help="only these")
    parser.add_argument("--method", choices=(TOKENS, SERVER), default=TOKENS)
    parser.add_argument("--candidates", type=int, action="append")
    parser.add_argument("--choose", action="store_true", help="weigh MaxSim on the questions kept for that")
    arguments = parser.parse_args()
    bench = get_workbench()
    if arguments.choose:
        choose(bench, kept_back(read_folder(arguments.folder / CHOSEN_ON)))
        return
    context = skills(bench, arguments.method)
    print(
        "| set | search | reranked | nDCG@10 | difference (95 %) | R@10 | difference (95 %) | s alone | s |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name in arguments.set or SETS:
        folder = DATA / name if name == "demo_world" else arguments.folder / name
        dataset = sample(read_folder(folder), REPORTED, SEED) if name == CHOSEN_ON else read_folder(folder)
        for row in rows(bench, dataset, context, arguments.candidates or CANDIDATES):
            print(f"| {name} | {row}", flush=True)


def kept_back(dataset: DataSet) -> DataSet:
    """The questions that are in no other table."""
    shown = {one.id for one in sample(dataset, REPORTED, SEED).questions}
    return replace(dataset, questions=tuple(one for one in dataset.questions if one.id not in shown))


def skills(bench: Workbench, method: str) -> SkillContext:
    """What a reranker works with; no chat model is asked."""
    tracer, nobody = ListTracer(), ChatEndpoint("http://localhost/v1", NO_KEY, "none")
    return SkillContext(
        chat=Chat(nobody, tracer, bench.settings, CallBudget(0)),
        embedder=bench.backends.embedder,
        tracer=tracer,
        builtin=True,
        methods={RERANK.key: method},
        reranker=RerankEndpoint(bench.settings) if bench.settings.has_reranker else None,
    )


def rows(
    bench: Workbench, dataset: DataSet, context: SkillContext, candidates: Sequence[int]
) -> Iterator[str]:
    """The rest of each line of the table."""
    keys, searches = opened(bench, dataset)
    alone = {kind: partial(searched, found, EVAL_CUTOFF) for kind, found in searches.items()}
    ways = {
        (kind, count): partial(reranked, context, found, count)
        for kind, found in searches.items()
        for count in candidates
    }
    seconds = {kind: timed(dataset, search) for kind, search in alone.items()}
    seconds_more = {way: timed(dataset, search) for way, search in ways.items()}
    kept_token_vectors().most = KEPT
    before = {kind: judged(dataset, asked(dataset, search), keys) for kind, search in alone.items()}
    for (kind, count), search in ways.items():
        found = asked(dataset, search)
        after = judged(dataset, found, keys)
        cells = [kind, str(count)]
        for measure in MEASURES:
            was, now = (means(one.values())[measure] for one in (before[kind], after))
            cells += [f"{was:.3f} → {now:.3f}", difference(before[kind], after, measure)]
        kept = sum(not one.hits[0].before for one in found.values() if one.hits)
        note = f" ({kept} not reranked)" if kept else ""
        yield " | ".join([*cells, f"{seconds[kind]:.2f}", f"{seconds_more[kind, count]:.2f}{note} |"])


def choose(bench: Workbench, dataset: DataSet) -> None:
    """Print what each weight gains; infinite: MaxSim alone."""
    keys, searches = opened(bench, dataset)
    kept_token_vectors().most = KEPT
    print(f"{len(dataset.questions)} questions; difference in nDCG@10 to the search alone (95 %)\n")
    print(f"| search | candidates | {' | '.join(f'weight {weight:g}' for weight in WEIGHTS)} |")
    print(f"|---|---|{'---|' * len(WEIGHTS)}")
    for kind, retriever in searches.items():
        before = judged(dataset, asked(dataset, partial(searched, retriever, EVAL_CUTOFF)), keys)
        for count in CANDIDATES:
            found = asked(dataset, partial(searched, retriever, count))
            near = {
                question: run_blocking(likened(text, found[question]))
                for question, text in texts(dataset).items()
            }
            cells = []
            for weight in WEIGHTS:
                made = {question: weighed(one, near[question], weight) for question, one in found.items()}
                cells.append(difference(before, judged(dataset, made, keys), MEASURES[0]))
            print(f"| {kind} | {count} | {' | '.join(cells)} |", flush=True)


def opened(bench: Workbench, dataset: DataSet) -> tuple[Mapping[str, str], dict[str, Retriever]]:
    """Ids of documents as the data set has them, and what searches them; indexed first, if need be."""
    corpus = run_blocking(index(dataset, bench.corpora))
    searches = {kind: run_blocking(bench.corpora.retriever(corpus.name, kind)) for kind in SEARCHES}
    return document_keys(bench.corpora.catalogue, corpus.id), searches


async def searched(retriever: Retriever, count: int, question: str) -> Ranking:
    """The first hits of a search."""
    return await retriever.search(question, EVAL_CUTOFF, count)


async def reranked(context: SkillContext, retriever: Retriever, count: int, question: str) -> Ranking:
    """The same, reranked."""
    return await rerank(context, question, await searched(retriever, count, question))


async def likened(question: str, found: Ranking) -> list[float | None]:
    """MaxSim of each hit."""
    return await likenesses(question, [passage_text(hit.passage) for hit in found.hits])


def weighed(found: Ranking, near: Sequence[float | None], weight: float) -> Ranking:
    """A ranking in the order of the joined score, or of MaxSim alone."""
    searched = [hit.score for hit in found.hits] if np.isfinite(weight) else [0.0] * len(found.hits)
    scores = join_scores(searched, near, weight if np.isfinite(weight) else 1.0)
    hits = [found.hits[place] for place in np.argsort(-scores, kind="stable")]
    return found.model_copy(update={"hits": tuple(hits)})


def texts(dataset: DataSet) -> dict[str, str]:
    """Question -> its text, where it is judged."""
    return {one.id: one.text for one in dataset.questions if one.gold}


def asked(dataset: DataSet, search: Search) -> Found:
    """What a search finds for each question."""
    return {question: run_blocking(search(text)) for question, text in texts(dataset).items()}


def timed(dataset: DataSet, search: Search) -> float:
    """Seconds per question, where no passage was read before."""
    total, some = 0.0, list(texts(dataset).values())[:TIMED]
    for text in some:
        kept_token_vectors.cache_clear()
        started = time.perf_counter()
        run_blocking(search(text))
        total += time.perf_counter() - started
    return total / len(some)


def judged(dataset: DataSet, found: Found, keys: Mapping[str, str]) -> Judged:
    """The measures of each question."""
    rankings = {question: [keys[hit.passage.document] for hit in one.hits] for question, one in found.items()}
    return ranking_scores(rankings, {one.id: one.gold for one in dataset.questions if one.gold})


def difference(before: Judged, after: Judged, measure: str) -> str:
    """The mean difference of the same questions, with its interval."""
    values = np.array([[after[question][measure] - one[measure]] for question, one in before.items()])
    (low,), (high,) = bootstrap_interval(values, SEED, RESAMPLES, LEVEL)
    return f"{values.mean():+.3f} ({low:+.3f} to {high:+.3f})"


if __name__ == "__main__":
    main()
