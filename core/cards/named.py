"""Names as people read them, without the ids that tell model files, corpora and documents apart in the store."""

from __future__ import annotations

import re

from core.wording import counted

DATA_SET = "Data set: "
"""Begins the name of a corpus that holds the documents of a data set."""
_MARK = re.compile(r" \([0-9a-f]{8}(?:, ([^()]*))?\)")
_ID = re.compile(r"[0-9a-f]{16}")


def named(name: str) -> str:
    """The name of a model or a corpus without the hash of its file, or of its documents, at its end."""
    return _MARK.sub(lambda found: f" ({found[1]})" if found[1] else "", name)


def document_named(name: str) -> str:
    """The name of a document; empty: there is only an id, which tells nobody anything."""
    return "" if _ID.fullmatch(name) else name


def documents_of(corpus: str, count: int) -> str:
    """Number of documents of a corpus, in words. A data set may count each passage as a document of its own."""
    of = " of the data set" if corpus.startswith(DATA_SET) else ""
    return f"{counted(count, 'document')}{of}"
