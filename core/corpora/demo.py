"""The demo corpus that comes with the app."""

from __future__ import annotations

import asyncio
import csv
import json
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.corpora.documents import document_id, name_key
from core.errors import InputError

if TYPE_CHECKING:
    from core.corpora.catalogue import Catalogue
    from core.corpora.entries import Question
    from core.corpora.reports import IndexReport, Progress
    from core.corpora.stores import CorpusStores
    from core.models.embeddings import Embedder
    from core.settings import Settings

DEMO_CORPUS = "Wikipedia demo (60 questions)"
DEMO_CORPORA = (DEMO_CORPUS,)
"""Names of the corpora that come with the app."""
_FOLDER = Path(__file__).parents[2] / "data" / "2wiki_demo60"
VECTORS = _FOLDER / "vectors.npz"
"""The built-in vectors of its chunks, so that a first start need not compute them; made by
`python -m benchmarks.demo_vectors`."""

_DEMO_STAYS = (
    "The demo corpus comes with the app: it cannot be changed, and no other can have its name. "
    "Add your documents as a corpus of your own."
)


def is_demo(name: str) -> bool:
    """Whether a name is, or reads like, the name of a corpus that comes with the app."""
    return name_key(name) in {name_key(demo) for demo in DEMO_CORPORA}


def demo_documents(name: str, catalogue: Catalogue, embedder: Embedder) -> int:
    """Number of documents of the demo corpus of that name if, by the catalogue, it is as it comes with the app; else 0.

    Blocks for a moment.
    """
    corpus = next((corpus for corpus in catalogue.corpora() if corpus.name == name), None)
    if corpus is None or corpus.embedder != embedder.key:
        return 0
    entries = catalogue.documents(corpus.id)
    if not all(entry.ready for entry in entries) or {entry.id for entry in entries} != own_documents():
        return 0
    questions = read_questions(_FOLDER, {entry.key: entry.id for entry in entries})
    return len(entries) if corpus.questions == questions else 0


def not_demo(name: str) -> str:
    """The name of a corpus that may be changed.

    Raises:
        InputError: It is that of a corpus that comes with the app.
    """
    if unicodedata.normalize("NFC", name.strip()) in DEMO_CORPORA:
        raise InputError(_DEMO_STAYS)
    return name


def not_named_like_demo(name: str, catalogue: Catalogue) -> str:
    """A name that reads like the demo's only where a corpus has it already, from before such names were refused.

    Raises:
        InputError: It reads like the demo's, and no corpus has it.
    """
    from core.corpora.catalogue import corpus_name

    if is_demo(name) and corpus_name(name) not in [corpus.name for corpus in catalogue.corpora()]:
        raise InputError(_DEMO_STAYS)
    return name


async def ensure_demo(
    name: str,
    stores: CorpusStores,
    settings: Settings,
    progress: Callable[[Progress], None] = lambda _: None,
) -> IndexReport:
    """Index a demo corpus unless it is there, with its questions as examples.

    With another embedding model than last time it is indexed anew. Documents that earlier versions let users add are
    moved into a corpus of their own; the demo documents that they had replaced come back.

    Args:
        name: Of the corpus.
        stores: Where the corpus is kept.
        settings: Give the limit on file size.
        progress: Called with the progress, on the event loop.

    Raises:
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    from core.corpora.ingestion import ingest, remove_corpus
    from core.corpora.moving import move_added

    moved, catalogue = None, stores.catalogue
    for corpus in await asyncio.to_thread(catalogue.corpora):
        if corpus.name != name:
            continue
        own = await asyncio.to_thread(own_documents)
        moved = await move_added(corpus, own, stores)
        if corpus.embedder != stores.embedder.key:
            await remove_corpus(corpus, stores)
    embedder = await asyncio.to_thread(with_known_vectors, stores.embedder)
    report = await ingest(
        [_FOLDER],
        name,
        replace(stores, embedder=embedder),
        max_mb=settings.max_upload_mb,
        progress=progress,
    )
    await asyncio.to_thread(_note_questions, name, catalogue)
    return report.model_copy(update={"moved_to": moved.name if moved else ""})


def own_documents() -> frozenset[str]:
    """Ids of the documents of the demo corpus, as the loader of its file makes them."""
    lines = (_FOLDER / "corpus.jsonl").read_bytes().split(b"\n")
    return frozenset(document_id(line.strip()) for line in lines if line.strip())


def with_known_vectors(embedder: Embedder) -> Embedder:
    """The same model with the stored vectors of the demo's chunks, so that none is computed. Blocks while reading."""
    from core.models.precomputed import PrecomputedEmbeddings, load_vectors

    known = load_vectors(VECTORS, embedder.key)
    return (
        replace(embedder, embeddings=PrecomputedEmbeddings(embedder.embeddings, known)) if known else embedder
    )


def _note_questions(name: str, catalogue: Catalogue) -> None:
    corpus = catalogue.corpus(name)
    documents = {entry.key: entry.id for entry in catalogue.documents(corpus.id)}
    questions = read_questions(_FOLDER, documents)
    if questions != corpus.questions:
        catalogue.set_questions(corpus.id, questions)


def read_questions(folder: Path, documents: Mapping[str, str]) -> tuple[Question, ...]:
    """The questions of a data set folder.

    Args:
        folder: Holds `queries.jsonl` and `qrels.tsv`.
        documents: Id in the data set -> id of the document.
    """
    from core.corpora.entries import Question

    gold: dict[str, list[str]] = defaultdict(list)
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as judgements:
        for row in csv.DictReader(judgements, delimiter="\t"):
            if int(row["rel"]) > 0:
                gold[row["qid"]].append(documents[row["docid"]])
    questions = []
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            questions.append(
                Question(
                    id=record["id"],
                    text=record["text"],
                    type=record.get("type", ""),
                    answers=tuple(record.get("answers", ())),
                    gold=tuple(gold[record["id"]]),
                )
            )
    return tuple(questions)
