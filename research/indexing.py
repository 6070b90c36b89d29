"""What importing adds to the embedding model's own time, what searching adds to Chroma's, and memory on the way.

    python -m research.indexing [--data FOLDER] [--documents N] [--chunks 100000] [--queries 200] [--only import]

import: chunks per second of a whole import, from the call to its end, beside the same model alone on the same texts in
the same process, in turns; model and libraries are loaded before. memory: resident memory of the importing process
while 1,000 documents of several chunks are indexed. retrieval: seconds per query of our retriever and of Chroma's own
client on one collection of synthetic vectors, in turns; the query's vector is given, so that only the search is
measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
from numpy.typing import NDArray

from core.corpora.catalogue import Catalogue, CorpusStores
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.documents import Document
from core.corpora.entries import chunk_sizes
from core.corpora.ingestion import ingest
from core.corpora.loaders import load
from core.corpora.reports import IndexReport, Progress
from core.corpora.splitting import Splitter, embedded_text, short_title
from core.models.embedding_vectors import Embeddings
from core.models.embeddings import Embedder, open_embedder
from core.retrieval.corpus import SearchableCorpus
from core.retrieval.dense import DenseRetriever
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from core.settings import Settings
from core.trace.passages import Passage

MAX_MB = 200
TURNS = 5
"""Imports of the whole data."""
DOCUMENTS = 1000
CHARACTERS = 1500
"""Of each document of the memory measurement."""
DIMENSIONS = 896
CLUSTERS = 500
PER_DOCUMENT = 100
COUNT = 10


class Bench:
    """A home of its own."""

    def __init__(self, home: Path) -> None:
        settings = Settings(_env_file=None, rag_loupe_home=home)
        self.embedder = open_embedder(settings)
        self.catalogue = Catalogue(settings.database)
        self.supervisor = Supervisor(home)
        self.vectors = self.supervisor.ensure(LOCAL_CHROMA).url

    async def warm(self, folder: Path) -> None:
        """Load the model and the libraries: two seconds, once per process."""
        (folder / "warm.txt").write_text("warm")
        await self.index(folder / "warm.txt", "warm", [])

    async def index(self, source: Path, corpus: str, follow: list[Progress] | Memory) -> IndexReport:
        """One import."""
        return await ingest(
            [source],
            corpus,
            CorpusStores(self.catalogue, self.vectors, self.embedder),
            max_mb=MAX_MB,
            progress=follow.append,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, default=Path("data/2wiki_demo60"), help="folder with corpus.jsonl"
    )
    parser.add_argument("--documents", type=int, help="of the data, for the import; all if not given")
    parser.add_argument("--chunks", type=int, default=100_000, help="vectors to search")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--only", choices=["import", "memory", "retrieval"], action="append")
    arguments = parser.parse_args()
    chosen = arguments.only or ["memory", "import", "retrieval"]
    lines = (arguments.data / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bench = Bench(Path(folder, "home"))
        asyncio.run(bench.warm(Path(folder)))
        if "memory" in chosen:  # first, while the process is small
            asyncio.run(measure_memory(bench, Path(folder), lines))
        if "import" in chosen:
            measure_import(bench, Path(folder), lines[: arguments.documents])
        if "retrieval" in chosen:
            asyncio.run(measure_retrieval(bench, arguments.chunks, arguments.queries))
        bench.supervisor.release()


def measure_import(bench: Bench, folder: Path, lines: list[str]) -> None:
    """The data embedded by the model alone and then imported into a new corpus; the next turn the other way round."""
    path = folder / "corpus.jsonl"
    rates: dict[str, list[float]] = {"model": [], "import": []}
    seconds: dict[str, float] = {"model": 0.0, "import": 0.0}
    path.write_text("\n".join(lines), encoding="utf-8")
    texts = list(embedded_texts(bench.embedder, load(path.name, path.read_bytes(), MAX_MB)))
    for turn in range(TURNS):

        def model() -> None:
            bench.embedder.embeddings.embed_documents(texts)

        def whole(turn: int = turn) -> None:
            assert asyncio.run(bench.index(path, f"import {turn}", [])).chunks == len(texts)

        sides = [("model", model), ("import", whole)]
        for name, work in sides if turn % 2 else sides[::-1]:
            clock, processor = time.perf_counter(), time.process_time()
            work()
            rates[name].append(len(texts) / (time.perf_counter() - clock))
            seconds[name] += time.process_time() - processor
    ratios = [a / b for a, b in zip(rates["import"], rates["model"], strict=True)]
    print(f"import: {len(lines)} documents, {len(texts)} chunks, {TURNS} times; chunks per second")
    for name, found in rates.items():
        print(f"  {name:<7} {' '.join(f'{rate:6.1f}' for rate in found)}")
    print(f"  ratio   {' '.join(f'{ratio:6.3f}' for ratio in ratios)}")
    print(f"  median ratio {statistics.median(ratios):.3f}   (target 0.9 or more)")
    processor = seconds["model"] / seconds["import"]
    print(f"  processor time of this process, model over import: {processor:.3f}", flush=True)


def embedded_texts(embedder: Embedder, documents: list[Document]) -> Iterator[str]:
    """What the import embeds."""
    splitter = Splitter(embedder.tokenizer, embedder.max_tokens, *chunk_sizes(embedder.max_tokens))
    for document in documents:
        title = short_title(document.title, embedder.tokenizer, embedder.max_tokens)
        for passage in splitter.split(document):
            yield embedded_text(title, passage.text)


class Memory:
    """Resident memory at each quarter of an import, in megabytes."""

    def __init__(self, documents: int) -> None:
        self._documents = documents
        self.quarters: dict[int, float] = {}
        self.peak = 0.0

    def append(self, progress: Progress) -> None:
        """Called at each step of progress."""
        now = psutil.Process().memory_info().rss / 2**20
        self.peak = max(self.peak, now)
        self.quarters.setdefault(4 * progress.documents // self._documents * 25, now)


async def measure_memory(bench: Bench, folder: Path, lines: list[str]) -> None:
    """One import of many files."""
    documents = folder / "documents"
    documents.mkdir()
    words = " ".join(json.loads(line)["text"] for line in lines)
    for number in range(DOCUMENTS):
        start = number * 997 % max(1, len(words) - CHARACTERS)
        text = f"Document {number}. {words[start : start + CHARACTERS]}"
        (documents / f"{number}.txt").write_text(text, encoding="utf-8")
    memory = Memory(DOCUMENTS)
    report = await bench.index(documents, "memory", memory)
    assert report.documents == DOCUMENTS
    print(f"memory: {DOCUMENTS} documents, {report.chunks} chunks in {report.seconds:.0f} s; resident, in MB")
    print("  " + "  ".join(f"{share} %: {size:.0f}" for share, size in memory.quarters.items()))
    print(f"  peak {memory.peak:.0f}", flush=True)


class Given(Embeddings):
    """Knows the vectors of all queries."""

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self._vectors = vectors.tolist()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self._vectors[int(text)]
        return vector


async def measure_retrieval(bench: Bench, chunks: int, queries: int) -> None:
    """Our retriever and Chroma's client in turns."""
    chance = np.random.default_rng(1)
    centres = chance.normal(size=(CLUSTERS, DIMENSIONS)).astype(np.float32)

    def vectors(count: int) -> NDArray[np.float32]:
        noise = chance.normal(size=(count, DIMENSIONS)).astype(np.float32)
        return centres[chance.integers(CLUSTERS, size=count)] + noise

    corpus = bench.catalogue.create("retrieval", bench.embedder.key, bench.embedder.name, 240, 50)
    store = ChunkStore(open_vectors(bench.vectors), corpus, create=True)
    bench.catalogue.hold(corpus.id, "benchmark", 24 * 3600)
    started = time.perf_counter()
    for number in range(chunks // PER_DOCUMENT):
        document = Document(id=f"{number:016x}", name=f"{number}.txt", title="", text="text")
        passages = [
            Passage(
                chunk=f"{document.id}-{position}", document=document.id, title=document.name,
                text=f"Chunk {position} of document {number}. " * 20, position=position, start=0, end=1,
            )
            for position in range(PER_DOCUMENT)
        ]  # fmt: skip
        bench.catalogue.begin(corpus.id, [(document, PER_DOCUMENT)])
        store.add(passages, vectors(PER_DOCUMENT).tolist())
        bench.catalogue.finish(corpus.id, "benchmark", [document.id], [])
    seconds = time.perf_counter() - started
    print(
        f"retrieval: {chunks:,} vectors of {DIMENSIONS}, written in {seconds:.0f} s; {queries} queries, k={COUNT}"
    )
    asked = vectors(queries + 10)
    given = replace(bench.embedder, embeddings=Given(asked))
    ours = DenseRetriever(SearchableCorpus(corpus, bench.catalogue, bench.vectors), given)
    collection = open_vectors(bench.vectors).get_collection(store.name)
    times: dict[str, list[float]] = {"ours": [], "Chroma": []}
    for number in range(-10, queries):  # the first ten warm up
        query = str(number % len(asked))
        vector = asked[int(query)].tolist()
        await given.embed_query(query)
        chunks_found: list[list[str]] = []
        # Each side begins every other time: the second finds the server's memory warmed by the first.
        for side in ("ours", "Chroma") if number % 2 else ("Chroma", "ours"):
            started = time.perf_counter()
            if side == "ours":
                hits = await ours.rank(query, COUNT)
                ended = time.perf_counter()
                chunks_found.append([hit.chunk for hit, _ in hits])
            else:
                found = collection.query(
                    query_embeddings=vector,
                    n_results=COUNT,
                    include=["documents", "metadatas", "distances"],
                )
                ended = time.perf_counter()
                chunks_found.append(found["ids"][0])
            if number >= 0:
                times[side].append(ended - started)
        assert chunks_found[0] == chunks_found[1]
    for cut in (50, 95):
        mine, theirs = (float(np.percentile(times[name], cut)) for name in ("ours", "Chroma"))
        print(
            f"  p{cut}: ours {mine * 1000:.2f} ms, Chroma's client {theirs * 1000:.2f} ms, "
            f"ratio {mine / theirs:.3f}   (target 1.2 or less)",
            flush=True,
        )


if __name__ == "__main__":
    main()
