"""The catalogue: the corpora, their documents, and which documents may be searched."""

from __future__ import annotations

import unicodedata
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, bindparam, delete, func, select, update
from sqlalchemy.exc import IntegrityError

from core.corpora.documents import About, Document, stored_name, values_of
from core.corpora.entries import (
    PENDING,
    READY,
    Base,
    Contextual,
    Corpus,
    CorpusRow,
    DocumentEntry,
    DocumentRow,
    Question,
    document_facts,
    read_corpora,
    read_corpus,
    to_entry,
)
from core.database import Lookup
from core.errors import InputError, StoreError
from core.owned import LeaseColumns, LeasedRows

if TYPE_CHECKING:
    from core.models.embeddings import Embedder

MAX_NAME = 80
BYTES_OF_A_VECTOR = 2000
"""Approximate size of a vector in the vector store."""
_ROWS_AT_ONCE = 500
"""Most ids in one statement; databases limit the number of parameters."""

DELETED = "This corpus has been deleted. Choose another one."

_VERSION = select(CorpusRow.version).where(CorpusRow.id == bindparam("corpus"))


class NameTaken(InputError):
    """There is a corpus of that name already."""


class UnknownCorpus(InputError):
    """There is no corpus of that name."""


class CorpusDeleted(StoreError):
    """The corpus is not there any more."""


class Catalogue(LeasedRows):
    """The catalogue in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata
    lease = LeaseColumns(CorpusRow.id, CorpusRow.writer, CorpusRow.writer_until)

    def __init__(self, database: str) -> None:
        super().__init__(database)
        self._version = Lookup(self.engine, _VERSION)

    def corpora(self) -> list[Corpus]:
        """Return all corpora, by name."""
        with self.session() as session:
            return read_corpora(session)

    def corpus(self, name: str) -> Corpus:
        """Return the corpus of that name.

        Raises:
            UnknownCorpus: There is none; the message names those that exist.
        """
        wanted = unicodedata.normalize("NFC", name.strip())
        corpora = self.corpora()
        for corpus in corpora:
            if corpus.name == wanted:
                return corpus
        names = ", ".join(f"“{corpus.name}”" for corpus in corpora)
        existing = f"Existing: {names}." if names else "There are none yet; add documents first."
        raise UnknownCorpus(f"There is no corpus named “{wanted[:MAX_NAME]}”. {existing}")

    def create(
        self,
        name: str,
        embedder: str,
        embedder_name: str,
        chunk_tokens: int,
        overlap_tokens: int,
        owner: str = "",
        contextual: Contextual | None = None,
    ) -> Corpus:
        """Make an empty corpus.

        Raises:
            NameTaken: A corpus of that name exists.
            InputError: The name is unfit (see `corpus_name`).
        """
        row = CorpusRow(
            id=f"c{uuid.uuid4().hex[:15]}",
            name=corpus_name(name),
            embedder=embedder,
            embedder_name=embedder_name,
            chunk_tokens=chunk_tokens,
            overlap_tokens=overlap_tokens,
            owner=owner,
            context_model=contextual.model if contextual else "",
            context_prompt=contextual.prompt if contextual else "",
        )
        with self.session() as session:
            try:
                session.add(row)
                session.flush()
            except IntegrityError:
                raise NameTaken(f"There is already a corpus named “{corpus_name(name)}”.") from None
            return read_corpus(session, row.id)

    def stored_by(self, owner: str) -> int:
        """Return about how many bytes the corpora of an owner take: their texts, and a vector for each chunk."""
        size = DocumentRow.characters + DocumentRow.chunks * BYTES_OF_A_VECTOR
        query = select(func.coalesce(func.sum(size), 0)).join(CorpusRow, CorpusRow.id == DocumentRow.corpus)
        with self.session() as session:
            return int(session.scalar(query.where(CorpusRow.owner == owner)) or 0)

    def set_questions(self, corpus: str, questions: Iterable[Question]) -> None:
        """Replace the example questions of the corpus with this id."""
        values: list[dict[str, Any]] = [question.model_dump(mode="json") for question in questions]
        with self.session() as session:
            session.execute(update(CorpusRow).where(CorpusRow.id == corpus).values(questions=values))

    def give_to_teacher(self, corpus: str) -> None:
        """Take the corpus with this id from its owner."""
        with self.session() as session:
            session.execute(update(CorpusRow).where(CorpusRow.id == corpus).values(owner=""))

    def rename(self, corpus: str, name: str) -> None:
        """Give the corpus with this id another name.

        Raises:
            NameTaken: Another corpus has it.
            InputError: The name is unfit (see `corpus_name`).
            CorpusDeleted: There is no such corpus any more.
        """
        name = corpus_name(name)
        statement = update(CorpusRow).where(CorpusRow.id == corpus)
        with self.session() as session:
            try:
                renamed = session.execute(
                    statement.values(name=name, version=CorpusRow.version + 1).returning(CorpusRow.id)
                ).first()
            except IntegrityError:
                raise NameTaken(f"There is already a corpus named “{name}”. Choose another name.") from None
        if renamed is None:
            raise CorpusDeleted(DELETED)

    def delete(self, corpus: str) -> None:
        """Forget the corpus with this id and its documents."""
        with self.session() as session:
            session.execute(delete(DocumentRow).where(DocumentRow.corpus == corpus))
            session.execute(delete(CorpusRow).where(CorpusRow.id == corpus))

    def documents(self, corpus: str, offset: int = 0, most: int | None = None) -> list[DocumentEntry]:
        """Return the documents of the corpus with this id, by name, also those not ready: all, or a part."""
        statement = select(DocumentRow).where(DocumentRow.corpus == corpus)
        ordered = statement.order_by(DocumentRow.name, DocumentRow.id).offset(offset).limit(most)
        with self.session() as session:
            return [to_entry(row) for row in session.scalars(ordered)]

    def entries(self, corpus: str, documents: Sequence[str]) -> list[DocumentEntry]:
        """Return the documents with these ids, as far as they are there, those not ready included."""
        with self.session() as session:
            return [
                to_entry(row)
                for chosen in _chosen(corpus, documents)
                for row in session.scalars(select(DocumentRow).where(chosen))
            ]

    def version(self, corpus: str) -> int:
        """Return the version of the corpus with this id, a cheap way to see whether anything has changed.

        Raises:
            CorpusDeleted: It has been deleted.
        """
        version = self._version(corpus=corpus)  # every search reads this
        if version is None:
            raise CorpusDeleted(DELETED)
        return int(version)

    def ready(self, corpus: str) -> dict[str, str]:
        """Return the documents of the corpus with this id that may be searched: id -> own title, may be empty.

        Raises:
            CorpusDeleted: It has been deleted.
        """
        return self.ready_version(corpus)[1]

    def ready_version(self, corpus: str) -> tuple[int, dict[str, str]]:
        """Return the version of the corpus with this id, and the documents that may be searched in that version: id ->
        own title, may be empty. One statement reads both: between two, another process may change the corpus.

        Raises:
            CorpusDeleted: It has been deleted.
        """
        documents = (DocumentRow.corpus == CorpusRow.id) & (DocumentRow.status == READY)
        statement = select(CorpusRow.version, DocumentRow.id, DocumentRow.title).outerjoin(
            DocumentRow, documents
        )
        with self.session() as session:
            rows = session.execute(statement.where(CorpusRow.id == corpus)).all()
        if not rows:
            raise CorpusDeleted(DELETED)
        return rows[0].version, {row.id: row.title for row in rows if row.id is not None}

    def about(self, corpus: str) -> dict[str, About]:
        """Return the facts about each document of the corpus with this id that may be searched, by its id."""
        row = DocumentRow
        statement = select(row.id, row.name, row.title, row.key, row.about).where(row.corpus == corpus)
        with self.session() as session:
            rows = session.execute(statement.where(row.status == READY))
            return {
                ident: document_facts(name, title, key, values_of(about))
                for ident, name, title, key, about in rows
            }

    # The methods below are for ingestion, which is the only writer of the corpus meanwhile.

    def begin(self, corpus: str, documents: Sequence[tuple[Document, int]]) -> None:
        """Note documents, each with its number of chunks, as pending. Must precede their first chunk."""
        with self.session() as session:
            session.add_all(_pending(corpus, document, chunks) for document, chunks in documents)

    def finish(self, corpus: str, writer: str, ready: Sequence[str], retired: Sequence[str]) -> None:
        """Let `ready` be searched and `retired` no longer, in one transaction.

        Raises:
            StoreError: Another process has taken over the corpus meanwhile.
        """
        statement = update(CorpusRow).where(self.holds(corpus, writer))
        with self.session() as session:
            raised = session.execute(statement.values(version=CorpusRow.version + 1).returning(CorpusRow.id))
            if raised.first() is None:
                raise StoreError("Another import has taken over this corpus. Start this one again.")
            for status, ids in ((READY, ready), (PENDING, retired)):
                for chosen in _chosen(corpus, ids):
                    session.execute(update(DocumentRow).where(chosen).values(status=status))

    def forget(self, corpus: str, documents: Sequence[str]) -> None:
        """Drop rows of documents that have no chunks any more."""
        with self.session() as session:
            change = update(CorpusRow).where(CorpusRow.id == corpus)
            session.execute(change.values(version=CorpusRow.version + 1))
            for chosen in _chosen(corpus, documents):
                session.execute(delete(DocumentRow).where(chosen))


def corpus_name(name: str) -> str:
    """Return the name of a corpus as it is stored; raises `InputError` where it is unfit, see `stored_name`."""
    return stored_name(name, "a corpus", MAX_NAME)


def _pending(corpus: str, document: Document, chunks: int) -> DocumentRow:
    return DocumentRow(
        corpus=corpus,
        id=document.id,
        name=document.name,
        title=document.title,
        key=document.key,
        about={name: list(values) for name, values in document.about.items()},
        reader=document.reader,
        chunks=chunks,
        characters=len(document.text),
    )


def _chosen(corpus: str, documents: Sequence[str]) -> Iterator[ColumnElement[bool]]:
    """Yield conditions that choose the documents with these ids, one for each statement."""
    for start in range(0, len(documents), _ROWS_AT_ONCE):
        ids = documents[start : start + _ROWS_AT_ONCE]
        yield (DocumentRow.corpus == corpus) & DocumentRow.id.in_(ids)


@dataclass(frozen=True)
class CorpusStores:
    """Catalogue, vectors and embedding model of all corpora; they go together through everything that changes one."""

    catalogue: Catalogue
    """The database of corpora and documents."""
    vectors: str
    """URL of the Chroma server."""
    embedder: Embedder
    """Embeds chunks; what is added to a corpus must be embedded by the model that the corpus was made with."""


def check_model(corpus: Corpus, embedder: Embedder) -> None:
    """Refuse to mix vectors of two models.

    Raises:
        InputError: The corpus is indexed with another embedding model.
    """
    if corpus.embedder != embedder.key:
        raise InputError(
            f"“{corpus.name}” is indexed with the embedding model “{corpus.embedder_name}”, but "
            f"“{embedder.name}” is in use. Switch back to it, or index the documents as another corpus."
        )
