"""Word, presentations, workbooks, e-books, OpenDocument; encodings; XML that attacks; files written into a text."""

from __future__ import annotations

import json
import zipfile
from datetime import date, datetime
from io import BytesIO
from typing import Any, cast

import openpyxl
import pptx
import pytest
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from core.corpora.loaders import load, spreadsheet
from tests.cases import cases
from tests.unit.corpora.test_loaders import altered, announcing, archive, read, refusal


def blocks(name: str, data: bytes) -> list[str]:
    return read(name, data).text.split("\n\n")


def test_docx_reads_what_word_shows() -> None:
    body = (
        '<w:p><w:pPr><w:pStyle w:val="T1"/></w:pPr><w:r><w:t>Birds</w:t></w:r></w:p>'
        "<w:sdt><w:sdtContent><w:p><w:ins><w:r><w:t>inserted</w:t></w:r></w:ins><w:del><w:r><w:delText>gone"
        "</w:delText></w:r></w:del><w:r><w:tab/><w:t>text</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        "<w:p><w:r><w:t>around</w:t></w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r>"
        "</w:p></w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p>"
        "</w:txbxContent></mc:Fallback></mc:AlternateContent></w:p>"
        "<w:p><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f></w:p>"
        '<w:tbl><w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>May</w:t></w:r></w:p></w:tc>'
        "<w:tc><w:p><w:r><w:t>wren</w:t></w:r></w:p></w:tc></w:tr><w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
        "<w:tc><w:p><w:r><w:t>owl</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    names = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main" xmlns:m="m" xmlns:mc="mc"'  # the strict one
    styles = f'<w:styles {names}><w:style w:styleId="T1"><w:name w:val="heading 1"/></w:style></w:styles>'
    notes = (
        f"<w:footnotes {names}><w:footnote><w:p><w:r><w:t>a note</w:t></w:r></w:p></w:footnote></w:footnotes>"
    )
    data = archive(
        **{
            "word/document.xml": f"<w:document {names}><w:body>{body}</w:body></w:document>".encode(),
            "word/styles.xml": styles.encode(),
            "word/footnotes.xml": notes.encode(),
        }
    )
    document = read("w.docx", data)
    assert document.text.split("\n\n") == [
        "Birds",
        "inserted\ttext",
        "around",
        "box",
        "1/2",
        "May | wren\nMay | owl",
        "a note",
    ]
    assert document.headings == ((0, "Birds"),)


def slides() -> bytes:
    presentation = pptx.Presentation()
    presentation.core_properties.title = "Ducks"
    first = presentation.slides.add_slide(presentation.slide_layouts[1])
    first.shapes.title.text = "Dabbling ducks"
    first.placeholders[1].text = "Mallards\nTeals"
    first.notes_slide.notes_text_frame.text = "Mention the pond."
    second = presentation.slides.add_slide(presentation.slide_layouts[5])
    second.shapes.title.text = "Counts"
    size = [Inches(1)] * 4
    table = second.shapes.add_table(2, 2, *size).table
    for index, text in enumerate(("Year", "Ducks", "2024", "12")):
        table.cell(index // 2, index % 2).text = text
    group = second.shapes.add_group_shape().shapes.add_group_shape()
    group.shapes.add_textbox(*size).text_frame.text = "in a group"
    data = cast("Any", CategoryChartData)()
    data.categories = ["May", "June"]
    data.add_series("Broods", (1.5, 4))
    second.shapes.add_chart(XL_CHART_TYPE.PIE, *size, data)
    file = BytesIO()
    presentation.save(file)
    return file.getvalue()


def test_pptx_slides_are_pages() -> None:
    document = read("ducks.pptx", slides())
    assert document.title == "Ducks"
    assert document.text.split("\n\n") == [
        "Dabbling ducks",
        "Mallards\nTeals",
        "Notes: Mention the pond.",
        "Counts",
        "Year | Ducks\nYear: 2024 | Ducks: 12",
        "in a group",
        "Broods: May 1.5, June 4",
    ]
    assert [text for _, text in document.headings] == ["Dabbling ducks", "Counts"]
    assert document.page_at(document.text.index("pond")) == 1
    assert document.page_at(document.text.index("group")) == 2


def test_a_chart_of_an_unknown_kind_costs_only_itself() -> None:
    file = BytesIO()
    with zipfile.ZipFile(BytesIO(slides())) as whole, zipfile.ZipFile(file, "w") as changed:
        for name in whole.namelist():
            changed.writestr(name, whole.read(name).replace(b"c:pieChart>", b"c:bar3DChart>"))
    found = blocks("ducks.pptx", file.getvalue())
    assert found[:-1] == blocks("ducks.pptx", slides())[:-1]
    assert "Chart" in found[-1]
    assert "cannot be read" in found[-1]


def workbook(*sheets: tuple[str, list[list[Any]]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def test_xlsx_rows_with_the_names_of_their_columns() -> None:
    data = workbook(
        ("Birds", [["Counted in spring"], [], ["Bird", "Day", "Grams"], ["Wren", date(2024, 5, 1), 9.5]]),
        ("Empty", []),
        ("Names", [["first", "last"]]),
        ("Notes", [["one"], ["two"], [datetime(2024, 5, 1, 8, 30)], [3.0], [True], [0.1 + 0.2]]),
    )
    document = read("birds.xlsx", data)
    assert document.text.split("\n\n") == [
        "Birds",
        "Counted in spring",
        "Bird | Day | Grams\nBird: Wren | Day: 2024-05-01 | Grams: 9.5",
        "Names",
        "first | last",
        *("Notes", "one", "two", "2024-05-01 08:30:00", "3", "True", "0.3"),
    ]
    assert [text for _, text in document.headings] == ["Birds", "Names", "Notes"]


def test_titles_above_a_table_are_not_its_columns() -> None:
    assert blocks("t.csv", b"Cups,,\n,,\nTeam,City,Cups\nBlues,STL,1\n") == [
        "Cups",
        "Team | City | Cups\nTeam: Blues | City: STL | Cups: 1",
    ]
    assert blocks("t.csv", b",weight\n0,9\n1,8\n") == ["| weight\n0 | weight: 9\n1 | weight: 8"]
    assert blocks("t.csv", b"text\none\ntwo\n") == ["text", "one", "two"]
    indented = workbook(("S", [["", "Title"], ["", "Bird", "Grams"], ["", "Wren", 9]]))
    assert blocks("t.xlsx", indented) == ["S", "Title", "| Bird | Grams\n| Bird: Wren | Grams: 9"]


def test_xlsx_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheet, "_MAX_ROWS", 100)
    assert "100 rows" in refusal("long.xlsx", workbook(("a", [["x"]] * 101)))
    book = openpyxl.Workbook()
    book.active["A1048576"] = "far down"
    file = BytesIO()
    book.save(file)
    assert "100 rows" in refusal("far.xlsx", file.getvalue())


def book(*, chapters: dict[str, str], spine: list[str], **more: bytes) -> bytes:
    items = "".join(
        f'<item id="{key}" href="text/{key}.xhtml" media-type="application/xhtml+xml"/>' for key in chapters
    )
    references = "".join(f'<itemref idref="{key}"/>' for key in spine)
    members = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": (
            b'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            b'<rootfile full-path="OPS/package.opf"/></rootfiles></container>'
        ),
        "OPS/package.opf": (
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<metadata><dc:title>The pond</dc:title></metadata><manifest>{items}</manifest>"
            f"<spine>{references}</spine></package>"
        ).encode(),
    }
    for key, text in chapters.items():
        page = f"<?xml version='1.0' encoding='utf-8'?><html><head><title/></head><body>{text}</body></html>"
        members[f"OPS/text/{key}.xhtml"] = page.encode()
    return archive(**members, **more)


def test_epub_in_the_order_of_its_spine() -> None:
    chapters = {"b": "<h1>Two</h1><p>Ice.</p>", "a": "<h1>One</h1><p>水</p>", "unused": "<p>no</p>"}
    document = read("pond.epub", book(chapters=chapters, spine=["a", "b", "missing", "a"]))
    assert document.title == "The pond"
    assert document.text.split("\n\n") == ["One", "水", "Two", "Ice."]
    assert document.heading_at(document.text.index("Ice")) == "Two"


def test_epub_refusals() -> None:
    locked = b'<e><CipherReference URI="OPS/text/a.xhtml"/></e>'
    data = book(chapters={"a": "<p>x</p>"}, spine=["a"], **{"META-INF/encryption.xml": locked})
    assert "DRM" in refusal("locked.epub", data)
    assert "not an e-book" in refusal("other.epub", archive(x=b"x"))


def open_document(content: str, **more: bytes) -> bytes:
    xml = (
        '<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b"><office:body><office:text>'
        f"{content}</office:text></office:body></office:document-content>"
    )
    return archive(
        mimetype=b"application/vnd.oasis.opendocument.text", **{"content.xml": xml.encode()}, **more
    )


def test_odt() -> None:
    content = (
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        '<text:h text:outline-level="1">Birds</text:h>\n  <text:p>The <text:span>wren</text:span><text:s text:c="2"/>'
        "sings<text:line-break/>in winter.</text:p><table:table><table:table-row><table:table-cell><text:p>Bird"
        "</text:p></table:table-cell><table:table-cell><text:p>Grams</text:p></table:table-cell></table:table-row>"
        "<table:table-row><table:table-cell><text:p>Wren</text:p></table:table-cell><table:table-cell><text:p>9"
        "</text:p></table:table-cell></table:table-row></table:table><text:p>End.</text:p>"
    )
    meta = b'<m xmlns:dc="d"><dc:title>Field notes</dc:title></m>'
    document = read("notes.odt", open_document(content, **{"meta.xml": meta}))
    assert document.title == "Field notes"
    assert document.text == "Birds\n\nThe wren sings\nin winter.\n\nBird | Grams\nWren | 9\n\nEnd."
    assert document.headings == ((0, "Birds"),)
    manifest = {"META-INF/manifest.xml": b"<m><encryption-data/></m>"}
    assert "password" in refusal("locked.odt", open_document("", **manifest))


ENTITIES = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "yyyy">]><a>&x;&y;</a>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_entities_are_refused_everywhere(encoding: str) -> None:
    attack = ENTITIES.decode().encode(encoding)
    assert "entities" in refusal("a.xml", attack)
    assert "entities" in refusal("a.docx", archive(**{"word/document.xml": attack}))
    assert "entities" in refusal("a.pptx", archive(**{"ppt/presentation.xml": attack}))
    assert "entities" in refusal("a.xlsx", archive(**{"xl/workbook.xml": attack}))
    assert "entities" in refusal("a.odt", archive(**{"content.xml": attack}))
    assert "entities" in refusal("a.epub", archive(**{"META-INF/container.xml": attack}))
    page = b'<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><p>a &x; b</p>'
    assert "root:" not in read("a.html", page).text


@cases("kind", [".docx", ".pptx", ".xlsx", ".odt", ".epub"])
def test_packages_are_checked_before_they_are_unpacked(kind: str) -> None:
    main = {
        ".docx": "word/document.xml",
        ".pptx": "ppt/presentation.xml",
        ".xlsx": "xl/workbook.xml",
        ".odt": "content.xml",
        ".epub": "META-INF/container.xml",
    }[kind]
    whole = archive(**{main: b"x"})
    assert "150 MB" in refusal(f"bomb{kind}", announcing(whole, 160 * 2**20))
    unknown_version, no_text = altered(whole, 6, b"\xff"), altered(altered(whole, 8, b"\0\x08"), 46, b"\xff")
    for damaged in (whole[:-10], unknown_version, no_text):
        assert "is damaged: it cannot be unpacked" in refusal(f"cut{kind}", damaged)
    assert "another format" in refusal(f"other{kind}", archive(x=b"x"))
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as packed:
        packed.writestr(main, b"x")
    assert "unusual" in refusal(f"lzma{kind}", file.getvalue())


@cases(
    ("name", "advice"),
    [
        ("a.doc", ".docx"),
        ("a.xls", ".xlsx"),
        ("a.ppt", ".pptx"),
        ("a.msg", ".eml"),
        ("a.rtf", ".docx"),
        ("a.7z", ".zip"),
    ],
)
def test_old_kinds_are_refused_with_advice(name: str, advice: str) -> None:
    assert advice in refusal(name, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    assert "archive within an archive" in refusal("a.zip", archive(x=b"x"))


@cases(
    ("encodings", "text"),
    [
        ("cp932 euc-jp iso2022_jp", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"),
        ("cp932", "名前,年齢,住所\n佐藤太郎,30,東京"),
        ("euc-kr", "검색 증강 생성은 문서를 찾아 답을 쓰는 방법이다."),
        ("gb18030", "检索增强生成是一种结合搜索与语言模型的方法。"),
        ("big5", "檢索增強生成是一種結合搜尋與語言模型的方法。"),
        ("cp1251 koi8-r", "Поиск и генерация текста с помощью языковой модели."),
        ("cp1252", "Le renard brun préfère les élèves à Noël, ça va où?"),
        ("cp1250", "Zażółć gęślą jaźń, proszę bardzo."),
        ("cp1253", "Η αναζήτηση και η παραγωγή κειμένου."),
        ("cp1255", "חיפוש ויצירה של טקסט"),
        ("cp1256", "في قرية من القرى كان هناك رجل حكيم"),
    ],
)
def test_encodings(encodings: str, text: str) -> None:
    wide = "utf-8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 utf-32-le utf-32-be"
    for encoding in [*encodings.split(), *wide.split()]:
        for times in (1, 30):
            expected = "\n".join([text] * times)
            assert read("a.txt", expected.encode(encoding)).text == expected, encoding


def test_a_page_that_declares_a_wrong_encoding() -> None:
    page = '<meta charset="utf-8"><p>Поиск и генерация текста с помощью языковой модели.</p>'
    assert "генерация" in load("a.html", page.encode("cp1251"), 25)[0].text
    assert "генерация" in load("a.html", page.replace("utf-8", "latin-1").encode(), 25)[0].text


BASE64 = "QUJD" * 5000


@cases(
    ("name", "source", "text"),
    [
        ("m.md", f'A ![Chart](data:image/png;base64,{BASE64} "the bay") b', "A ![Chart] b"),
        ("m.md", f"A ![Chart][i] b\n\n[i]: <data:image/png;base64,{BASE64}>\n", "A ![Chart][i] b"),
        ("m.md", f'<img alt="Chart" src="data:image/png;base64,{BASE64}">', '<img alt="Chart" src="data:…">'),
        (
            "m.md",
            f"```css\na: url(data:font/woff2;charset=utf-8;base64,{BASE64});\n```",
            "```css\na: url(data:…);\n```",
        ),
        (
            "t.txt",
            "A data:image/png;base64,\n" + f"{'QUJD' * 19}\n" * 400 + "QUI=\nThe words go on.",
            "A data:…\nThe words go on.",
        ),
        ("t.txt", f"A data:image/svg+xml,%3Csvg{'%20' * 90} b", "A data:… b"),
        (
            "t.txt",
            "Begin it with data:image/png;base64, and go on.",
            "Begin it with data:image/png;base64, and go on.",
        ),
        ("t.csv", f'name,image\nTern,"data:image/png;base64,{BASE64}"\n', "name: Tern | image: data:…"),
        ("t.json", json.dumps({"image": f"data:image/png;base64,{BASE64}"}), "image: data:…"),
        ("t.jsonl", json.dumps({"id": "a", "text": f"A data:;base64,{BASE64} b"}), "A data:… b"),
        ("t.html", f"<pre>a: url(data:image/png;base64,{BASE64})</pre>", "a: url(data:…)"),
        (
            "t.ipynb",
            json.dumps(
                {"cells": [{"cell_type": "markdown", "source": f"![Chart](data:image/png;base64,{BASE64})"}]}
            ),
            "![Chart]",
        ),
    ],
)
def test_files_written_into_a_text_are_left_out(name: str, source: str, text: str) -> None:
    found = read(name, source.encode()).text.replace("name | image\n\n", "").replace("name | image\n", "")
    assert found == text
