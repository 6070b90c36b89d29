"""What contexts for chunks change in retrieval, and what they cost: a Markdown table.

    python -m research.contextual [DATA_FOLDER ...] [--home FOLDER] [--forecast] [--at-once N]

The demo world's questions, and those of each data set in the folders named, on the plain index and on one whose chunks
have contexts, cut alike; contexts are written by the endpoint of the environment (OPENAI_BASE_URL, CHAT_MODEL; for a
slow one MODEL_TIMEOUT_SECONDS). With `--home`, what was indexed and replied is kept, and a benchmark that was cut off
goes on. `--forecast` says what it will take, and asks nothing.

A piece of evidence of the demo world counts as found where all its words stand in one passage, in the text itself and
not in a context. In a data set a gold document is found with any of its passages. R@4 is the share of the pieces in the
first 4 passages. nDCG@10 gains 1 for each passage with a piece that none before it has, and is measured against a
ranking with one piece in each of its first passages. Differences are of the same
questions, with bootstrap intervals (95 %); p by a randomisation test, corrected by Holm.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Question
from core.evaluation.datasets import read_folder
from core.evaluation.statistics import bootstrap_interval, holm, p_value
from core.jobs import run_blocking
from core.runs.sources.context_forecast import ALL, context_forecast, forecast_sentence
from core.runs.sources.context_writing import WORKERS, ContextOptions
from core.runs.workbench import Workbench
from core.settings import Settings
from core.trace.passages import Passage
from research.demo_world import counted_questions

SEARCHES = ("dense", "keyword", "hybrid")
FIRST, DEPTH = 4, 10
MEASURES = ("R@4", "nDCG@10")
RESAMPLES = 10_000
Holds = Callable[[Passage], bool]
"""Whether a passage holds a piece of evidence."""


@dataclass(frozen=True)
class Asked:
    """A question, and what tells its pieces of evidence."""

    text: str
    pieces: Sequence[Holds]


@dataclass(frozen=True)
class Indexes:
    """The same documents, indexed twice."""

    source: str
    """Name of the corpus that they are cut from. Its text is put together from its chunks, up to white space, so that
    its own cut may differ from theirs by a chunk."""
    questions: Sequence[Asked]

    @property
    def plain(self) -> str:
        """Name of the corpus without contexts."""
        return f"{self.source}, plain"

    @property
    def contextual(self) -> str:
        """Name of the corpus with contexts."""
        return f"{self.source}, contextual"


def demo(bench: Workbench) -> Indexes:
    """The demo world."""
    bench.corpora.demo().result()
    questions = counted_questions(bench)
    asked = [Asked(one.text, by_words(one)) for one in questions if one.evidence]
    return Indexes(DEMO_CORPUS, asked)


def dataset(bench: Workbench, folder: Path) -> Indexes:
    """A data set."""
    found, name = read_folder(folder), folder.resolve().name[:50]
    bench.corpora.index([folder / "corpus.jsonl"], name).result()
    corpus = bench.corpora.catalogue.corpus(name)
    keys = {entry.id: entry.key for entry in bench.corpora.catalogue.documents(corpus.id)}
    golds = {one.text: {key for key, value in one.gold.items() if value > 0} for one in found.questions}
    asked = [Asked(text, by_document(gold, keys)) for text, gold in golds.items() if gold]
    return Indexes(name, asked)


def by_words(question: Question) -> list[Holds]:
    """The pieces of a question of the demo world, each with all places that say it."""

    def piece(places: Sequence[tuple[str, str]]) -> Holds:
        return lambda passage: any(
            passage.document == document and words in bare(passage.text) for document, words in places
        )

    return [
        piece([(place.document, bare(place.quote)) for place in (one, *one.also)])
        for one in question.evidence
    ]


def by_document(gold: set[str], keys: Mapping[str, str]) -> list[Holds]:
    """The gold documents of a question; `keys`: id of a document in the corpus -> its id in the data set."""

    def piece(key: str) -> Holds:
        return lambda passage: keys.get(passage.document) == key

    return [piece(key) for key in sorted(gold)]


def bare(text: str) -> str:
    """A text without blanks."""
    return "".join(text.split())


def judged(passages: Sequence[Passage], pieces: Sequence[Holds]) -> tuple[float, float]:
    """R@4 and nDCG@10 of a ranking."""
    open_, gain, early = set(range(len(pieces))), 0.0, 0
    for rank, passage in enumerate(passages[:DEPTH], 1):
        held = {place for place in open_ if pieces[place](passage)}
        open_ -= held
        gain += bool(held) / math.log2(rank + 1)
        early += len(held) if rank <= FIRST else 0
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(pieces), DEPTH) + 1))
    return early / len(pieces), gain / best


def measured(bench: Workbench, corpus: str, kind: str, questions: Sequence[Asked]) -> np.ndarray:
    """The measures (columns) of each question (rows)."""
    retriever = run_blocking(bench.corpora.retriever(corpus, kind))

    async def one(asked: Asked) -> tuple[float, float]:
        found = await retriever.search(asked.text, DEPTH, DEPTH)
        return judged([hit.passage for hit in found.hits], asked.pieces)

    return np.array([run_blocking(one(asked)) for asked in questions])


def write_contexts(bench: Workbench, indexes: Indexes, workers: int) -> str:
    """Index without and with contexts, unless that is done; what it took."""
    corpora = bench.corpora
    known = {one.name for one in corpora.catalogue.corpora()}
    found = corpora.catalogue.corpus(indexes.source)
    sizes = found.chunk_tokens, found.overlap_tokens
    if indexes.plain not in known:
        corpora.reindex(indexes.source, indexes.plain, *sizes).result()
    if indexes.contextual in known:
        return f"{indexes.contextual}: was there."
    report = corpora.reindex(
        indexes.source, indexes.contextual, *sizes, contexts=ContextOptions(workers=workers)
    ).result()
    told = report.contexts.sentences if report.contexts else ""
    skipped = "".join(f" {one.reason}" for one in report.skipped)
    return f"{indexes.source}: {told} {report.seconds:.0f} s.{skipped}"


def forecast_of(bench: Workbench, indexes: Indexes) -> str:
    """What it will take."""
    found = bench.corpora.catalogue.corpus(indexes.source)
    forecast = context_forecast(bench.corpora, found.name, found.chunk_tokens, found.overlap_tokens, most=ALL)
    return f"{indexes.source}: {forecast_sentence(forecast)}"


def table(bench: Workbench, indexes: Indexes) -> list[str]:
    """The rows of a set of questions."""
    rows: list[str] = []
    chances: list[float] = []
    for kind in SEARCHES:
        plain, contextual = (
            measured(bench, name, kind, indexes.questions) for name in (indexes.plain, indexes.contextual)
        )
        for column, measure in enumerate(MEASURES):
            apart = contextual[:, column] - plain[:, column]
            low, high = bootstrap_interval(apart[:, None], 0, RESAMPLES, 0.95)
            chances.append(p_value(list(map(float, apart))))
            rows.append(
                f"| {indexes.source} | {len(apart)} | {kind} | {measure} | {fmean(plain[:, column]):.3f} | "
                f"{fmean(contextual[:, column]):.3f} | {fmean(apart):+.3f} ({float(low[0]):+.3f} to "
                f"{float(high[0]):+.3f})"
            )
    return [f"{row} | {p:.3f} |" for row, p in zip(rows, holm(chances), strict=True)]


def main() -> None:
    """Index, search, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", metavar="DATA_FOLDER", type=Path, nargs="*", help="each a data set")
    parser.add_argument("--home", type=Path, help="where what is indexed and replied is kept")
    parser.add_argument("--forecast", action="store_true", help="only say what it will take")
    parser.add_argument("--at-once", type=int, default=WORKERS, help="calls under way at once")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        bench = Workbench(Settings(_env_file=None, rag_loupe_home=arguments.home or Path(temporary)))
        every = [demo(bench), *(dataset(bench, folder) for folder in arguments.folders)]
        if arguments.forecast:
            print(*(forecast_of(bench, one) for one in every), sep="\n")
        else:
            for one in every:
                print(write_contexts(bench, one, arguments.at_once), flush=True)
            print(
                "\n| questions | n | search | measure | plain | contextual | difference (95 %) | p (Holm) |"
            )
            print("|---|---|---|---|---|---|---|---|")
            for one in every:
                print(*table(bench, one), sep="\n", flush=True)
        bench.backends.supervisor.release()


if __name__ == "__main__":
    main()
