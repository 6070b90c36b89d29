"""Searches among a part of the documents beside the same searches among all.

    python -m research.filtered [--chunks 50000] [--searches 50] [--share 0.5 0.1 0.01 0.001]

Documents of ten chunks with synthetic vectors in clusters and words of a synthetic vocabulary; the filter leaves a
share of them, drawn by chance, or whole clusters (“clustered”: what is near a query and what the filter leaves are then
mostly the same, or mostly not). Printed are medians in milliseconds, their ratio to the search among all, and for dense
search the share of the true nearest that were found. Then what the filter itself takes: once per filter and version.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.corpora.catalogue import Catalogue
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.filtering import matching, parse_where
from core.retrieval.keyword import KeywordIndex
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.trace.passages import Passage
from research.chroma_store import COUNT, DIMENSIONS, WRITTEN

PER_DOCUMENT = 10
CLUSTERS = 200
WORDS, WORDS_PER_CHUNK = 20_000, 100

Vectors = NDArray[np.float32]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--searches", type=int, default=50)
    parser.add_argument("--share", type=float, nargs="+", default=[0.5, 0.1, 0.01, 0.001])
    arguments = parser.parse_args()
    chance = np.random.default_rng(1)
    count = arguments.chunks // PER_DOCUMENT
    cluster = chance.integers(CLUSTERS, size=count)
    centres = chance.normal(size=(CLUSTERS, DIMENSIONS))
    passages = [passage(number, chance) for number in range(count * PER_DOCUMENT)]
    vectors = near(centres[np.repeat(cluster, PER_DOCUMENT)], chance)
    asked = near(centres[chance.integers(CLUSTERS, size=arguments.searches)], chance)
    parts: dict[str, NDArray[np.bool_]] = {}
    for share in arguments.share:
        parts[f"{share:.1%}"] = chance.permutation(count) < share * count
        if share * CLUSTERS >= 1:
            parts[f"{share:.1%} clustered"] = cluster < share * CLUSTERS
    with tempfile.TemporaryDirectory() as folder:
        catalogue = Catalogue(Settings(_env_file=None, rag_loupe_home=Path(folder)).database)
        supervisor = Supervisor(Path(folder))
        try:
            client = open_vectors(supervisor.ensure(LOCAL_CHROMA).url)
            store = ChunkStore(client, catalogue.create("all", "model", "model", 240, 0), create=True)
            for start in range(0, len(passages), WRITTEN):
                end = start + WRITTEN
                store.add(passages[start:end], vectors[start:end].tolist())
            dense(store, vectors, asked, parts)
        finally:
            supervisor.release()
    keyword(passages, parts, arguments.searches, chance)
    filtering(count)


def dense(store: ChunkStore, vectors: Vectors, asked: Vectors, parts: dict[str, NDArray[np.bool_]]) -> None:
    """Searches by vectors."""
    count = len(vectors) // PER_DOCUMENT
    every = frozenset(map(name_of, range(count)))
    whole = timed(lambda one: store.nearest([one.tolist()], COUNT, every), asked)
    print(f"dense, {len(vectors):,} chunks: all {whole:.1f} ms")
    for name, inside in parts.items():
        documents, found = frozenset(name_of(int(one)) for one in np.flatnonzero(inside)), list[float]()
        share = len(documents) / count
        places = np.flatnonzero(np.repeat(inside, PER_DOCUMENT))
        for one in asked:
            best = places[np.argsort(-(vectors[places] @ one))[:COUNT]]
            wanted = {f"{name_of(int(place) // PER_DOCUMENT)}-{place % PER_DOCUMENT}" for place in best}
            (hits,) = store.nearest([one.tolist()], COUNT, documents, share)
            found.append(len(wanted & {hit.chunk for hit, _ in hits}) / max(1, len(wanted)))
        took = timed(
            lambda one, documents=documents, share=share: store.nearest(
                [one.tolist()], COUNT, documents, share
            ),
            asked,
        )
        print(
            f"  {name:18} {took:7.1f} ms, ratio {took / whole:6.2f}, found {np.mean(found):.3f}", flush=True
        )


def keyword(
    passages: Sequence[Passage],
    parts: dict[str, NDArray[np.bool_]],
    searches: int,
    chance: np.random.Generator,
) -> None:
    """Searches by words."""
    index = KeywordIndex(list(passages), {one.document: "" for one in passages})
    asked = [" ".join(f"word{one}" for one in chance.integers(WORDS, size=6)) for _ in range(searches)]
    whole = timed(lambda one: index.rank(one, COUNT), asked)
    print(f"keyword, {len(passages):,} chunks: all {whole:.1f} ms")
    for name, inside in parts.items():
        documents = frozenset(name_of(int(one)) for one in np.flatnonzero(inside))
        took = timed(lambda one, documents=documents: index.rank(one, COUNT, documents), asked)
        print(f"  {name:18} {took:7.1f} ms, ratio {took / whole:6.2f}", flush=True)


def filtering(count: int) -> None:
    """Which documents match."""
    kinds = ("letter", "minutes", "report")
    documents = {
        name_of(number): {"kind": (kinds[number % 3],), "date": (f"{1900 + number % 100}",)}
        for number in range(count)
    }
    where = parse_where(["kind=minutes|letter", "date>=1950"])
    took = timed(lambda _: matching(where, documents), range(10))
    print(f"which of {count:,} documents match: {took:.1f} ms")


def timed(search: Callable[..., object], asked: Sequence[object] | Vectors) -> float:
    """Median milliseconds of a search."""
    times: list[float] = []
    for one in asked:
        started = time.perf_counter()
        search(one)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def near(centres: NDArray[np.float64], chance: np.random.Generator) -> Vectors:
    """Vectors of length 1 around these."""
    drawn = (centres + 0.9 * chance.normal(size=centres.shape)).astype(np.float32)
    found: Vectors = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return found


def name_of(document: int) -> str:
    """Id of a document."""
    return f"{document:016x}"


def passage(number: int, chance: np.random.Generator) -> Passage:
    """A chunk of usual length."""
    text = " ".join(f"word{int(one)}" for one in chance.zipf(1.3, size=WORDS_PER_CHUNK) % WORDS)
    document = name_of(number // PER_DOCUMENT)
    place = number % PER_DOCUMENT
    return Passage(
        chunk=f"{document}-{place}",
        document=document,
        title="A",
        text=text,
        position=place,
        start=0,
        end=len(text),
    )


if __name__ == "__main__":
    main()
