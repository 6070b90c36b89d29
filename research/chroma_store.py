"""Searches and reads of chunks through LangChain's Chroma store beside Chroma's bare client.

    python -m research.chroma_store [--chunks 500 50000] [--searches 300]

Both ask the same Chroma server, started as the app starts it, for the same collection of synthetic vectors, in turns;
each begins every other time. Printed are the medians in milliseconds and their ratio. "store" is the app's own
`ChunkStore`, which asks LangChain; "LangChain" is its search alone.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from core.corpora.catalogue import Catalogue
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.entries import Corpus
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.trace.passages import Passage

DIMENSIONS = 384
"""Of the built-in embedding model."""
COUNT = 10
TOGETHER = 5
"""Searches of a fan-out."""
WRITTEN = 1000
WARM = 20
DOCUMENT = "0123456789abcdef"
Vectors = list[list[float]]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, nargs="+", default=[500, 50_000])
    parser.add_argument("--searches", type=int, default=300)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        catalogue = Catalogue(Settings(_env_file=None, rag_loupe_home=Path(folder)).database)
        supervisor = Supervisor(Path(folder))
        try:
            client = open_vectors(supervisor.ensure(LOCAL_CHROMA).url)
            for chunks in arguments.chunks:
                corpus = catalogue.create(f"chunks {chunks}", "model", "model", 240, 50)
                measure(client, corpus, chunks, arguments.searches)
        finally:
            supervisor.release()


def measure(client: Any, corpus: Corpus, chunks: int, searches: int) -> None:
    """Fill a store, and open, search and read it both ways."""
    store = ChunkStore(client, corpus, create=True)
    chance = np.random.default_rng(1)
    for start in range(0, chunks, WRITTEN):
        numbers = range(start, min(start + WRITTEN, chunks))
        store.add([passage(number) for number in numbers], random_vectors(chance, len(numbers)))
    bare = client.get_collection(store.name)
    everything = frozenset([DOCUMENT])
    asked = [random_vectors(chance, TOGETHER) for _ in range(searches + WARM)]
    ids = [[passage(int(one)).chunk for one in chance.integers(chunks, size=COUNT)] for _ in asked]

    def query(vectors: Vectors) -> list[list[str]]:
        found = bare.query(
            query_embeddings=cast("list[Sequence[float]]", vectors),
            n_results=COUNT,
            include=["documents", "metadatas", "distances"],
        )
        return cast("list[list[str]]", found["ids"])

    def through_langchain(vectors: Vectors) -> list[list[str]]:
        search = store.langchain.similarity_search_by_vector_with_relevance_scores
        return [[str(hit.id) for hit, _ in search(vector, COUNT)] for vector in vectors]

    def through_store(vectors: Vectors) -> list[list[str]]:
        return [[hit.chunk for hit, _ in hits] for hits in store.nearest(vectors, COUNT, everything)]

    def opened(_: Vectors) -> str:
        return str(client.get_collection(store.name).name)

    single: list[Vectors] = [vectors[:1] for vectors in asked]
    print(f"{chunks:,} chunks, {searches} searches")
    compare("opening the store", opened, lambda _: ChunkStore(client, corpus).name, single)
    compare("one search, LangChain", query, through_langchain, single)
    compare("one search, store", query, through_store, single)
    compare(f"{TOGETHER} searches, LangChain", query, through_langchain, asked)
    compare(f"{TOGETHER} searches, store", query, through_store, asked)
    compare(
        f"reading {COUNT} chunks",
        lambda wanted: sorted(bare.get(ids=list(dict.fromkeys(wanted)))["ids"]),
        lambda wanted: sorted(store.chunks(list(dict.fromkeys(wanted)))),
        ids,
    )


def compare(
    name: str,
    bare: Callable[[Any], object],
    ours: Callable[[Any], object],
    asked: Sequence[Any],
) -> None:
    """Time both on the same questions in turns; they have to find the same."""
    times: dict[str, list[float]] = {"bare": [], "ours": []}
    for number, one in enumerate(asked):
        found: dict[str, object] = {}
        for side in ("ours", "bare") if number % 2 else ("bare", "ours"):
            started = time.perf_counter()
            found[side] = (ours if side == "ours" else bare)(one)
            if number >= WARM:
                times[side].append((time.perf_counter() - started) * 1000)
        assert found["ours"] == found["bare"], name
    theirs, mine = (statistics.median(times[side]) for side in ("bare", "ours"))
    print(f"  {name:24} bare {theirs:6.2f} ms, ours {mine:6.2f} ms, ratio {mine / theirs:.3f}", flush=True)


def passage(number: int) -> Passage:
    """A chunk of usual length."""
    text = f"Chunk {number} of a document about something. " * 20
    return Passage(
        chunk=f"{DOCUMENT}-{number}",
        document=DOCUMENT,
        title="A document",
        text=text,
        position=number,
        start=0,
        end=len(text),
    )


def random_vectors(chance: np.random.Generator, count: int) -> Vectors:
    """Vectors of length 1."""
    drawn = chance.normal(size=(count, DIMENSIONS)).astype(np.float32)
    return cast("Vectors", (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).tolist())


if __name__ == "__main__":
    main()
