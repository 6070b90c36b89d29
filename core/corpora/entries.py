"""The catalogue's tables, and corpora and documents as values that are made from their rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import JSON, ForeignKey, String, Text, bindparam, case, cast, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, defer, mapped_column

from core.corpora.documents import READER, TITLE, About, values_of, with_derived
from core.database import value_of
from core.errors import InputError
from core.trace.passages import Frozen
from core.users import APP

DEFAULT_CHUNK_TOKENS = 300
DEFAULT_OVERLAP_TOKENS = 50

SMALLEST_CHUNK = 16
"""Smallest chunk, in tokens; a shorter one holds no sentence."""
SENTENCES = 0
"""Size that stands for chunks of one sentence each, however long. Chunks of about as many tokens would not do: of those
of 32, a third end within a sentence."""


def chunk_sizes(max_tokens: int, chunk: int | None = None, overlap: int | None = None) -> tuple[int, int]:
    """Return the size and overlap of chunks, in tokens, checked; None stands for the usual value, as far as it fits.

    `max_tokens` is the largest chunk that the embedding model reads; the size may be `SENTENCES`, which share nothing.

    Raises:
        InputError: One of them is too small or too large.
    """
    size = min(DEFAULT_CHUNK_TOKENS, max_tokens) if chunk is None else chunk
    if size == SENTENCES:
        if overlap:
            raise InputError("Chunks of one sentence each share nothing. Leave the overlap out.")
        return SENTENCES, 0
    if not SMALLEST_CHUNK <= size <= max_tokens:
        raise InputError(
            f"A chunk of {size} tokens is not possible with this embedding model. "
            f"Choose a size from {SMALLEST_CHUNK} to {max_tokens}."
        )
    shared = min(DEFAULT_OVERLAP_TOKENS, size // 2) if overlap is None else overlap
    if not 0 <= shared <= size // 2:
        raise InputError(
            f"Chunks of {size} tokens cannot overlap by {shared}. Choose an overlap from 0 to {size // 2}."
        )
    return size, shared


def chunk_size(word: object) -> int:
    """Return a chunk size as it is typed: a number of tokens, or `sentences`.

    Raises:
        ValueError: It is neither.
    """
    return SENTENCES if str(word).strip() == "sentences" else int(str(word))


PENDING = "pending"
"""Documents that are not searched: being indexed, being removed, or left behind by a killed process."""
READY = "ready"


class Base(DeclarativeBase):
    """Holds the metadata of the catalogue's tables."""


class CorpusRow(Base):
    """A corpus: documents that are searched together."""

    __tablename__ = "corpora"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC; without a zone because SQLite keeps none."""
    embedder: Mapped[str] = mapped_column(String(200))
    embedder_name: Mapped[str] = mapped_column(String(200))
    chunk_tokens: Mapped[int]
    overlap_tokens: Mapped[int]
    version: Mapped[int] = mapped_column(default=0)
    """Increased whenever the documents that may be searched change."""
    context_model: Mapped[str] = mapped_column(String(200), default="", server_default="")
    """The model that writes a context for each chunk; empty: none does."""
    context_prompt: Mapped[str] = mapped_column(String(16), default="", server_default="")
    """Hash of the prompt that it is asked with."""
    questions: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    writer: Mapped[str] = mapped_column(String(64), default="")
    """The writer that may change the documents at the moment; empty: none."""
    writer_until: Mapped[float] = mapped_column(default=0.0)
    """Seconds since the epoch at which the writer's hold ends unless it is renewed."""
    owner: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The user who made it; empty: the teacher."""


class DocumentRow(Base):
    """A document of a corpus. Every chunk in the vector store belongs to a row here."""

    __tablename__ = "documents"

    corpus: Mapped[str] = mapped_column(ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True)
    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    """Hash of the document's bytes."""
    name: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text, default="")
    key: Mapped[str] = mapped_column(Text, default="")
    about: Mapped[dict[str, list[str]]] = mapped_column(JSON, default=dict, server_default="{}")
    """Statements of its file about itself: name of a field -> values."""
    reader: Mapped[int] = mapped_column(server_default="1")
    """Version of the loaders that read it; see `core.corpora.documents.READER`."""
    status: Mapped[str] = mapped_column(String(10), default=PENDING)
    chunks: Mapped[int]
    characters: Mapped[int]
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))


class Quote(Frozen):
    """Words of a document."""

    document: str
    """Its id."""
    quote: str
    """The words as the document has them, but for blanks."""


class Evidence(Quote):
    """One thing that has to be known to answer a question, and where it is said; the first place is the one shown."""

    chunks: tuple[str, ...]
    """Ids of all chunks that hold it, in whatever document: any one of them is enough."""
    also: tuple[Quote, ...] = ()
    """Further places that say the same. With them `chunks` can be found again when documents are cut otherwise."""


class Question(Frozen):
    """An example question of a corpus."""

    text: str
    id: str = ""
    type: str = ""
    """Kind of reasoning that the question takes, in the words of its data set."""
    answers: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()
    """Ids of the documents that hold the evidence, where only documents are labelled."""
    evidence: tuple[Evidence, ...] = ()
    """Evidence that the answer takes, where passages are labelled."""
    shows: str = ""
    """The point that it is there to show."""
    strategies: tuple[str, ...] = ()
    """Keys of the strategies that it was written for."""


_QUESTIONS = TypeAdapter(tuple[Question, ...])


@dataclass(frozen=True)
class Contextual:
    """A way to index: a model writes a context for each chunk."""

    model: str
    """Its name."""
    prompt: str
    """Hash of what it is asked with."""


@dataclass(frozen=True)
class Corpus:
    """A corpus in the catalogue."""

    id: str
    """ASCII; part of the name of its collection."""
    name: str
    created: datetime
    embedder: str
    """Key of the embedding model it is indexed with."""
    embedder_name: str
    chunk_tokens: int
    overlap_tokens: int
    version: int
    """Increases whenever the documents that may be searched change."""
    questions: tuple[Question, ...]
    documents: int
    """Number of documents that are ready."""
    chunks: int
    """Number of their chunks."""
    owner: str = ""
    """The user who made it; empty: the teacher."""
    contextual: Contextual | None = None
    """The writer of a context for each of its chunks; None: nobody."""
    outdated: int = 0
    """Number of its documents that an earlier version of the app read, less well than this one would; those that come
    with the app are not counted, since it replaces them itself when their corpus is next made ready."""

    @property
    def indexing(self) -> tuple[str, int, int, Contextual | None]:
        """The way in which its documents are indexed: key of the embedding model, size and overlap of chunks in
        tokens, and the writer of contexts."""
        return self.embedder, self.chunk_tokens, self.overlap_tokens, self.contextual


@dataclass(frozen=True)
class DocumentEntry:
    """A document in the catalogue."""

    id: str
    name: str
    title: str
    """Its own title; empty where it has none."""
    key: str
    """Id that a data set gave it; empty for an ordinary file."""
    ready: bool
    """True if it may be searched."""
    chunks: int
    characters: int
    created: datetime
    about: About = field(default_factory=dict, hash=False)
    """Statements of its file about itself, beside title and text; see `known`."""
    reader: int = READER
    """Version of the loaders that read it."""

    @property
    def outdated(self) -> bool:
        """True if the document is ready and came from a file that an earlier version of the loaders read.

        False for a line of a data set, which all versions read alike.
        """
        return self.ready and not self.key and self.reader < READER

    @property
    def known(self) -> About:
        """The facts that a filter can ask for: those of the file, its title, and those that follow from its name."""
        return document_facts(self.name, self.title, self.key, self.about)


def document_facts(name: str, title: str, key: str, about: About) -> About:
    """Return the facts that a filter can ask a document for; see `DocumentEntry`."""
    return {TITLE: (title or name,), **with_derived(name, key, about)}


_CORPORA = (
    select(
        CorpusRow,
        cast(CorpusRow.questions, Text),  # see `_questions`
        func.count(DocumentRow.id),
        func.coalesce(func.sum(DocumentRow.chunks), 0),
        func.coalesce(
            func.sum(case(((DocumentRow.reader < READER) & (DocumentRow.key == ""), 1), else_=0)), 0
        ),
    )
    .options(defer(CorpusRow.questions))
    .outerjoin(DocumentRow, (DocumentRow.corpus == CorpusRow.id) & (DocumentRow.status == READY))
    .group_by(CorpusRow.id)
    .order_by(CorpusRow.name)
)
_WITH_ID = _CORPORA.where(CorpusRow.id == bindparam("id"))


def read_corpora(session: Session) -> list[Corpus]:
    """Return all corpora by name."""
    return [_corpus(*row) for row in session.execute(_CORPORA)]


def read_corpus(session: Session, id: str) -> Corpus:
    """Return the corpus with this id, which there is."""
    return _corpus(*session.execute(_WITH_ID, {"id": id}).one())


def _corpus(row: CorpusRow, questions: str, documents: int, chunks: int, outdated: int) -> Corpus:
    return value_of(
        Corpus,
        row,
        questions=_questions(questions),
        documents=documents,
        chunks=int(chunks),
        contextual=Contextual(row.context_model, row.context_prompt) if row.context_model else None,
        outdated=0 if row.owner == APP.owner else int(outdated),
    )


@lru_cache(maxsize=32)
def _questions(text: str) -> tuple[Question, ...]:
    """Return the questions of a corpus from JSON: a page asks for them several times, and they hardly ever change."""
    return _QUESTIONS.validate_json(text)


def to_entry(row: DocumentRow) -> DocumentEntry:
    """Return a row as a value."""
    return DocumentEntry(
        id=row.id,
        name=row.name,
        title=row.title,
        key=row.key,
        ready=row.status == READY,
        chunks=row.chunks,
        characters=row.characters,
        created=row.created.replace(tzinfo=UTC),
        about=values_of(row.about),
        reader=row.reader,
    )
