"""A data set made in the browser: its questions, and the present documents of its corpus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.corpora.chunk_store import ChunkStore, open_vectors
from core.corpora.entries import Corpus, Entry
from core.corpora.reindexing import rebuild
from core.errors import InputError
from core.evaluation.dataset_lines import DataDocument, LabelledQuestion
from core.evaluation.datasets import DataSet, data_set
from core.evaluation.made_questions import MadeQuestion, Mark
from core.evaluation.question_list import ListedQuestion
from core.evaluation.set_store import StoredSet
from core.jobs import run_blocking
from core.runs.sources.corpora import CorpusService
from core.trace.passages import Passage


def corpus_of_set(corpora: CorpusService, made: StoredSet) -> Corpus:
    """The corpus of a data set made in the browser, found by name if it was indexed anew.

    Raises:
        InputError: It has been deleted.
    """
    there = corpora.all()
    for fits in (
        lambda corpus: corpus.id == made.corpus,
        lambda corpus: corpus.name == made.corpus_name,
    ):
        if found := next(filter(fits, there), None):
            return found
    raise InputError(
        f"The corpus “{made.corpus_name}” of this data set has been deleted. Its questions and marks are kept: "
        "choose another corpus that holds the same documents."
    )


@dataclass(frozen=True)
class Documents:
    """The documents of a corpus that may be searched, as marks refer to them."""

    ready: Mapping[str, Entry]
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
        found: dict[str, Mark] = {}
        for mark in marks:
            document = self.now(mark)
            if document is not None and (document not in found or document == mark.document):
                found[document] = mark
        return found


def documents_of(entries: Iterable[Entry]) -> Documents:
    """The documents of a corpus, from their entries in the catalogue."""
    ready = {entry.id: entry for entry in entries if entry.ready}
    return Documents(ready, {entry.name: entry.id for entry in ready.values()})


def finished(
    corpora: CorpusService, made: StoredSet, corpus: Corpus, questions: Sequence[MadeQuestion]
) -> DataSet:
    """A data set made in the browser, ready for evaluation and export; blocks while documents are read.

    It has all documents of its corpus: among the pooled and marked documents alone, finding the evidence would be too
    easy. Questions without text are left out, as are marks of documents that do not exist any more.

    Raises:
        InputError: There is no question yet, or the corpus is empty.
        ServiceError, StoreError: Chroma or the catalogue fails.
    """
    asked = [question for question in questions if question.text]
    if not asked:
        raise InputError(f"“{made.name}” has no question yet. Write one first.")
    there = documents_of(corpora.catalogue.documents(corpus.id))
    if not there.ready:
        raise InputError(f"The corpus “{corpus.name}” holds no documents.")
    client = open_vectors(run_blocking(corpora.backends.vectors_url()))
    chunks: dict[str, list[Passage]] = defaultdict(list)
    for passage in ChunkStore(client, corpus).passages(frozenset(there.ready)):
        chunks[passage.document].append(passage)
    documents = tuple(
        DataDocument(entry.id, entry.title, rebuild(entry, chunks[entry.id]).text.strip())
        for _, entry in sorted(there.ready.items())
    )
    return data_set(
        made.name,
        documents,
        tuple(
            LabelledQuestion(
                one.id,
                one.text,
                one.type,
                one.answers,
                {document: mark.grade for document, mark in there.present(one.marks).items()},
            )
            for one in asked
        ),
    )


def matched(listed: Sequence[ListedQuestion], documents: Documents) -> tuple[list[MadeQuestion], list[str]]:
    """The questions of a list with their gold documents marked. A document is looked up by id, title and file name.

    Returns:
        The questions, and a sentence for each document that was not found; its question is kept without it.
    """
    known: dict[str, list[Entry]] = defaultdict(list)
    for entry in documents.ready.values():
        for name in {entry.id, entry.key, entry.name.casefold(), entry.title.casefold()} - {""}:
            known[name].append(entry)
    made: list[MadeQuestion] = []
    unresolved: list[str] = []
    for one in listed:
        marks: dict[str, Mark] = {}
        for written in one.gold:
            found = _find(written, known)
            if len(found) == 1:
                marks[found[0].id] = mark_of(found[0], 2)
            elif found:
                unresolved.append(f"Line {one.line}: {len(found)} documents are called “{written}”.")
            else:
                unresolved.append(f"Line {one.line}: the corpus has no document “{written}”.")
        made.append(MadeQuestion("", one.text, one.type, one.answers, tuple(marks.values())))
    return made, unresolved


def mark_of(entry: Entry, grade: int) -> Mark:
    """The mark of a document of a corpus."""
    return Mark(entry.id, grade, entry.name, entry.title or entry.name)


def _find(written: str, known: Mapping[str, Sequence[Entry]]) -> Sequence[Entry]:
    return known.get(written) or known.get(written.casefold()) or ()
