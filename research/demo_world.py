"""Whether the questions of the demo world show what they are there to show: the table of docs/results.md.

    python -m research.demo_world [--retriever dense|keyword] [--each] [--no-graph]

No model is asked. For each question and each strategy that it is meant for, the searches that a good model would write
(`ideal` in questions.jsonl) go through the built-in embeddings and through BM25, by the strategy's own rules. That all
evidence is among the passages given is *complete*. Beside it, plain retrieval with the question alone and as many
passages. A question that needs its strategy is complete with `ideal` and not without. Questions to the graph are
answered by their query, and the answers compared.

The world was designed to show differences. It is no evidence of how often they occur.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Question
from core.evaluation.statistics import bootstrap_interval
from core.jobs import run_blocking
from core.knowledge.ask.asking import Asker
from core.retrieval.retriever import Retriever
from core.runs.budget import gold_of
from core.runs.workbench import Workbench
from core.settings import Settings
from core.strategies.base import BASELINE
from core.trace.gold import pieces_held
from research.ideal_searches import SEARCHES, Ideal, plain

QUESTIONS = Path(__file__).parents[1] / "data" / "demo_world" / "questions.jsonl"
RETRIEVERS = ("dense", "keyword")
MANY = 12
"""Passages beside a question to the graph: as many as Multi-Query gives, which is the most of those that search."""


@dataclass(frozen=True)
class Seen:
    """One question through one strategy, with one retriever."""

    question: Question
    first: bool
    """Of the twenty that were written before any strategy was run."""
    strategy: str
    retriever: str
    given: int
    held: int
    """Pieces of evidence among the passages given."""
    plain: int
    """And among as many passages of plain retrieval."""

    @property
    def complete(self) -> bool:
        return self.held == len(self.question.evidence)

    @property
    def without(self) -> bool:
        """Whether plain retrieval is complete with as many passages."""
        return self.plain == len(self.question.evidence)

    @property
    def gain(self) -> float:
        """Difference in the share of evidence."""
        return (self.held - self.plain) / len(self.question.evidence)


async def look(retriever: Retriever, question: Question, ideal: Ideal, first: bool) -> list[Seen]:
    """A question through every strategy that it is meant for and that has its `ideal`."""
    gold, found = gold_of(question, {}), []
    for strategy in question.strategies:
        if strategy == BASELINE:
            given = await plain(retriever, question.text, 6)
        elif strategy in SEARCHES and getattr(ideal, SEARCHES[strategy][0]):
            given = await SEARCHES[strategy][1](retriever, question.text, ideal)
        else:
            continue
        base = await plain(retriever, question.text, len(given))
        held, without = pieces_held(gold, given), pieces_held(gold, base)
        found.append(Seen(question, first, strategy, retriever.kind, len(given), held, without))
    return found


def table(seen: Sequence[Seen], by: Callable[[Seen], str], head: str) -> list[str]:
    """Rows of Markdown: what is complete with the ideal searches and without, for each group.

    Args:
        by: The group of a question with a strategy; its name may span several columns.
        head: Titles of these columns.
    """
    groups: dict[str, list[Seen]] = {}
    for one in seen:
        groups.setdefault(by(one), []).append(one)
    shown = [kind for kind in RETRIEVERS if any(one.retriever == kind for one in seen)]
    columns = "".join(f" {kind}: with, without, needs | gain in evidence (95 %) |" for kind in shown)
    rows = [f"| {head} | questions |{columns}", "|---" * (head.count("|") + 2 + 2 * len(shown)) + "|"]
    for name, those in sorted(groups.items()):
        cells = [counts([one for one in those if one.retriever == kind]) for kind in shown]
        rows.append(f"| {name} | {len({one.question.id for one in those})} | {' | '.join(cells)} |")
    return rows


def counts(mine: Sequence[Seen]) -> str:
    """Two cells: how many are complete with the ideal searches, without them, and only with them; the mean gain."""
    import numpy as np

    gains = np.array([[one.gain] for one in mine])
    low, high = bootstrap_interval(gains, 0, 10_000, 0.95)
    needs = sum(one.complete and not one.without for one in mine)
    found = sum(one.complete for one in mine), sum(one.without for one in mine), needs
    return (
        f"{', '.join(map(str, found))} | {gains.mean():+.2f} ({float(low[0]):+.2f} to {float(high[0]):+.2f})"
    )


async def looked(
    bench: Workbench, retrievers: Iterable[str], records: Sequence[dict[str, Any]]
) -> list[Seen]:
    """Every question with evidence, through both retrievers."""
    known = {one.id: one for one in bench.corpora.catalogue.corpus(DEMO_CORPUS).questions}
    seen = []
    for kind in retrievers:
        retriever = await bench.corpora.retriever(DEMO_CORPUS, kind)
        for record in records:
            question = known[record["id"]]
            if question.evidence:
                seen += await look(
                    retriever,
                    question,
                    Ideal.model_validate(record.get("ideal", {})),
                    bool(record.get("first")),
                )
    return seen


def counted_questions(bench: Workbench) -> list[Question]:
    """The questions of the demo world, without its starters, which are there for a first look only."""
    own = {json.loads(line)["id"] for line in QUESTIONS.read_text(encoding="utf-8").splitlines()}
    return [one for one in bench.corpora.catalogue.corpus(DEMO_CORPUS).questions if one.id in own]


async def without_graph(bench: Workbench) -> dict[str, str]:
    """What plain retrieval finds with `MANY` passages: id of each question -> its evidence, as text."""
    found: dict[str, list[str]] = {}
    for kind in RETRIEVERS:
        retriever = await bench.corpora.retriever(DEMO_CORPUS, kind)
        for one in counted_questions(bench):
            held = pieces_held(gold_of(one, {}), await plain(retriever, one.text, MANY))
            found.setdefault(one.id, []).append(f"{kind} {held}/{len(one.evidence)}")
    return {id_: f"plain with {MANY}: {', '.join(parts)}" for id_, parts in found.items()}


def asked(bench: Workbench, records: Sequence[dict[str, Any]]) -> list[tuple[str, bool, str]]:
    """The questions whose `ideal` is a query: id, whether its rows hold an answer, and the rows."""
    asker, found = Asker(bench.graphs.prepare(DEMO_CORPUS).result()), []
    templates = {one.name: one for one in asker.templates}
    for record in records:
        ideal = Ideal.model_validate(record.get("ideal", {}))
        if ideal.graph:
            template, values = templates[ideal.graph["template"]], ideal.graph["arguments"]
            rows = run_blocking(asker.run_template(template, values))[0].rows
        elif ideal.cypher:
            rows = run_blocking(asker.run_query(ideal.cypher)).rows
        else:
            continue
        text = "; ".join(" ".join(map(str, row)) for row in rows)
        wanted = ideal.names or record["answers"]
        holds = [one.lower() in text.lower() for one in wanted]
        found.append((record["id"], all(holds) if ideal.names else any(holds), text))
    return found


def main() -> None:
    """Index, search, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--retriever", choices=RETRIEVERS, action="append")
    parser.add_argument("--each", action="store_true", help="a line per question and strategy")
    parser.add_argument("--no-graph", action="store_true", help="leave out the questions to the graph")
    arguments = parser.parse_args()
    records = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    with tempfile.TemporaryDirectory() as home:
        bench = Workbench(Settings(_env_file=None, rag_loupe_home=Path(home)))
        bench.corpora.demo().result()
        seen = run_blocking(looked(bench, arguments.retriever or RETRIEVERS, records))
        if arguments.each:
            print(*map(line, seen), sep="\n")
        later, first = ([one for one in seen if one.first is early] for early in (False, True))
        print("\n### By kind and strategy, without the first twenty\n")
        both = table(later, lambda one: f"{one.question.type} | {one.strategy}", "kind | strategy")
        print(*both, sep="\n")
        print("\n### The first twenty, by strategy\n")
        print(*table(first, lambda one: one.strategy, "strategy"), sep="\n")
        print("\n### By strategy, all questions meant for it\n")
        print(*table(seen, lambda one: one.strategy, "strategy"), sep="\n")
        if not arguments.no_graph:
            print("\n### Questions to the graph\n")
            plainly = run_blocking(without_graph(bench))
            for id_, right, text in asked(bench, records):
                print(f"{'right' if right else 'WRONG'} {id_} ({plainly[id_]}): {text[:160]}")
        bench.backends.supervisor.release()


def line(one: Seen) -> str:
    """One question through one strategy, in a line."""
    mark = "needs" if one.complete and not one.without else "plain too" if one.complete else "NOT COMPLETE"
    all_ = len(one.question.evidence)
    return (
        f"{one.question.id} {one.retriever:8} {one.question.type:26} {one.strategy:26} "
        f"{one.held}/{all_} plain {one.plain}/{all_} of {one.given:2}  {mark}  {one.question.text[:70]}"
    )


if __name__ == "__main__":
    main()
