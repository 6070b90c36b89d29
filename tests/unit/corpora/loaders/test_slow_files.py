"""Small files that took a reader a minute, or became gigabytes of text: what is read of them is bounded."""

from __future__ import annotations

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from core.corpora import documents
from core.corpora.loaders.mail import load_eml
from core.corpora.loaders.structured import load_json
from core.corpora.loaders.word import load_docx
from core.corpora.rows import looks_named
from core.errors import DocumentError


def text_of(headers: bytes) -> str:
    (document,) = load_eml("letter.eml", b"From: ann@example.org\n" + headers + b"\n\nThe ship is in.")
    assert document.text.endswith("The ship is in.")
    return document.text


@pytest.mark.parametrize(
    "headers",
    [
        b"To: " + b"bob@example.org, " * 60_000,
        b"To: " + b"(" * 300_000,
        b"Subject: " + b"=?utf-8?q?a?= " * 70_000,
        b"Content-Type: text/plain; " + b"a=b; " * 200_000,
    ],
)
def test_a_header_without_end_is_cut(headers: bytes) -> None:
    assert len(text_of(headers)) < 5000


def test_a_path_is_cut_and_its_last_keys_stay() -> None:
    value: object = {"mast": 1}
    for number in range(90):
        value = {f"{'deck' * 20}{number}": value}
    (document,) = load_json("ship.json", json.dumps(value).encode())
    assert len(document.text) < 500
    assert document.text.startswith("…")
    assert document.text.endswith("deck0.mast: 1")


def test_more_text_than_a_document_may_have_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MOST_CHARACTERS", 1_000_000)
    with pytest.raises(DocumentError, match="more than 1 million characters of text. Split it"):
        load_json("long.json", json.dumps({"a": {"b": ["word"] * 100_000}}).encode())


def test_columns_before_a_row_are_bounded() -> None:
    cell = "<w:tc><w:p><w:r><w:t>mast</w:t></w:r></w:p></w:tc>"
    row = f'<w:tr><w:trPr><w:gridBefore w:val="99999"/></w:trPr>{cell}{cell}</w:tr>'
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr(
            "word/document.xml", f'<w:document xmlns:w="w"><w:tbl>{row}{row}</w:tbl></w:document>'
        )
    (document,) = load_docx("table.docx", file.getvalue())
    assert document.text.count("mast") == 4
    assert len(document.text) < 1000


def test_titles_above_a_table_do_not_hide_its_header() -> None:
    table = [["Ship", "Built", "Port"], ["Dunlin", "1911", "Ternick"], ["Heron", "1925", "Carrick"]]
    assert looks_named([*[["A list of ships"]] * 3, *table])
    assert not looks_named([["A list of ships"]] * 50_000)
