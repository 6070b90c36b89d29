"""Every format is read with its structure, and what cannot be used is refused with one clear sentence."""

from __future__ import annotations

import struct
import zipfile
from io import BytesIO
from pathlib import Path

import docx
import pytest
from PIL import Image

from core.corpora.documents import Document, display_name
from core.corpora.loaders import LOADERS, load
from core.errors import DocumentError
from tests.cases import cases
from tests.unit.work import little_work

DATA = Path(__file__).parents[2] / "data" / "documents"


def read(name: str, data: bytes) -> Document:
    (document,) = load(name, data, max_mb=25)
    return document


def refusal(name: str, data: bytes, max_mb: int = 25) -> str:
    with pytest.raises(DocumentError) as raised:
        load(name, data, max_mb)
    message = str(raised.value)
    assert f"“{name}”" in message
    return message


def word_document() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Field notes"
    document.add_heading("Birds", 1)
    document.add_paragraph("The wren sings in winter.")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(
        (cell for row in table.rows for cell in row.cells), ("Bird", "Grams", "Wren", "9"), strict=True
    ):
        cell.text = text
    document.add_heading("Trees", 2)
    document.add_paragraph("The oak stands.")
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def archive(**members: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in members.items():
            packed.writestr(name, data)
    return file.getvalue()


def altered(data: bytes, place: int, value: bytes) -> bytes:
    """An archive with other bytes at a place of what its directory says of its last member."""
    place += data.rindex(b"PK\x01\x02")
    return data[:place] + value + data[place + len(value) :]


def announcing(data: bytes, size: int) -> bytes:
    """An archive whose directory says that its last member unpacks to so many bytes."""
    return altered(data, 24, struct.pack("<L", size))


def scanned_pdf() -> bytes:
    file = BytesIO()
    Image.new("L", (200, 100), 200).save(file, "PDF")
    return file.getvalue()


def test_pdf_has_page_numbers() -> None:
    document = read("four.pdf", (DATA / "four-pages.pdf").read_bytes())
    assert len(document.pages) == 4
    assert document.text.startswith("Hello, here is some text without a meaning.")
    assert [document.page_at(offset) for offset in document.pages] == [1, 2, 3, 4]
    assert document.page_at(document.pages[1] - 1) == 1
    assert document.page_at(len(document.text)) == 4


def test_pdf_refusals() -> None:
    data = (DATA / "password.pdf").read_bytes()
    assert "password" in refusal("locked.pdf", data)
    assert "text layer" in refusal("scan.pdf", scanned_pdf())
    whole = (DATA / "four-pages.pdf").read_bytes()
    assert "damaged" in refusal("cut.pdf", whole[:300])


def test_docx_has_headings_and_tables_in_order() -> None:
    document = read("notes.docx", word_document())
    assert document.title == "Field notes"
    assert document.text.split("\n\n") == [
        "Birds",
        "The wren sings in winter.",
        "Bird | Grams\nWren | 9",
        "Trees",
        "The oak stands.",
    ]
    assert document.heading_at(document.text.index("9")) == "Birds"
    assert document.heading_at(document.text.index("oak")) == "Trees"


def test_docx_refusals() -> None:
    assert "not a Word document" in refusal("slides.docx", archive(**{"ppt/presentation.xml": b"<p/>"}))
    # Refused by what is announced: if it were unpacked, it would be damaged.
    assert "150 MB" in refusal("bomb.docx", announcing(archive(**{"word/document.xml": b"x"}), 200 * 2**20))
    assert "damaged" in refusal("cut.docx", word_document()[:700])
    assert "old or encrypted" in refusal("locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 600)


def test_html_keeps_what_is_read() -> None:
    page = (
        "<html><head><title>The  harbour</title><style>p{}</style></head><body><nav>Home</nav>"
        "<h1>Ships <em>at</em> sea</h1><p>One<br>two.</p><script>alert(1)</script><!-- hidden -->"
        "<ul><li>a</li><li>b</li></ul><h2>Docks</h2><div>Caf&eacute; <b>au</b> lait</div>"
        "<img src='http://192.0.2.1/x.png'><footer>Imprint</footer></body></html>"
    )
    document = read("harbour.html", page.encode())
    assert document.title == "The harbour"
    assert document.text.split("\n\n") == ["Ships at sea", "One\ntwo.", "a", "b", "Docks", "Café au lait"]
    assert document.headings == ((0, "Ships at sea"), (document.text.index("Docks"), "Docks"))


def test_html_nested_beyond_the_recursion_limit_is_read() -> None:
    deep = b"<div>" * 20_000 + b"<p>down here</p>" + b"</div>" * 20_000
    assert read("deep.html", deep).text == "down here"


def test_html_declares_its_encoding() -> None:
    page = '<meta charset="euc-kr"><p>검색 증강 생성</p>'.encode("euc-kr")
    assert read("ko.html", page).text == "검색 증강 생성"


def test_markdown_without_front_matter_and_code_is_no_heading() -> None:
    source = (
        "---\ntitle: x\ntags: [a]\n---\n# Sailing\n\nText.\n\n```sh\n# not a heading\n```\n\nKnots\n-----\n"
        "\nA reef knot.\n\n### Closed ###\n"
    )
    document = read("sail.md", source.encode())
    assert document.title == "Sailing"
    assert document.text.startswith("# Sailing")
    assert [text for _, text in document.headings] == ["Sailing", "Knots", "Closed"]
    assert document.heading_at(document.text.index("reef")) == "Knots"
    assert all(text in document.text[offset : offset + 20] for offset, text in document.headings)


def test_markdown_rule_at_the_start_is_no_front_matter() -> None:
    assert "kept" in read("rule.md", b"---\n\nkept\n\n---\n\nrest").text


@cases("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_text_in_any_encoding(encoding: str) -> None:
    text = "Die Möwe fliegt über den Hafen. Ein Schiff läuft ein, und die Glocke läutet dreimal.\n" * 3
    assert read("moewe.txt", text.encode(encoding)).text == text.strip()


def test_japanese_text_in_shift_jis() -> None:
    text = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。" * 5
    assert read("neko.txt", text.encode("cp932")).text == text


def test_csv_rows_become_lines() -> None:
    document = read("birds.csv", b'name;weight\nwren;9\n"owl; barn";300;extra\n\n')
    assert document.text == "name | weight\nname: wren | weight: 9\nname: owl; barn | weight: 300 | extra"
    assert read("birds.tsv", b"name\tsize, cm\nwren\t10\n").text.endswith("name: wren | size, cm: 10")
    assert read("birds.csv", b"sep=|\r\nname|cm\r\nwren|10\r\n").text == "name | cm\nname: wren | cm: 10"


def test_a_field_of_megabytes_is_a_text_of_its_own() -> None:
    field = "fog and more fog\n\n" * 100_000 + "the last word is zephyr"
    data = f'id,title,text\n1,Log,"{field}"\n2,Note,short\n'.encode()
    with little_work():
        first, *_, last = read("log.csv", data).text.split("\n\n")
    assert first == "id | title | text"
    assert last == "id: 2 | title: Note | text: short"
    assert "id: 1 | title: Log | text: fog and more fog\n\nfog" in read("log.csv", data).text


@cases(
    ("name", "data", "said"),
    [
        (
            "log.txt",
            b"The log of the Tern.\0\0\0\nFog until noon, then clear.\n",
            "The log of the Tern.\nFog",
        ),
        ("log.csv", b"Ship,Built\nDun\0lin,1911\n", "Ship: Dunlin | Built: 1911"),
        ("log.md", b"# Log\n\nFog\0 until noon, then clear weather.\0\n", "Fog until noon"),
        ("log.json", b'{"log": "Fog \0until noon, then clear."}', "log: Fog until noon"),
        ("tight.json", b'{"a":"b","c":"\0d","e":"f"}', "c: d"),
        ("log.jsonl", b'{"id": "a", "text": "Fog \0until noon, then clear."}', "Fog until noon"),
        ("log.html", b"<p>Fog\0 until noon, then clear.</p>", "Fog until noon"),
        ("log.xml", b"<log>Fog\0 until noon, then clear.</log>", "Fog until noon"),
        ("far.txt", b"Fog until noon, then clear. " * 5000 + b"\0 end", "then clear.  end"),
        ("m\u00f6we.txt", "Die Möwe\0 fliegt über den Hafen.".encode(), "Die Möwe fliegt"),
    ],
)
def test_stray_nulls_are_dropped(name: str, data: bytes, said: str) -> None:
    assert said in read(name, data).text


def test_jsonl_holds_a_document_a_line() -> None:
    lines = '{"id": "a", "title": "T", "text": "one"}\n\n{"id": 2, "text": "two\\u0000"}\n'
    first, second = load("corpus.jsonl", lines.encode(), 25)
    assert (first.key, first.name, first.title, first.text) == ("a", "corpus.jsonl:a", "T", "one")
    assert (second.key, second.title, second.text) == ("2", "", "two")
    assert first.id != second.id
    assert "line 2" in refusal("x.jsonl", b'{"id": "a", "text": "one"}\n{"id": "a"}')
    assert "line 1" in refusal("x.jsonl", b"[1, 2]")
    assert "line 2 is not JSON" in refusal("x.jsonl", b'{"id": "a", "text": "one"}\n{')
    assert "repeats" in refusal("x.jsonl", b'{"id": "a", "text": "one"}\n{"id": "a", "text": "two"}')


def test_refusals_before_reading() -> None:
    assert "empty" in refusal("empty.txt", b"")
    assert "empty" in refusal("blank.md", b" \n\n")
    assert "holds no text" in refusal("headers-only.csv", b"name;weight\n")
    message = refusal("setup.exe", b"MZ\x90\x00")
    assert all(extension in message for extension in LOADERS)
    assert "1.0 MB; at most 1 MB" in refusal("large.txt", b"a" * (2**20 + 1), max_mb=1)
    assert len(load("fits.txt", b"a " * 2**19, 1)) == 1


@cases(
    ("name", "data"),
    [
        ("image.txt", b"\x89PNG\r\n\x1a\n" + b"\0" * 50),
        ("paper.docx", b"%PDF-1.7 rest"),
        ("paper.txt", b"%PDF-1.7 rest"),
        ("notes.pdf", b"just words"),
        ("notes.pdf", b"PK\x03\x04rest"),
        ("program.md", b"\x7fELF\x02\x01\x01"),
        ("bytes.csv", bytes(range(256)) * 8),
    ],
)
def test_content_must_match_the_extension(name: str, data: bytes) -> None:
    refusal(name, data)


def test_a_large_text_is_read_quickly() -> None:
    with little_work():
        document = read("large.txt", b"All work and no play. " * (25 * 2**20 // 22))
    assert len(document.text) > 20_000_000


def test_lone_surrogates_do_not_reach_the_store() -> None:
    document = load("c.jsonl", b'{"id": "a", "text": "x \\ud800 y"}', 25)[0]
    document.text.encode()


def test_names_are_only_displayed() -> None:
    assert display_name("../../etc/passwd") == "passwd"
    assert display_name("C:\\docs\\a.txt") == "a.txt"
    assert display_name("a\nb\u202etxt.exe") == "a b txt.exe"
    assert display_name("/") == "unnamed"
    assert len(display_name("x" * 500)) == 200
