"""What small to big and long context find beside plain retrieval with as many tokens: the table of docs/results.md.

    python -m research.small_to_big [DATA_FOLDER] [--retriever dense|keyword|hybrid] [--home FOLDER]

Without a folder, the questions of the demo world that have evidence; a piece of it counts as found where all its words
stand in one of the passages given, however the documents are cut. With the folder of a data set, its questions; a gold
document counts as found with any of its passages.

Each way to search and to give is measured against plain retrieval (the usual cut, hits as they are) with as many hits
as have the same number of tokens, question by question; between two numbers of hits it is interpolated. No model is
asked.
The number of hits is chosen so that the mean of the tokens is about that of 6 hits of the usual cut, but for rows that
say otherwise. With `--home`, what was indexed is kept.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from statistics import fmean

import numpy as np

from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import SENTENCES, Question
from core.evaluation.datasets import read_folder
from core.evaluation.statistics import bootstrap_interval, holm, p_value
from core.jobs import run_blocking
from core.retrieval.retriever import Retriever
from core.retrieval.widening import Count, Widening, cost_of, counting
from core.runs.workbench import Workbench
from core.settings import Settings
from core.trace.artefacts import Ranking
from core.trace.passages import Passage
from research.demo_world import counted_questions

USUAL, SMALL, SINGLE = "usual cut", "chunks of 64 tokens", "sentences"
CUTS: Mapping[str, tuple[int | None, int]] = {USUAL: (None, 0), SMALL: (64, 0), SINGLE: (SENTENCES, 0)}
"""Size and overlap of chunks."""
HITS = 6
DEEP = 120
"""Hits that are searched for: as many as any row is measured against, as far as there are that many."""
ALL = 1_000_000

Held = Callable[[Sequence[Passage]], float]
"""Passages -> the share of a question's evidence in them."""


@dataclass(frozen=True)
class Asked:
    """A question, and how its evidence is found."""

    id: str
    text: str
    held: Held


@dataclass(frozen=True)
class Way:
    """A way to search and to give."""

    cut: str
    how: Widening | None
    """None: the hits as they are."""
    hits: int = 0
    """0: as many as come to the tokens of 6 hits of the usual cut."""

    @property
    def name(self) -> str:
        """For the table."""
        if self.how is None:
            return f"{self.cut}, hits alone"
        most = "" if self.how.most_tokens == ALL else f", at most {self.how.most_tokens:,} tokens"
        if self.how.give == "everything":
            return f"everything{most}"
        if self.how.give == "documents":
            return f"{self.cut}, whole documents{most}"
        return f"{self.cut}, {self.how.neighbours} on either side{most}"


@dataclass(frozen=True)
class Found:
    """What a way gives for one question."""

    tokens: int
    share: float


def ways(budgets: Sequence[int]) -> Iterator[Way]:
    """The rows of the table."""
    for cut in CUTS:
        if cut != USUAL:
            yield Way(cut, None)
        for neighbours in (1, 2, 3):
            yield Way(cut, Widening("surroundings", neighbours, ALL))
    yield Way(USUAL, Widening("surroundings", 1, ALL), HITS)
    yield Way(USUAL, Widening("documents", 1, ALL), HITS)
    yield Way(USUAL, Widening("documents", 1, 3000), HITS)
    yield Way(SINGLE, Widening("documents", 1, 3000), 20)
    for most in budgets:
        yield Way(USUAL, Widening("everything", 1, most), HITS)


class Table:
    """Measures one set of questions."""

    def __init__(self, retrievers: Mapping[str, Retriever], questions: Sequence[Asked], count: Count) -> None:
        self._retrievers, self._questions, self._count = retrievers, questions, count
        self._plain: dict[str, list[Found]] = {}
        """Question -> what plain retrieval gives with 1, 2, 3 … hits."""
        self._rankings: dict[tuple[str, str], Ranking] = {}

    async def plain(self, asked: Asked) -> list[Found]:
        """Plain retrieval with every number of hits up to `DEEP`."""
        if asked.id not in self._plain:
            hits = await self.given(asked, Way(USUAL, None), DEEP)
            costs = accumulate(cost_of(hit, self._count) for hit in hits)
            self._plain[asked.id] = [
                Found(cost, asked.held(hits[:number])) for number, cost in enumerate(costs, 1)
            ]
        return self._plain[asked.id]

    async def given(self, asked: Asked, way: Way, hits: int) -> list[Passage]:
        """What the answer would be given."""
        retriever, how = self._retrievers[way.cut], way.how
        if how and how.give == "everything":
            return [passage for passage, _ in (await retriever.everything(how.most_tokens)).given]
        key = way.cut, asked.id
        if key not in self._rankings:
            self._rankings[key] = await retriever.search(asked.text, DEEP, DEEP)
        ranking = self._rankings[key].model_copy(update={"k": hits})
        if how is None:
            return [hit.passage for hit in ranking.used]
        return [passage for passage, _ in (await retriever.widen(ranking, how)).given]

    async def found(self, way: Way, hits: int) -> list[Found]:
        """One way, for every question."""
        made = []
        for asked in self._questions:
            passages = await self.given(asked, way, hits)
            cost = sum(cost_of(passage, self._count) for passage in passages)
            made.append(Found(cost, asked.held(passages)))
        return made

    async def hits_for(self, way: Way, wanted: float) -> int:
        """How many hits come about to a mean number of tokens."""
        hits = HITS
        for _ in range(3):
            each = fmean(one.tokens for one in await self.found(way, hits)) / hits
            hits = min(DEEP, max(1, round(wanted / each)))
        return hits

    async def rows(self, budgets: Sequence[int]) -> list[str]:
        """The table, in Markdown."""
        base = [(await self.plain(asked))[HITS - 1] for asked in self._questions]
        wanted = fmean(one.tokens for one in base)
        rows: list[str] = []
        chances: list[float] = []
        for way in ways(budgets):
            hits = way.hits or await self.hits_for(way, wanted)
            mine = await self.found(way, hits)
            beside = [
                at_equal_tokens(await self.plain(asked), one.tokens)
                for asked, one in zip(self._questions, mine, strict=True)
            ]
            apart = [one.share - other for one, other in zip(mine, beside, strict=True)]
            low, high = bootstrap_interval(np.array([[one] for one in apart]), 0, 10_000, 0.95)
            chances.append(p_value(apart))
            searched = "" if way.how and way.how.give == "everything" else hits
            rows.append(
                f"| {way.name} | {searched} | {_figures(mine)} | {fmean(beside):.3f} | "
                f"{fmean(apart):+.3f} ({float(low[0]):+.3f} to {float(high[0]):+.3f})"
            )
        return [
            "| searched and given | hits | tokens | evidence | all of it | plain, as many tokens | difference "
            "(95 %) | p (Holm) |",
            "|---|---|---|---|---|---|---|---|",
            f"| {USUAL}, hits alone (plain) | {HITS} | {_figures(base)} | | | |",
            *(f"{row} | {p:.3f} |" for row, p in zip(rows, holm(chances), strict=True)),
        ]


def _figures(found: Sequence[Found]) -> str:
    complete = fmean(one.share == 1 for one in found)
    return f"{fmean(one.tokens for one in found):,.0f} | {fmean(one.share for one in found):.3f} | {complete:.3f}"


def at_equal_tokens(plain: Sequence[Found], wanted: int) -> float:
    """The share of the evidence that plain retrieval has with this number of tokens, interpolated between two numbers
    of hits; with all that were searched for where these have fewer."""
    before = Found(0, 0.0)
    for one in plain:
        if one.tokens >= wanted:
            part = (wanted - before.tokens) / (one.tokens - before.tokens)
            return before.share + part * (one.share - before.share)
        before = one
    return before.share


def words_held(question: Question) -> Held:
    """Tells the share of a question's pieces of evidence all of whose words are in one of some passages."""
    pieces = [
        [(place.document, _bare(place.quote)) for place in (evidence, *evidence.also)]
        for evidence in question.evidence
    ]

    def held(passages: Sequence[Passage]) -> float:
        texts = [(passage.document, _bare(passage.text)) for passage in passages]
        found = (
            any(document == own and quote in text for own, quote in places for document, text in texts)
            for places in pieces
        )
        return fmean(found)

    return held


def _bare(text: str) -> str:
    return "".join(text.split())


def documents_held(gold: set[str], keys: Mapping[str, str]) -> Held:
    """Tells the share of the gold documents that some passages are from.

    Args:
        gold: Their ids in the data set.
        keys: Id of a document in the corpus -> its id in the data set.
    """
    return lambda passages: len({keys[passage.document] for passage in passages} & gold) / len(gold)


async def demo(bench: Workbench, kind: str) -> Table:
    """The demo world, cut in every way."""
    await bench.corpora.demo().ended()
    known = {corpus.name for corpus in bench.corpora.catalogue.corpora()}
    retrievers = {}
    for cut, sizes in CUTS.items():
        name = DEMO_CORPUS if cut == USUAL else f"Demo, {cut}"
        if name not in known:
            await bench.corpora.reindex(DEMO_CORPUS, name, *sizes).ended()
        retrievers[cut] = await bench.corpora.retriever(name, kind)
    questions = counted_questions(bench)
    asked = [Asked(one.id, one.text, words_held(one)) for one in questions if one.evidence]
    return Table(retrievers, asked, counting(bench.backends.embedder.token_count))


async def dataset(bench: Workbench, folder: Path, kind: str) -> Table:
    """A data set, cut in every way."""
    found, retrievers, keys = read_folder(folder), {}, dict[str, str]()
    known = {corpus.name for corpus in bench.corpora.catalogue.corpora()}
    for cut, sizes in CUTS.items():
        name = f"{folder.name}, {cut}"
        if name not in known:
            await bench.corpora.index([folder / "corpus.jsonl"], name, *sizes).ended()
        retrievers[cut] = await bench.corpora.retriever(name, kind)
        entries = bench.corpora.catalogue.documents(bench.corpora.catalogue.corpus(name).id)
        keys |= {entry.id: entry.key for entry in entries}
    asked = []
    for question in found.questions:
        gold = {document for document, relevance in question.gold.items() if relevance > 0}
        if gold:
            asked.append(Asked(question.id, question.text, documents_held(gold, keys)))
    return Table(retrievers, asked, counting(bench.backends.embedder.token_count))


def main() -> None:
    """Index, search, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="a data set; without it the demo world")
    parser.add_argument("--retriever", choices=("dense", "keyword", "hybrid"), default="dense")
    parser.add_argument("--home", type=Path, help="where what is indexed is kept")
    arguments = parser.parse_args()

    async def work(bench: Workbench) -> None:
        kind, folder = arguments.retriever, arguments.folder
        table = await (dataset(bench, folder, kind) if folder else demo(bench, kind))
        print(*await table.rows((3000, 8000) if folder else (3000, 8000, ALL)), sep="\n")

    with tempfile.TemporaryDirectory() as temporary:
        bench = Workbench(Settings(_env_file=None, rag_loupe_home=arguments.home or Path(temporary)))
        run_blocking(work(bench))
        bench.backends.supervisor.release()


if __name__ == "__main__":
    main()
