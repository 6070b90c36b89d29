"""The text of a document comes back from its chunks, equal but for the kind of white space between them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.corpora.documents import Document, TextBuilder
from core.corpora.entries import DocumentEntry
from core.corpora.loaders import load
from core.corpora.reindexing import rebuild
from core.corpora.splitting import Splitter
from core.models.embeddings import builtin_tokenizer

TOKENIZER = builtin_tokenizer()
SENTENCES = {
    "English": "The ship left the harbour at dawn. Nobody saw it go. ",
    "Japanese": "検索拡張生成は言語モデルに知識を与える。質問は検索器に送られる。",
    "Korean": "검색 증강 생성은 언어 모델에 지식을 준다. 질문은 먼저 검색기로 간다. ",
    "endless": "x" * 900,
}
EXAMPLES = Path(__file__).parents[2] / "data" / "documents"


def again(source: Document, chunk: int, overlap: int) -> Document:
    passages = list(Splitter(TOKENIZER, 240, chunk, overlap).split(source))
    entry = DocumentEntry(
        id=source.id, name=source.name, title=source.title, key=source.key, ready=True, chunks=len(passages),
        characters=len(source.text), created=datetime.now(UTC),
    )  # fmt: skip
    return rebuild(entry, reversed(passages))


def same(made: Document, source: Document) -> None:
    assert len(made.text) == len(source.text)
    different = [(a, b) for a, b in zip(made.text, source.text, strict=True) if a != b]
    assert all(a.isspace() and b.isspace() for a, b in different)
    assert (made.id, made.name, made.title, made.key) == (source.id, source.name, source.title, source.key)


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize(("chunk", "overlap"), [(16, 8), (60, 0), (100, 50), (240, 50)])
def test_text(language: str, chunk: int, overlap: int) -> None:
    text = "\n\n\n".join([SENTENCES[language] * 5, "  " + SENTENCES[language], SENTENCES[language] * 9])
    source = Document(id="0" * 16, name="a.txt", title="A", text=text + "\n ", key="k")
    same(again(source, chunk, overlap), source)


def test_pages_and_headings() -> None:
    builder = TextBuilder()
    builder.block("Preface before any heading.")
    for page in range(5):
        builder.page()
        if page != 2:
            builder.heading(f"Chapter {page + 1}")
            builder.block(SENTENCES["English"] * 20)
    source = builder.build("book.pdf", b"x")
    made = again(source, 60, 0)
    same(made, source)
    assert len(made.pages) == len(source.pages)
    for passage in Splitter(TOKENIZER, 240, 60, 0).split(source):
        assert made.page_at(passage.start) == passage.page
        assert made.heading_at(passage.start) == passage.heading


@pytest.mark.parametrize("name", ["README.md", "four-pages.pdf"])
def test_files(name: str) -> None:
    for source in load(name, (EXAMPLES / name).read_bytes(), 25):
        same(again(source, 100, 20), source)
