"""Which files are indexed, in which order, and under which name."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.corpora.sources import expand
from core.errors import DocumentError, InputError


def test_folders_are_walked_in_order_without_hidden_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".hidden.txt", "sub/c.txt", ".git/d.txt", "sub/.e.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    files = expand([tmp_path, ("../up/load.md", b"# x"), tmp_path / "b.txt"])
    assert [file.name for file in files] == ["a.txt", "b.txt", "sub/c.txt", "up/load.md", "b.txt"]
    assert files[2].read(1) == b"sub/c.txt"


def test_beside_a_corpus_file_nothing_else_is_a_document(tmp_path: Path) -> None:
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv", "README.md"):
        (tmp_path / name).write_text("x")
    assert [file.name for file in expand([tmp_path])] == ["corpus.jsonl"]


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file or folder"):
        expand([tmp_path / "missing"])


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.truncate(2 * 2**20)
    (file_,) = expand([path])
    with pytest.raises(DocumentError, match="at most 1 MB"):
        file_.read(1)
