"""Marks and question lists find their documents in a corpus."""

from __future__ import annotations

from datetime import UTC, datetime

from core.corpora.entries import DocumentEntry
from core.evaluation.making import ListedQuestion, document_mark, documents_of, match_documents
from core.evaluation.set_store import MadeQuestion, Mark


def entry(key: str, name: str, title: str = "", *, ready: bool = True, data: str = "") -> DocumentEntry:
    return DocumentEntry(key, name, title, data, ready, 1, 10, datetime.now(UTC))


EMMA, REVIEW = entry("e1", "emma.pdf", "Emma (Novel)"), entry("r1", "corpus.jsonl:d2", data="d2")
OLD, FAILED = entry("e2", "old.pdf", "Rome"), entry("x", "failed.pdf", "Failed", ready=False)


def listed(*gold: str) -> ListedQuestion:
    return ListedQuestion(2, "1", "Who wrote it?", "fact", ("Jane Austen", "Austen"), gold)


def test_gold_by_title_id_in_its_data_set_and_name() -> None:
    documents = documents_of([EMMA, REVIEW, OLD, FAILED])
    questions, unresolved = match_documents([listed("emma (novel)", "d2", "OLD.pdf")], documents)
    marks = (document_mark(EMMA, 2), document_mark(REVIEW, 2), document_mark(OLD, 2))
    assert questions == [MadeQuestion("", "Who wrote it?", "fact", ("Jane Austen", "Austen"), marks)]
    assert unresolved == []


def test_gold_that_is_not_there_or_not_alone_is_named_and_left_out() -> None:
    documents = documents_of([EMMA, entry("e9", "emma.docx", "Emma (novel)"), FAILED])
    questions, unresolved = match_documents([listed("Emma (novel)", "Failed", "emma.pdf")], documents)
    assert unresolved == [
        "Line 2: 2 documents are called “Emma (novel)”.",
        "Line 2: the corpus has no document “Failed”.",
    ]
    assert [mark.document for mark in questions[0].marks] == ["e1"]


def test_a_mark_follows_its_document() -> None:
    mark = Mark("before", 1, "emma.pdf", "Emma")
    assert documents_of([EMMA]).present([mark]) == {"e1": mark}  # the file was corrected
    assert documents_of([OLD, FAILED]).present([mark, Mark("x", 2, "failed.pdf", "Failed")]) == {}
    # Marked before and after the correction: the newer one counts.
    now = Mark("e1", 2, "emma.pdf", "Emma")
    assert documents_of([EMMA]).present([mark, now]) == {"e1": now}
    assert documents_of([EMMA]).present([now, mark]) == {"e1": now}
