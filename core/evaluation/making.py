"""A data set made in the browser: its questions, written one by one or brought in as a list, the present documents of
its corpus, and the candidates for evidence.

Candidates are pooled: K. Spärck Jones, C. J. van Rijsbergen: Report on the need for and provision of an "ideal"
information retrieval test collection. British Library Research and Development Report 5266, 1975; as at TREC. Documents
outside the pool count as irrelevant, so a pool of one retriever would favour it: the pool unites all of them.
"""

from __future__ import annotations

import asyncio
import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from core.corpora.catalogue import check_model
from core.corpora.documents import display_name
from core.corpora.entries import Corpus, DocumentEntry
from core.corpora.loaders.decoding import decode
from core.corpora.loaders.spreadsheet import MAX_FIELD, delimiter
from core.corpora.reindexing import rebuild
from core.errors import InputError
from core.evaluation.dataset_lines import DataDocument, LabelledQuestion
from core.evaluation.datasets import DataSet, data_set
from core.evaluation.set_store import MAX_QUESTIONS, DataSetEntry, MadeQuestion, Mark
from core.retrieval.fusion import unite
from core.retrieval.kinds import RETRIEVERS
from core.retrieval.repeats import without_marks
from core.runs.sources.corpora import CorpusService
from core.trace.artefacts import Ranking, RankRow
from core.trace.passages import Passage


def corpus_of_set(corpora: CorpusService, entry: DataSetEntry) -> Corpus:
    """The corpus of a data set made in the browser, found by name if it was indexed anew; raises `InputError` if
    deleted."""
    present = corpora.catalogue.corpora()
    matches = [corpus for corpus in present if corpus.id == entry.corpus]
    if matches := matches or [corpus for corpus in present if corpus.name == entry.corpus_name]:
        return matches[0]
    raise InputError(
        f"The corpus “{entry.corpus_name}” of this data set has been deleted. Its questions and marks are kept: "
        "choose another corpus that holds the same documents."
    )


@dataclass(frozen=True)
class Documents:
    """The documents of a corpus that may be searched, as marks refer to them."""

    ready: Mapping[str, DocumentEntry]
    """Documents by id."""
    named: Mapping[str, str]
    """Name of the file -> id."""

    def now(self, mark: Mark) -> str | None:
        """Present id of a marked document; None: the corpus does not have it any more.

        A file that was added again with other content has another id and is found by its name.
        """
        return mark.document if mark.document in self.ready else self.named.get(mark.name)

    def present(self, marks: Iterable[Mark]) -> dict[str, Mark]:
        """The marks whose documents exist: present id of the document -> mark."""
        marked: dict[str, Mark] = {}
        for mark in marks:
            document = self.now(mark)
            if document is not None and (document not in marked or document == mark.document):
                marked[document] = mark
        return marked

    def grades(self, marks: Iterable[Mark]) -> dict[str, int]:
        """Present id of a marked document -> grade."""
        return {document: mark.grade for document, mark in self.present(marks).items()}


def documents_of(entries: Iterable[DocumentEntry]) -> Documents:
    """The documents of a corpus, from their entries in the catalogue."""
    ready = {entry.id: entry for entry in entries if entry.ready}
    return Documents(ready, {entry.name: entry.id for entry in ready.values()})


def build_data_set(
    corpora: CorpusService, dataset: DataSetEntry, corpus: Corpus, questions: Sequence[MadeQuestion]
) -> DataSet:
    """A data set made in the browser, ready for evaluation and export; blocks while documents are read.

    It has all documents of its corpus: among the pooled and marked documents alone, finding the evidence would be too
    easy. Questions without text are left out, as are marks of documents that do not exist any more.

    Raises:
        InputError: There is no question yet, or the corpus is empty.
        ServiceError, StoreError: Chroma or the catalogue fails.
    """
    usable = [question for question in questions if question.text]
    if not usable:
        raise InputError(f"“{dataset.name}” has no question yet. Write one first.")
    present = documents_of(corpora.catalogue.documents(corpus.id))
    if not present.ready:
        raise InputError(f"The corpus “{corpus.name}” holds no documents.")
    chunks: dict[str, list[Passage]] = defaultdict(list)
    for passage in corpora.chunk_store(corpus).passages(frozenset(present.ready)):
        chunks[passage.document].append(passage)
    documents = tuple(
        DataDocument(entry.id, entry.title, rebuild(entry, chunks[entry.id]).text.strip())
        for _, entry in sorted(present.ready.items())
    )
    labelled = (LabelledQuestion(q.id, q.text, q.type, q.answers, present.grades(q.marks)) for q in usable)
    return data_set(dataset.name, documents, tuple(labelled))


def match_documents(
    listed: Sequence[ListedQuestion], documents: Documents
) -> tuple[list[MadeQuestion], list[str]]:
    """The questions of a list with their gold documents marked, looked up by id, title and file name; and a sentence
    for each document that was not found, whose question is kept without it."""
    by_name: dict[str, list[DocumentEntry]] = defaultdict(list)
    for entry in documents.ready.values():
        for name in {entry.id, entry.key, entry.name.casefold(), entry.title.casefold()} - {""}:
            by_name[name].append(entry)
    questions: list[MadeQuestion] = []
    unresolved: list[str] = []
    for row in listed:
        marks: dict[str, Mark] = {}
        for title in row.gold:
            matches = by_name.get(title) or by_name.get(title.casefold(), [])
            if len(matches) == 1:
                marks[matches[0].id] = document_mark(matches[0], 2)
            elif matches:
                unresolved.append(f"Line {row.line}: {len(matches)} documents are called “{title}”.")
            else:
                unresolved.append(f"Line {row.line}: the corpus has no document “{title}”.")
        questions.append(MadeQuestion("", row.text, row.type, row.answers, tuple(marks.values())))
    return questions, unresolved


def document_mark(entry: DocumentEntry, grade: int) -> Mark:
    """The mark of a document of a corpus."""
    return Mark(entry.id, grade, entry.name, entry.title or entry.name)


DEPTH = 10
"""Chunks taken from each ranking: as deep as rankings are judged."""


@dataclass(frozen=True)
class PooledDocument:
    """A document that may hold the evidence."""

    document: str
    """Id in the corpus."""
    title: str
    """Display text."""
    passages: tuple[Passage, ...]
    """Its chunks that were found, best first; at least one."""
    ranks: tuple[tuple[str, int], ...]
    """Retrievers that found it, each with the rank of the chunk, from 1."""


@dataclass(frozen=True)
class Pool:
    """The candidates for one query."""

    candidates: tuple[PooledDocument, ...]
    """Candidates by best rank; at equal rank, the one seen first."""
    note: str = ""
    """The reason why a retriever is missing; empty: none is missing."""


async def pool(corpora: CorpusService, corpus: str, query: str) -> Pool:
    """The documents that any of the retrievers finds for a query among its first `DEPTH` chunks; raises `InputError` if
    there is no such corpus."""
    stored = await asyncio.to_thread(corpora.catalogue.corpus, corpus)
    kinds, note = tuple(RETRIEVERS), ""
    try:
        check_model(stored, corpora.backends.embedder)
    except InputError as error:
        kinds, note = ("keyword",), f"Only keyword search can look here. {error}"

    async def search(kind: str) -> Ranking:
        return await (await corpora.retriever(stored.name, kind)).search(query, DEPTH, DEPTH)

    return Pool(by_document(await asyncio.gather(*map(search, kinds))), note)


def by_document(rankings: Sequence[Ranking]) -> tuple[PooledDocument, ...]:
    """The documents of some rankings: best rank first, then first seen. Each is judged, whatever it repeats."""
    rows: dict[str, list[RankRow]] = {}
    for row in unite([without_marks(ranking) for ranking in rankings]).rows:
        rows.setdefault(row.passage.document, []).append(row)
    return tuple(
        PooledDocument(
            document,
            own[0].passage.title,
            tuple(row.passage for row in own),
            tuple(
                (ranking.retriever, min(ranks))
                for place, ranking in enumerate(rankings)
                if (ranks := [rank for row in own if (rank := row.ranks[place]) is not None])
            ),
        )
        for document, own in rows.items()
    )


_COLUMNS = {
    "id": ("id", "qid"),
    "question": ("question", "text", "query", "질문", "質問", "问题", "問題"),
    "type": ("type", "kind"),
    "answers": ("answers", "answer", "정답", "답", "答え", "回答", "答案"),
    "gold": ("gold", "documents", "document", "titles", "title"),
}
"""Meaning of a column -> possible headings."""
SEPARATOR = "|"
"""Separates answers or gold documents in one field; if it also separates columns, such a field is quoted."""


@dataclass(frozen=True)
class ListedQuestion:
    """A row of the table; raw text."""

    line: int
    """Line in the file at which the row begins, from 1."""
    id: str
    text: str
    type: str
    answers: tuple[str, ...]
    gold: tuple[str, ...]
    """Titles or ids of documents, as written in the table."""


def read_question_list(name: str, data: bytes) -> tuple[ListedQuestion, ...]:
    """The questions of a table with any usual delimiter and encoding.

    The first row names the columns: `question`, and optionally `answers`, `gold`, `type`, `id`, in any order; other
    columns are ignored. A table of one column without a heading is a plain list of questions.

    Raises:
        InputError, DocumentError: It is no table, has no column of questions, or a row cannot be used; the message
            says which.
    """
    name = display_name(name)
    source = decode(name, data).lstrip("\ufeff")
    csv.field_size_limit(MAX_FIELD)
    reader = csv.reader(StringIO(source, newline=""), delimiter=delimiter(source))
    rows: list[tuple[int, list[str]]] = []
    line = 1
    try:
        for row in reader:
            rows.append((line, [" ".join(field.replace("\0", "").split()) for field in row]))
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"“{name}” is not a readable table: {error}.") from error
    rows = [row for row in rows if any(row[1])]
    if not rows:
        raise InputError(f"“{name}” holds no questions.")
    columns, body = _columns(name, rows[0][1]), rows[1:]
    if "question" not in columns:
        if any(len(fields) > 1 for _, fields in rows):
            raise InputError(f"“{name}” has no column “question”. Its first row must name the columns.")
        columns, body = {"question": 0}, rows
    if not body:
        raise InputError(f"“{name}” holds no questions.")
    if len(body) > MAX_QUESTIONS:
        raise InputError(f"“{name}” holds {len(body):,} questions; {MAX_QUESTIONS:,} are the most.")
    return _listed(name, columns, body)


def _columns(name: str, first: Sequence[str]) -> dict[str, int]:
    """Meaning -> column, from 0, according to the first row."""
    columns: dict[str, int] = {}
    for column, heading in enumerate(first):
        for purpose, headings in _COLUMNS.items():
            if heading.casefold() in headings and columns.setdefault(purpose, column) != column:
                raise InputError(f"“{name}” has two columns for the {purpose}.")
    return columns


def _listed(
    name: str, columns: Mapping[str, int], rows: Sequence[tuple[int, Sequence[str]]]
) -> tuple[ListedQuestion, ...]:
    questions: list[ListedQuestion] = []
    ids: set[str] = set()
    for number, (line, row) in enumerate(rows, 1):
        id_, text, kind, answers, gold = (
            row[columns[purpose]] if purpose in columns and columns[purpose] < len(row) else ""
            for purpose in ("id", "question", "type", "answers", "gold")
        )
        if not text:
            raise InputError(f"“{name}”: line {line} has an empty question.")
        key = id_ or f"{number}"
        if key in ids:
            raise InputError(f"“{name}”: line {line} repeats the id “{key}”.")
        ids.add(key)
        questions.append(ListedQuestion(line, key, text, kind, _several(answers), _several(gold)))
    return tuple(questions)


def _several(field: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in field.split(SEPARATOR))))
