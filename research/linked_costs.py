"""What linked retrieval costs: making the graph of mentions, walking on it, and searching beside hybrid retrieval.

    python -m research.linked_costs DATA_FOLDER [--passages 500 5000 50000] [--questions 30] [--set NAME ...]

DATA_FOLDER holds a folder per data set. Their documents are taken as passages; where more are wanted, all come again
with another word in every title and in every mention of it, so that as much is linked as in the data. Vectors are
random, but near those of the same passage's copies. Each size is searched on a Chroma server of its own home: every
question by hybrid and by linked retrieval, in turns. That, and reading the passages, is time by the clock; all else is
processor time, so that other work on the machine does not count. Last, the largest corpus gets hostile titles. Prints
Markdown tables.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import psutil
from numpy.typing import NDArray

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.documents import Document
from core.evaluation.datasets import read_folder
from core.models.embedding_vectors import Embeddings
from core.retrieval.caches import PASSAGES
from core.retrieval.corpus import SearchableCorpus
from core.retrieval.keyword import INDEXES
from core.retrieval.kinds import Walking
from core.retrieval.linked import LINKS, walk_from
from core.retrieval.links import EntityQuotes, Links
from core.retrieval.retriever import Retriever
from core.retrieval.titles import Titles
from core.trace.passages import Passage
from research.indexing import Bench

SETS = ("2wiki_train500", "hotpotqa_train100", "musique_train100")
DIMENSIONS = 384
BATCH = 500
SYLLABLES = ("ba", "ko", "lu", "mi", "na", "ro", "se", "ti", "vu", "za")
ENTITIES = 4
"""Of a graph, that a passage tells of."""
HITS = 10
GRAPH_SECONDS, WALK_MS = 60, 100
"""What a graph of 50,000 passages, and a walk, may take."""
T = TypeVar("T")


@dataclass(frozen=True)
class Text:
    """A document of one passage."""

    title: str
    text: str
    original: int
    """Place of the document that it is a copy of."""


def texts(folder: Path, sets: Sequence[str]) -> Iterator[Text]:
    """The documents of data sets, then again and again with other titles."""
    documents = [one for name in sets for one in read_folder(folder / name).documents]
    originals = [Text(one.title, one.text, place) for place, one in enumerate(documents)]
    yield from originals
    names = Titles([one.title for one in originals])
    places = [names.places(one.text) for one in originals]
    copy = 0
    while originals:
        copy += 1
        word = "".join(SYLLABLES[int(digit)] for digit in str(copy)).title()
        for one, found in zip(originals, places, strict=True):
            text = one.text
            for place in reversed(found):
                text = text[: place.start] + renamed(text[place.start : place.end], word) + text[place.end :]
            yield Text(renamed(one.title, word), text, one.original)


def renamed(title: str, word: str) -> str:
    """A title with one more word, in front of what only tells it from others."""
    cut = min((at for at in (title.find(" ("), title.find(", ")) if at > 0), default=len(title))
    return f"{title[:cut]} {word}{title[cut:]}" if title else title


def passages_of(some: Sequence[Text]) -> list[Passage]:
    """One passage each."""
    return [
        Passage(
            chunk=f"{number:016x}-0", document=f"{number:016x}", title=one.title, text=one.text,
            position=0, start=0, end=len(one.text),
        )
        for number, one in enumerate(some)
    ]  # fmt: skip


def hostile(some: Sequence[Text]) -> dict[str, list[str]]:
    """Titles that say nothing, or nearly the same, or too much; for as many documents as there are."""
    count = len(some)
    sentence = some[0].text.split(". ")[0]
    names = [one.title.split(" (")[0] for one in some]
    words = " ".join(names[:40]).split()
    return {
        "one letter, “The”": [("The", "A", "I", "of the", "1984")[number % 5] for number in range(count)],
        "10,000 equal": ["Annual Report" if number < 10_000 else names[number] for number in range(count)],
        "whole sentences": [f"{sentence} {names[number]}" for number in range(count)],
        "frequent words": [(words := words[1:] + words[:1])[0].title() for _ in range(count)],
        "beginnings of one another": [" ".join(words[: 1 + number % 24]) for number in range(count)],
        "100,000 characters": ["Ab " * 33_333 if number < 100 else names[number] for number in range(count)],
    }


def crowded(passages: Sequence[Passage], titles: Sequence[str]) -> list[Passage]:
    """A fifth of these passages, with texts that mention as much as can lead on."""
    chance, names = random.Random(1), [title.split(" (")[0] for title in titles[:2500]]
    return [
        one.model_copy(update={"text": ". ".join(chance.sample(names, min(100, len(names))))})
        for one in passages[: len(passages) // 5]
    ]


class Given(Embeddings):
    """Knows the vector of each question."""

    def __init__(self, known: dict[str, list[float]]) -> None:
        self._known = known

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._known[text]


def timed(work: Callable[[], T], clock: Callable[[], float] = time.process_time) -> tuple[T, float, float]:
    """What work gives, its seconds, and by how many MB the process has grown."""
    gc.collect()
    before, begun = psutil.Process().memory_info().rss, clock()
    found = work()
    seconds = clock() - begun
    gc.collect()
    return found, seconds, (psutil.Process().memory_info().rss - before) / 2**20


def walks(links: Links, count: int) -> list[float]:
    """Milliseconds of processor time of walks, each from ten passages that lead on where there are as many."""
    chance = random.Random(1)
    leading = [place for place in range(len(links.passages)) if links.leads_on(place)]
    found: list[float] = []
    for _ in range(count):
        hits = chance.sample(leading if len(leading) >= HITS else range(len(links.passages)), HITS)
        clock = time.thread_time()
        walk_from(links, hits, lambda places: np.zeros(len(places)), Walking())
        found.append(1000 * (time.thread_time() - clock))
    return found


def told_by(passages: Sequence[Passage]) -> EntityQuotes:
    """Made-up entities, some of which many passages tell of."""
    chance = np.random.default_rng(1)
    found: dict[str, dict[str, str]] = {}
    numbers = chance.zipf(1.3, (len(passages), ENTITIES)) % (len(passages) // 2)
    for passage, some in zip(passages, numbers.tolist(), strict=True):
        for number in some:
            found.setdefault(f"entity {number}", {})[passage.chunk] = passage.text[:40]
    return found


class Home:
    """A home with a Chroma server, whose corpora are written without embedding anything."""

    def __init__(self, folder: Path) -> None:
        self.bench = Bench(folder)
        self._chance = np.random.default_rng(1)
        self._centres = self._chance.normal(size=(20_000, DIMENSIONS)).astype(np.float32)

    def vectors(self, originals: Sequence[int]) -> NDArray[np.float32]:
        """Of copies of these documents."""
        noise = self._chance.normal(size=(len(originals), DIMENSIONS)).astype(np.float32)
        return self._centres[list(originals)] + 0.5 * noise

    def corpus(self, some: Sequence[Text]) -> SearchableCorpus:
        """A new corpus of these passages."""
        catalogue, passages = self.bench.catalogue, passages_of(some)
        embedder = self.bench.embedder
        corpus = catalogue.create(f"{len(some)} passages", embedder.key, embedder.name, 240, 0)
        store = ChunkStore(open_vectors(self.bench.vectors), corpus, create=True)
        catalogue.hold(corpus.id, "benchmark", 24 * 3600)
        for start in range(0, len(some), BATCH):
            batch, part = passages[start : start + BATCH], some[start : start + BATCH]
            documents = [
                Document(id=passage.document, name=f"{passage.document}.txt", title=one.title, text=one.text)
                for passage, one in zip(batch, part, strict=True)
            ]
            catalogue.begin(corpus.id, [(document, 1) for document in documents])
            store.add(batch, self.vectors([one.original for one in part]).tolist())
            catalogue.finish(corpus.id, "benchmark", [document.id for document in documents], [])
        return SearchableCorpus(corpus, catalogue, self.bench.vectors)

    def searches(self, corpus: SearchableCorpus, asked: dict[str, int]) -> tuple[dict[str, list[float]], int]:
        """Milliseconds of each search by hybrid and by linked retrieval, and how many walked on."""
        vectors = dict(zip(asked, self.vectors(list(asked.values())).tolist(), strict=True))
        embedder = replace(self.bench.embedder, embeddings=Given(vectors))
        both = {kind: Retriever(kind, corpus, embedder) for kind in ("hybrid", "linked")}
        times: dict[str, list[float]] = {kind: [] for kind in both}

        async def search() -> int:
            walked = 0
            for number, question in enumerate([*islice(asked, 3), *asked]):  # the first warm up
                for kind in list(both) if number % 2 else list(both)[::-1]:
                    clock = time.perf_counter()
                    found = await both[kind].search(question, HITS)
                    if number >= 3:
                        times[kind].append(1000 * (time.perf_counter() - clock))
                        walked += kind == "linked" and not found.note
            return walked

        return times, asyncio.run(search())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    parser.add_argument("--passages", type=int, nargs="+", default=[500, 5000, 50_000])
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--set", action="append", help="only these")
    arguments = parser.parse_args()
    sets = arguments.set or SETS
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = Home(Path(folder))
        try:
            for line in sizes(home, arguments.folder, sets, sorted(arguments.passages), arguments.questions):
                print(line, flush=True)
        finally:
            home.bench.supervisor.release()
    some = list(islice(texts(arguments.folder, sets), max(arguments.passages)))
    for line in extremes(some):
        print(line, flush=True)


def sizes(
    home: Home, folder: Path, sets: Sequence[str], wanted: Sequence[int], questions: int
) -> Iterator[str]:
    """The table of corpora as they are."""
    yield (
        "| passages | links | passages read (s) | keyword index (s) | graph of mentions (s) | its memory (MB) "
        "| walk, median and longest (ms) | hybrid search (ms) | linked search (ms) | ratio |"
    )
    yield "|" + "---|" * 10
    for count in wanted:
        some = list(islice(texts(folder, sets), count))
        corpus = home.corpus(some)
        _, reading, _ = timed(partial(PASSAGES.of, corpus), time.perf_counter)
        _, indexing, _ = timed(partial(INDEXES.of, corpus))
        links, making, memory = timed(partial(LINKS.of, corpus))
        walking = walks(links, 50)
        times, walked = home.searches(corpus, asked(folder, sets, some, questions))
        median = {kind: statistics.median(found) for kind, found in times.items()}
        ratio = statistics.median(b / a for a, b in zip(times["hybrid"], times["linked"], strict=True))
        cells = [
            f"{count:,}",
            f"{links.count:,}",
            f"{reading:.1f}",
            f"{indexing:.1f}",
            f"{making:.1f}",
            f"{memory:.0f}",
            f"{statistics.median(walking):.1f}, {max(walking):.1f}",
            f"{median['hybrid']:.0f}",
            f"{median['linked']:.0f} ({walked} of {len(times['linked'])} walked on)",
            f"{ratio:.2f}",
        ]
        yield f"| {' | '.join(cells)} |"


def asked(folder: Path, sets: Sequence[str], some: Sequence[Text], count: int) -> dict[str, int]:
    """Questions of the data sets, each with the document near whose vector its own lies."""
    found: dict[str, int] = {}
    originals = {one.original for one in some}
    start = 0
    for name in sets:
        data = read_folder(folder / name)
        places = {one.id: start + place for place, one in enumerate(data.documents)}
        start += len(data.documents)
        for question in data.questions:
            gold = [places[one] for one in question.gold if places[one] in originals]
            if gold:
                found[question.text] = gold[0]
    return dict(random.Random(1).sample(sorted(found.items()), min(count, len(found))))


def extremes(some: Sequence[Text]) -> Iterator[str]:
    """The table of hostile titles, and of a graph's entities."""
    yield f"\n| {len(some):,} passages with | links | graph (s) | walk, median and longest (ms) |"
    yield "|---|---|---|---|"
    passages = passages_of(some)
    own = [one.title for one in some]
    every = " ".join(dict.fromkeys(title.split(" (")[0] for title in own[:200]))
    cases: dict[str, tuple[Sequence[Passage], list[str], EntityQuotes]] = {
        "their own titles": (passages, own, {}),
        "their own titles, and entities": (passages, own, told_by(passages)),
        **{name: (passages, titles, {}) for name, titles in hostile(some).items()},
        "each passage mentioning 100 of 2,500 titles": (crowded(passages, own), own, {}),
        "every passage mentioning 200 titles": (
            [one.model_copy(update={"text": every}) for one in passages[: len(passages) // 10]],
            own,
            {},
        ),
    }
    for name, (given, titles, told) in cases.items():
        called = {one.document: title for one, title in zip(given, titles, strict=False)}
        links, seconds, _ = timed(partial(Links, given, called, told))
        walking = walks(links, 50)
        worst = " (too slow)" if seconds > GRAPH_SECONDS or max(walking) > WALK_MS else ""
        walk = f"{statistics.median(walking):.1f}, {max(walking):.1f}{worst}"
        yield f"| {name} | {links.count:,} | {seconds:.1f} | {walk} |"


if __name__ == "__main__":
    main()
