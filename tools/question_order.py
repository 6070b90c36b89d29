"""The order of the example questions that come with the app: those first that are answered, and then the easy ones.

    python -m tools.question_order

First come the questions that the shipped recording answers rightly, by whatever strategy, as its judges said. Then a
question is the easier the fewer passages plain retrieval with the built-in embeddings takes to hold all of its
evidence; of those that it does not find, the easier the more of the evidence it finds. Questions of the Wikipedia set
whose label is doubtful come last. Written are `order.txt` of the
demo world, an id a line, and the lines of the Wikipedia set's `queries.jsonl` in their new order. No model is asked. To
be run when these questions, documents or the built-in embeddings change.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.corpora.demo import DEMO_CORPUS, ORDER
from core.evaluation.dataset_indexing import index
from core.evaluation.dataset_lines import QUERIES
from core.evaluation.datasets import WIKIPEDIA, read_folder
from core.jobs import run_blocking
from core.retrieval.retriever import Retriever
from core.runs.budget import gold_of
from core.runs.workbench import Workbench
from core.settings import Settings
from core.trace.gold import pieces_held
from core.trace.passages import Passage
from tools.verdicts import verdicts

DEPTH = 50
"""Passages looked at."""
Ease = tuple[bool, float, int]
"""Whether no recorded answer is right, or the label is doubtful; how deep the evidence lies, see `depth`; how much it
is."""


def main() -> None:
    """Rank, sort, write."""
    with tempfile.TemporaryDirectory() as home:
        bench = Workbench(Settings(_env_file=None, rag_loupe_home=Path(home)))
        try:
            bench.corpora.demo().result()
            world = run_blocking(world_ease(bench))
            wikipedia = run_blocking(wikipedia_ease(bench))
        finally:
            bench.backends.supervisor.release()
    ORDER.write_text("".join(f"{id_}\n" for id_ in in_order(world)), encoding="utf-8")
    file = WIKIPEDIA / QUERIES
    lines = {json.loads(line)["id"]: line for line in file.read_text(encoding="utf-8").splitlines()}
    file.write_text("".join(f"{lines[id_]}\n" for id_ in in_order(wikipedia)), encoding="utf-8")
    print(
        f"{sum(not unanswered for unanswered, *_ in world.values())} of {len(world)} are answered by the recording"
    )
    for name, ease in ((DEMO_CORPUS, world), (WIKIPEDIA.name, wikipedia)):
        shallow = sum(place <= DEPTH for _, place, _ in ease.values())
        print(f"{name}: of {len(ease)} questions {shallow} with all evidence among {DEPTH} passages")


def in_order(ease: dict[str, Ease]) -> list[str]:
    """Ids, the easiest first."""
    return sorted(ease, key=lambda id_: (*ease[id_], id_))


async def world_ease(bench: Workbench) -> dict[str, Ease]:
    """Id of each question of the demo world -> how easy it is."""
    right = {question for (question, _), verdict in verdicts().items() if verdict == "right"}
    retriever, ease = await bench.corpora.retriever(DEMO_CORPUS, "dense"), {}
    for question in bench.corpora.catalogue.corpus(DEMO_CORPUS).questions:
        gold, ranked = gold_of(question, {}), await ranking(retriever, question.text)
        held = [pieces_held(gold, ranked[: place + 1]) for place in range(len(ranked))]
        ease[question.id] = (question.id not in right, depth(held, len(gold)), len(gold))
    return ease


async def wikipedia_ease(bench: Workbench) -> dict[str, Ease]:
    """Id of each question of the Wikipedia set -> how easy it is."""
    dataset = read_folder(WIKIPEDIA)
    corpus = await index(dataset, bench.corpora)
    retriever, ease = await bench.corpora.retriever(corpus.name, "dense"), {}
    documents = {(document.title, document.text.strip()): document.id for document in dataset.documents}
    for question in dataset.questions:
        ids = [list(_ids(passage, documents)) for passage in await ranking(retriever, question.text)]
        held = [
            len({id_ for same in ids[: place + 1] for id_ in same} & question.gold.keys())
            for place in range(len(ids))
        ]
        ease[question.id] = (bool(question.note), depth(held, len(question.gold)), len(question.gold))
    return ease


def _ids(passage: Passage, documents: dict[tuple[str, str], str]) -> Iterable[str]:
    """The document that a passage is from; a chunk is a part of its text."""
    return (
        id_
        for (title, text), id_ in documents.items()
        if title == passage.title and passage.text.strip() in text
    )


async def ranking(retriever: Retriever, question: str) -> list[Passage]:
    """The first passages of plain retrieval."""
    return [hit.passage for hit in (await retriever.search(question, DEPTH, depth=DEPTH)).used]


def depth(held: Sequence[int], wanted: int) -> float:
    """How many passages hold all the evidence; more than `DEPTH` if they are not found, the more the less is found.

    Args:
        held: Pieces of evidence among the first passages, for each number of passages from 1.
        wanted: Pieces there are; 0: there is none, which is as hard as finding none.
    """
    best = held[-1] if held else 0
    if not wanted or best < wanted:
        return DEPTH + 2 - (best / wanted if wanted else 0)
    return held.index(wanted) + 1


if __name__ == "__main__":
    main()
