"""The text of a document by the plainest use of a library each: what a good loader should find, in any order."""

from __future__ import annotations

import email
import email.policy
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import PurePath
from typing import Any

import docx
import openpyxl
import pptx
import pypdfium2
from bs4 import BeautifulSoup

_BOILERPLATE = ["script", "style", "nav", "footer", "head", "noscript", "template", "svg", "iframe", "object"]
_IDEOGRAPH = re.compile(r"([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff])")
_WORD = re.compile(r"[^\W_]+")


def words(text: str) -> Counter[str]:
    """The words of a text and how often each occurs; of Chinese, Japanese and Korean, the characters."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return Counter(_WORD.findall(_IDEOGRAPH.sub(r" \1 ", text)))


def recall(expected: Counter[str], found: Counter[str]) -> float:
    """Share of the expected words that were found, each as often as it is expected."""
    return (expected & found).total() / expected.total() if expected else 1.0


def reference_text(name: str, data: bytes, encoding: str) -> str:
    """The text of a file, by its ending. `encoding` is that of a text file, as the reference set names it.

    Navigation, footers and scripts of web pages are no part of it.
    """
    return _READERS.get(PurePath(name).suffix.lower(), _plain)(data, encoding or "utf-8")


def _plain(data: bytes, encoding: str) -> str:
    return data.decode(encoding.replace("windows-", "cp"), "replace")


def _pdf(data: bytes, _: str) -> str:
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data))


def _docx(data: bytes, _: str) -> str:
    document = docx.Document(BytesIO(data))
    cells = {cell._tc: cell.text for table in document.tables for row in table.rows for cell in row.cells}
    return "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells.values()])


def _pptx(data: bytes, _: str) -> str:
    def texts(shapes: Any) -> Iterator[str]:
        for shape in shapes:
            if hasattr(shape, "shapes"):
                yield from texts(shape.shapes)
            elif getattr(shape, "has_table", False):
                yield from (cell.text for row in shape.table.rows for cell in row.cells)
            elif shape.has_text_frame:
                yield shape.text_frame.text

    return "\n".join(
        text for slide in pptx.Presentation(BytesIO(data)).slides for text in texts(slide.shapes)
    )


def _xlsx(data: bytes, _: str) -> str:
    book = openpyxl.load_workbook(BytesIO(data), data_only=True)
    rows = [row for sheet in book.worksheets for row in sheet.iter_rows(values_only=True)]
    return "\n".join(str(value) for row in rows for value in row if value is not None)


def _html(data: bytes, encoding: str) -> str:
    return _page(_plain(data, encoding))


def _page(text: str) -> str:
    soup = BeautifulSoup(text, "html.parser")
    for tag in soup(_BOILERPLATE):
        tag.decompose()
    return soup.get_text()


def _epub(data: bytes, _: str) -> str:
    with zipfile.ZipFile(BytesIO(data)) as book:
        pages = [path for path in book.namelist() if path.endswith((".xhtml", ".html", ".htm"))]
        return "\n".join(_page(book.read(path).decode()) for path in pages)


def _odt(data: bytes, _: str) -> str:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        content = archive.read("content.xml").decode()
    return BeautifulSoup(content[content.index("<office:body") :], "html.parser").get_text(" ")


def _eml(data: bytes, _: str) -> str:
    message = email.message_from_bytes(data, policy=email.policy.default)
    texts = [part.get_content() for part in message.walk() if part.get_content_type() == "text/plain"]
    return "\n".join([message["Subject"], message["From"], message["To"], *texts])


def _feed(data: bytes, encoding: str) -> str:
    soup = BeautifulSoup(_plain(data, encoding), "xml")
    parts = [tag.get_text() for item in soup.find_all("item") for tag in item.find_all(["title", "encoded"])]
    return "\n".join(map(_page, parts))


_READERS: dict[str, Callable[[bytes, str], str]] = {
    ".pdf": _pdf,
    ".docx": _docx,
    ".pptx": _pptx,
    ".xlsx": _xlsx,
    ".html": _html,
    ".epub": _epub,
    ".odt": _odt,
    ".eml": _eml,
    ".xml": _feed,
}
