"""The corpora that come with the app: a small country in documents of many kinds, and its core in three languages.

Their documents are shipped as files, as their loaders parsed them, and with the built-in vectors of their chunks, so
that they are ready in about a second. `python -m tools.demo_world` makes what is shipped beside the files.
"""

from __future__ import annotations

import asyncio
import json
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.corpora.documents import Document, to_document
from core.corpora.look_alikes import look, looks
from core.errors import InputError
from core.users import APP

if TYPE_CHECKING:
    from threading import Event

    from core.corpora.catalogue import Catalogue, CorpusStores
    from core.corpora.entries import Corpus, DocumentEntry, Question
    from core.corpora.gathering import ImportItem, Known
    from core.corpora.reports import IndexReport, Progress
    from core.models.embeddings import Embedder
    from core.trace.passages import Passage


@dataclass(frozen=True)
class DemoCorpus:
    """A corpus that comes with the app."""

    name: str
    folder: str
    """Folder of its documents, in `WORLD`."""
    questions: str
    """File of its questions, there too."""
    language: str
    """English name of the language of its documents."""


DEMOS = (
    DemoCorpus("Pellamar", "documents", "questions.jsonl", "English"),
    DemoCorpus("Pellamar (Korean)", "korean", "korean/questions.jsonl", "Korean"),
    DemoCorpus("Pellamar (Japanese)", "japanese", "japanese/questions.jsonl", "Japanese"),
    DemoCorpus("Pellamar (Chinese)", "chinese", "chinese/questions.jsonl", "Chinese"),
)
DEMO_CORPUS = DEMOS[0].name
"""The one that is ready after the first start; the others are made ready when they are first chosen."""
DEMO_CORPORA = tuple(demo.name for demo in DEMOS)
WORLD = Path(__file__).parents[2] / "data" / "demo_world"
STARTERS = "starters.jsonl"
"""Beside the questions of a demo corpus, if there is one: easy questions, for a first look. They are offered with the
others, and no benchmark counts them."""
ORDER = WORLD / "order.txt"
"""Ids of the questions of the first demo, the answered and easy ones first; made by `tools.question_order`."""
VECTORS = WORLD / "vectors.npz"
"""The built-in vectors of all their chunks."""
OVERLAP = 0
"""Tokens that their chunks share: none, so that a sentence stands in one passage only."""

_DEMO_STAYS = (
    "The demo corpus comes with the app: it cannot be changed, and no other can have its name. "
    "Add your documents as a corpus of your own."
)


@cache
def unanswerable() -> frozenset[str]:
    """The questions of the demo corpora that their documents do not answer."""
    lines = (
        line for demo in DEMOS for line in (WORLD / demo.questions).read_text(encoding="utf-8").splitlines()
    )
    return frozenset(known["text"] for known in map(json.loads, lines) if not known["answers"])


def is_demo(name: str) -> bool:
    """Return True if a name is, or reads like, the name of a corpus that comes with the app."""
    return not looks(name).isdisjoint(look(demo) for demo in DEMO_CORPORA)


def changeable_name(name: str) -> str:
    """Return the name of a corpus that may be changed.

    Raises:
        InputError: It is that of a corpus that comes with the app.
    """
    if unicodedata.normalize("NFC", name.strip()) in DEMO_CORPORA:
        raise InputError(_DEMO_STAYS)
    return name


def distinct_name(name: str, catalogue: Catalogue, itself: str = "") -> str:
    """Return a name as it was typed, which may read like that of another corpus only where a corpus has it already.

    `itself` is the name of the corpus that gets it; empty: a new one does.

    Raises:
        InputError: It reads like a demo's, or like another corpus's, and no corpus has it.
    """
    from core.corpora.catalogue import corpus_name

    normal, names = corpus_name(name), [corpus.name for corpus in catalogue.corpora()]
    if normal in names:
        return name
    if is_demo(normal):
        raise InputError(_DEMO_STAYS)
    if alike := next((taken for taken in names if taken != itself and look(taken) == look(normal)), None):
        raise InputError(
            f"There is already a corpus named “{alike}”, which reads the same. Use that name, or choose another."
        )
    return name


def demo_documents(name: str, catalogue: Catalogue, embedder: Embedder) -> int:
    """Return the number of documents of a demo corpus if, by the catalogue, it is as it comes with the app; else 0.

    Blocks for a moment.
    """
    demo, corpus = _demo(name), shipped_corpus(name, catalogue)
    if corpus is None or corpus.indexing != _indexing(embedder):
        return 0
    documents, entries = own_documents(demo), catalogue.documents(corpus.id)
    if not all(entry.ready for entry in entries) or set(map(_mark, entries)) != set(map(_mark, documents)):
        return 0
    bare = tuple(
        question.model_copy(
            update={"evidence": tuple(place.model_copy(update={"chunks": ()}) for place in question.evidence)}
        )
        for question in corpus.questions
    )
    return len(entries) if bare == demo_questions(demo, documents) else 0


async def ensure_demo(
    name: str,
    stores: CorpusStores,
    progress: Callable[[Progress], None] = lambda _: None,
) -> IndexReport:
    """Index a demo corpus unless it is there, with its questions as examples.

    With another embedding model than last time it is indexed anew; what a later version of the app changed or left out
    is replaced or removed. `progress` is called on the event loop.

    Raises:
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    from core.corpora.catalogue import CorpusDeleted
    from core.corpora.ingestion import ingest_items, remove_corpus, remove_documents

    demo, catalogue = _demo(name), stores.catalogue
    documents = await asyncio.to_thread(own_documents, demo)
    with suppress(CorpusDeleted):  # by another process, which makes it anew
        if corpus := await asyncio.to_thread(shipped_corpus, name, catalogue):
            if corpus.indexing != _indexing(stores.embedder):
                await remove_corpus(corpus, stores)
            elif stale := await asyncio.to_thread(_stale, corpus, documents, catalogue):
                await remove_documents(corpus, stale, stores)
    embedder = await asyncio.to_thread(with_known_vectors, stores.embedder)
    report = await ingest_items(
        [_item(document) for document in documents],
        name,
        replace(stores, embedder=embedder),
        overlap_tokens=OVERLAP,
        progress=progress,
        by=APP,
    )
    await asyncio.to_thread(_note_questions, demo, documents, stores)
    return report


def own_documents(demo: DemoCorpus) -> tuple[Document, ...]:
    """Return the documents of a demo corpus as their loaders parsed them. Blocks while reading."""
    # Not `splitlines`, which would also part lines at characters that stand within a text.
    lines = (WORLD / "parsed.jsonl").read_text(encoding="utf-8").split("\n")
    records = (json.loads(line) for line in lines if line)
    return tuple(to_document(record) for record in records if record.pop("folder") == demo.folder)


def demo_questions(
    demo: DemoCorpus, documents: Sequence[Document] = (), passages: Iterable[Passage] | None = None
) -> tuple[Question, ...]:
    """Return the questions of a demo corpus as a list of examples offers them. Blocks while reading.

    Those of the first demo come in the order that is stored for them; one that has no place there comes last. All of
    its documents may be given if they are read already; for `passages` see `core.corpora.labels.read_questions`.
    """
    from core.corpora.labels import read_questions

    ids = {document.name: document.id for document in documents or own_documents(demo)}
    file = WORLD / demo.questions
    files = [path for path in (file, file.with_name(STARTERS)) if path == file or path.is_file()]
    questions = [question for path in files for question in read_questions(path, ids, passages)]
    places = ORDER.read_text(encoding="utf-8").split() if demo == DEMOS[0] else []
    order = {id_: place for place, id_ in enumerate(places)}
    return tuple(sorted(questions, key=lambda question: order.get(question.id, len(order))))


def with_known_vectors(embedder: Embedder, files: Sequence[Path] = (VECTORS,)) -> Embedder:
    """Return the model with stored vectors, so that those of known texts need not be computed. Blocks while reading."""
    from core.models.embedding_vectors import PrecomputedEmbeddings, load_vectors

    known = {digest: vector for file in files for digest, vector in load_vectors(file, embedder.key).items()}
    if not known:
        return embedder
    return replace(embedder, embeddings=PrecomputedEmbeddings(embedder.embeddings, known))


def _demo(name: str) -> DemoCorpus:
    return next(demo for demo in DEMOS if demo.name == name)


def shipped_corpus(name: str, catalogue: Catalogue) -> Corpus | None:
    """Return the corpus of that name which the app made; not one that somebody else did. Blocks for a moment."""
    named = (corpus for corpus in catalogue.corpora() if corpus.name == name and corpus.owner == APP.owner)
    return next(named, None)


def _indexing(embedder: Embedder) -> tuple[str, int, int, None]:
    from core.corpora.entries import chunk_sizes

    return embedder.key, *chunk_sizes(embedder.max_tokens, overlap=OVERLAP), None


def _mark(document: Document | DocumentEntry) -> tuple[object, ...]:
    """Return the id, title, length and facts of a document: one differs if it, or how it is parsed, has changed."""
    length = len(document.text) if isinstance(document, Document) else document.characters
    return document.id, document.title, length, *sorted(document.about.items())


def _stale(corpus: Corpus, documents: Sequence[Document], catalogue: Catalogue) -> list[str]:
    own = set(map(_mark, documents))
    return [entry.id for entry in catalogue.documents(corpus.id) if entry.ready and _mark(entry) not in own]


def _item(document: Document) -> ImportItem:
    from core.corpora.gathering import ImportItem

    def read(names: Known, _cancel: Event | None) -> list[Document] | None:
        return None if names.get(document.id) == document.name else [document]

    return ImportItem(document.name, len(document.text), read)


def _note_questions(demo: DemoCorpus, documents: Sequence[Document], stores: CorpusStores) -> None:
    from core.corpora.chunk_store import ChunkStore, open_vectors

    corpus = stores.catalogue.corpus(demo.name)
    chunks = ChunkStore(open_vectors(stores.vectors), corpus)
    passages = chunks.passages(frozenset(document.id for document in documents))
    questions = demo_questions(demo, documents, passages)
    if questions != corpus.questions:
        stores.catalogue.set_questions(corpus.id, questions)
