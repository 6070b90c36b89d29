"""Questions to begin with, about documents that were just indexed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from core.corpora.suggested import MOST, suggested_questions
from core.errors import LoupeError
from core.evaluation.text_language import language_of
from core.runs.workbench import Workbench
from core.trace.passages import Passage

READ = 6
"""Documents that are read at most: the newest ones."""
JUDGED_CHARS = 5000
"""Characters of a document by which its language is told."""


def suggested(bench: Workbench, corpus: str) -> list[str]:
    """By headings and titles of the newest English documents of a corpus; raw text, empty where there are none."""
    documents: list[Sequence[Passage]] = []
    with suppress(LoupeError):  # a suggestion is worth no error
        found = bench.corpora.catalogue
        entries = [one for one in found.documents(found.corpus(corpus).id) if one.ready]
        for entry in sorted(entries, key=lambda one: one.created, reverse=True)[:READ]:
            document, chunks = bench.corpora.opened_document(corpus, entry.id)
            if language_of(document.text[:JUDGED_CHARS]) == "en" and suggested_questions([chunks]):
                documents.append(chunks)
            if len(documents) == MOST:
                break
    return suggested_questions(documents)
