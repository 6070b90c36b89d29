"""The demo corpus is known by its documents without a loader."""

from __future__ import annotations

from core.corpora.demo import VECTORS, own_documents
from core.corpora.loaders.jsonl import load_jsonl


def test_its_documents_are_those_that_the_loader_makes() -> None:
    data = (VECTORS.parent / "corpus.jsonl").read_bytes()
    assert own_documents() == {document.id for document in load_jsonl("corpus.jsonl", data)}
