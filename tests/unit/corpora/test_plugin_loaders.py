"""A loader that another package brings reads its files as those of the app do; a broken one is named and left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core import plugins as packages
from core.corpora import loaders
from core.corpora.loaders import LOADERS, extensions, load
from core.corpora.parsing import Parsers
from core.errors import DocumentError
from tests.plugins import installed

CODE = """
from core.corpora.documents import TextBuilder

def load_rst(name, data):
    builder = TextBuilder()
    builder.heading("A heading")
    builder.block(data.decode())
    return [builder.build(name, data)]
"""
POINTS = {
    "rag_loupe.loaders": {".rst": "letters:load_rst", ".tex": "letters:missing", ".pdf": "letters:load_rst"}
}


@pytest.fixture(autouse=True)
def letters(tmp_path: Path) -> Iterator[None]:
    loaders.plugins.cache_clear()
    with installed(tmp_path, "letters", CODE, POINTS):
        yield
    loaders.plugins.cache_clear()


def test_its_files_are_read_and_offered() -> None:
    (document,) = load("Notes.RST", b"The ferry was late.", 1)
    assert (document.text, document.headings) == ("A heading\n\nThe ferry was late.", ((0, "A heading"),))
    assert extensions() == [*LOADERS, ".rst"]
    with pytest.raises(DocumentError, match=r"Supported are .*\.rst"):
        load("a.xyz", b"a", 1)


def test_a_broken_one_and_one_for_a_format_of_the_app_are_named_and_left_out() -> None:
    assert list(loaders.plugins()) == [".rst"]
    tex, pdf = sorted(sentence for sentence in packages.problems() if "loader" in sentence)[::-1]
    assert tex.startswith("The loader '.tex' of the package 'letters' is left out: ")
    assert pdf.startswith("The loader '.pdf' of the package 'letters' is left out: ")


@pytest.mark.processes
def test_it_works_in_the_process_that_parses() -> None:
    parsers = Parsers()
    try:
        (document,) = parsers.parse("notes.rst", b"The ferry was late.", 1)
    finally:
        parsers.stop()
    assert document.text == "A heading\n\nThe ferry was late."
