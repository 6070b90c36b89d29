"""A look before indexing: bounded, with the lengths of the chunks, and honest about what it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.corpora.entries import chunk_sizes
from core.corpora.preview import MAX_CHARACTERS, preview_files, read_sample
from core.errors import InputError
from tests.embedder import word_counts

EMBEDDER = word_counts()
SENTENCE = "The ship left the harbour at dawn. "


def test_chunks_and_their_lengths() -> None:
    found = preview_files(
        read_sample([("a.txt", SENTENCE.encode() * 30)], 1), EMBEDDER, chunk_tokens=64, overlap_tokens=0
    )
    (document,) = found.documents
    assert (document.document.name, document.note, found.note, found.skipped) == ("a.txt", "", "", ())
    assert len(document.passages) == len(document.tokens) > 2
    assert max(document.tokens) <= 64
    assert 30 < found.median_tokens <= 64
    assert sum(count for _, count in found.histogram(10)) == len(document.passages)
    assert [bound for bound, _ in found.histogram(10)] == list(range(0, 70, 10))[: len(found.histogram(10))]


def test_a_long_document_is_cut_at_a_whole_chunk() -> None:
    (document,) = preview_files(read_sample([("a.txt", SENTENCE.encode() * 3000)], 1), EMBEDDER).documents
    assert len(document.document.text) <= MAX_CHARACTERS
    assert document.document.text.endswith(document.passages[-1].text)
    assert document.passages[-1].text.endswith("dawn.")
    assert document.note == f"Only the first {len(document.document.text):,} of 104,999 characters."


def test_many_files_and_many_documents(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text(f"text {number}")
    found = preview_files(read_sample([tmp_path], 1), EMBEDDER)
    assert [item.document.name for item in found.documents] == ["0.txt", "1.txt", "2.txt"]
    assert found.note == "Only the first 3 of 5 files."
    lines = b"\n".join(b'{"id": %d, "text": "text %d"}' % (n, n) for n in range(9))
    found = preview_files(read_sample([("corpus.jsonl", lines)], 1), EMBEDDER)
    assert len(found.documents) == 3
    assert found.note == "Only the first 3 of 9 documents in what was read."


def test_what_cannot_be_used_has_a_reason() -> None:
    found = preview_files(read_sample([("x.exe", b"MZ"), ("a.txt", b"text")], 1), EMBEDDER)
    assert [item.file for item in found.skipped] == ["x.exe"]
    assert "unknown kind" in found.skipped[0].reason
    assert len(found.documents) == 1
    assert preview_files(read_sample([], 1), EMBEDDER).histogram() == []


def test_sizes_are_checked() -> None:
    assert chunk_sizes(240) == (240, 50)
    assert chunk_sizes(400) == (300, 50)
    assert chunk_sizes(240, 16) == (16, 8)
    assert chunk_sizes(240, 100, 0) == (100, 0)
    for chunk in (15, 241, 1, -1):
        with pytest.raises(InputError, match="from 16 to 240"):
            chunk_sizes(240, chunk)
    for overlap in (-1, 51):
        with pytest.raises(InputError, match="from 0 to 50"):
            chunk_sizes(240, 100, overlap)
    with pytest.raises(InputError, match="from 16 to 240"):
        preview_files(read_sample([("a.txt", b"text")], 1), EMBEDDER, chunk_tokens=1000)
