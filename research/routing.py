"""How often the router of Adaptive RAG is right, on questions that it has no example of.

    python -m research.routing DATA_FOLDER [--set NAME ...] [--method nearest|model] [--votes 5] [--limit N]
    python -m research.routing --vectors

A question is labelled by trying: where plain hybrid retrieval with 6 passages holds all its evidence, one search is the
cheapest way that can be right, else several are. So the label says what would have been needed here, and a router that
sees the question alone cannot know all of it. Questions that need no document are written for that. Beside it stand
the shares that are right when every question takes the same way; intervals are of 95 %, by the bootstrap over
questions. The model is the endpoint in OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL, else labelled questions vote.
`--vectors` makes the built-in vectors of these anew, after a change in data/routing/examples.tsv.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.corpora.demo import WORLD
from core.evaluation.dataset_indexing import document_keys, index
from core.evaluation.datasets import DataSet, read_folder, sample
from core.evaluation.statistics import Interval, intervals
from core.jobs import run_blocking
from core.models.chat_models import CONFIGURED
from core.runs.workbench import get_workbench
from core.skills.base import CAPABLE, TINY
from core.skills.route import KEPT_OUT, ROUTE, VECTORS, examples, route
from core.strategies.nodes import documents_of
from core.trace.artefacts import WayName
from research.skills.ground import Ground
from tools.demo_world.vectors import builtin, make_vectors

PASSAGES = 6
SETS = ("2wiki_train500", "hotpotqa_train100", "musique_train100", "strategyqa_dev229")
QUESTIONS = 200
"""Of each set; the labelled questions hold none of those that this sample has of 2WikiMultihopQA."""
WORLD_NAME, CLOSED = "demo world", "no document needed"
RIGHT = "right"
Tried = tuple[WayName, WayName]
"""The way that a question needs, and the one that it was sent."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="holds the data sets")
    parser.add_argument("--set", nargs="+", default=[*SETS, WORLD_NAME, CLOSED])
    parser.add_argument("--method", choices=[one.key for one in ROUTE.methods])
    parser.add_argument("--votes", type=int, default=5)
    parser.add_argument("--limit", type=int, default=QUESTIONS, help="questions of each set")
    parser.add_argument("--vectors", action="store_true", help="make the vectors of the labelled questions")
    arguments = parser.parse_args()
    if arguments.vectors:
        count = make_vectors(VECTORS, [one.question for one in examples()], builtin(), coarse=True)
        print(f"{count} vectors, {VECTORS.stat().st_size / 1e6:.2f} MB")
        return
    if arguments.folder is None:
        parser.error("DATA_FOLDER is needed.")
    bench = get_workbench()
    try:
        ground = Ground(arguments.folder, bench, run_blocking(CONFIGURED.open(bench.backends.models)))
        method = arguments.method or ROUTE.default_method(TINY if ground.endpoint.builtin else CAPABLE)
        print(f"Router: {method}. Right, by set; then where every question takes the same way.\n")
        found = {
            name: run_blocking(_tried(ground, name, method, arguments.votes, arguments.limit))
            for name in arguments.set
        }
        every = {f"{name} {key}": tried for name, by in found.items() for key, tried in by.items()}
        for name, tried in ({**found, "all": every} if len(found) > 1 else found).items():
            _tell(name, tried)
        taken = Counter(every.values())
        print(
            "\nNeeded → sent: "
            + ", ".join(f"{one} → {other} {n}" for (one, other), n in sorted(taken.items()))
        )
    finally:
        bench.backends.supervisor.release()


async def _tried(ground: Ground, name: str, method: str, votes: int, limit: int) -> dict[str, Tried]:
    """Id of a question -> the way that it needs, and the one that it is sent."""
    if name == CLOSED:
        world = await index(read_folder(WORLD), ground.bench.corpora)
        documents = await documents_of(await ground.bench.corpora.retriever(world.name, "hybrid"))
        asked = {one.question: (one.question, one.way) for one in examples(KEPT_OUT)}
    else:
        every = read_folder(WORLD if name == WORLD_NAME else ground.folder / name)
        dataset = sample(every, min(limit, QUESTIONS), 0)
        documents, asked = await labelled(ground, dataset)
    made: dict[str, Tried] = {}
    for key, (question, needed) in asked.items():
        context, _ = ground.context({ROUTE.key: method})
        made[key] = (needed, (await route(context, question, documents, votes)).way)
    return made


async def labelled(ground: Ground, dataset: DataSet) -> tuple[str, dict[str, tuple[str, WayName]]]:
    """A line on the documents; and id of a question -> its text, with the way that it needs."""
    corpus = await index(dataset, ground.bench.corpora)
    keys = document_keys(ground.bench.corpora.catalogue, corpus.id)
    retriever = await ground.bench.corpora.retriever(corpus.name, "hybrid")
    found: dict[str, tuple[str, WayName]] = {}
    for one in dataset.questions:
        used = (await retriever.search(one.text, PASSAGES)).used
        held = {keys.get(hit.passage.document, hit.passage.document) for hit in used}
        gold = {key for key, relevance in one.gold.items() if relevance > 0}
        found[one.id] = one.text, "one-search" if gold <= held else "several-searches"
    return await documents_of(retriever), found


def _tell(name: str, tried: Mapping[str, Tried]) -> None:
    """How often the router is right, and what each way for all would be; the best of these leads."""
    needed = [one for one, _ in tried.values()]
    router = _interval(list(tried), [one == sent for one, sent in tried.values()])
    same = {way: needed.count(way) / len(needed) for way in sorted(set(needed))}
    best = max(same, key=lambda way: same[way])
    gain = _interval(list(tried), [(one == sent) - (one == best) for one, sent in tried.values()])
    ways = ", ".join(f"{way} {share:.2f}" for way, share in same.items())
    print(f"{name} ({len(tried)}): {_text(router)}; always {ways}; beyond the best of these {_text(gain)}")


def _interval(keys: Sequence[str], values: Sequence[float]) -> Interval:
    scores = {"router": {key: {RIGHT: float(value)} for key, value in zip(keys, values, strict=True)}}
    return intervals(scores, RIGHT)["router"]


def _text(found: Interval) -> str:
    return f"{found.mean:.3f} [{found.low:.3f}, {found.high:.3f}]"


if __name__ == "__main__":
    main()
