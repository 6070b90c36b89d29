"""Chunks are exact spans, fit the model, end at sentences, and know their page and heading."""

from __future__ import annotations

from itertools import pairwise

import pytest
import regex

from core.corpora import splitting
from core.corpora.documents import Document, TextBuilder
from core.corpora.sentence_spans import without_false_borders
from core.corpora.splitting import Splitter, embedded_text, fitting_text, short_title
from core.models.embeddings import builtin_tokenizer
from core.trace.passages import ChunkContext, Passage

TOKENIZER = builtin_tokenizer()
ENGLISH = "The ship left the harbour at dawn. Nobody saw it go. The bell rang twice, as it always did. "
JAPANESE = (
    "人工知能は計算機科学の一分野である。検索拡張生成は言語モデルに知識を与える。質問は検索器に送られる。"
)
CHINESE = "人工智能是计算机科学的一个分支。检索增强生成为语言模型提供外部知识。问题首先被送到检索器。"
KOREAN = "인공지능은 컴퓨터 과학의 한 분야이다. 검색 증강 생성은 언어 모델에 지식을 준다. 질문은 먼저 검색기로 간다. "


def document(text: str, title: str = "") -> Document:
    return Document(id="0123456789abcdef", name="file.txt", title=title, text=text)


def tokens(text: str) -> int:
    return len(TOKENIZER.encode(text).ids)


def split(source: Document, chunk_tokens: int = 300, overlap: int = 50, most: int = 240) -> list[Passage]:
    chunks = list(Splitter(TOKENIZER, most, chunk_tokens, overlap).split(source))
    for position, chunk in enumerate(chunks):
        assert chunk.position == position
        assert chunk.chunk == f"{source.id}-{position}"
        assert source.text[chunk.start : chunk.end] == chunk.text
        title = short_title(source.title, TOKENIZER, most)
        assert tokens(embedded_text(title, chunk.text)) <= most
    return chunks


@pytest.mark.parametrize("text", [ENGLISH, JAPANESE, CHINESE, KOREAN])
def test_chunks_end_at_sentences_and_cover_the_text(text: str) -> None:
    chunks = split(document(text * 12), chunk_tokens=80, overlap=0)
    assert len(chunks) > 3
    assert all(chunk.text[-1] in ".。" for chunk in chunks)
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join((text * 12).split())


@pytest.mark.parametrize("text", [ENGLISH, JAPANESE])
def test_chunks_overlap(text: str) -> None:
    chunks = split(document(text * 12), chunk_tokens=100, overlap=50)
    shared = [before.end - after.start for before, after in pairwise(chunks)]
    assert min(shared) > 0
    assert all(tokens(after.text[:size]) <= 52 for size, after in zip(shared, chunks[1:], strict=True))


def test_the_model_limits_the_size() -> None:
    sizes = [tokens(chunk.text) for chunk in split(document(ENGLISH * 60), chunk_tokens=1000)]
    assert 180 < max(sizes) <= 240


def test_paragraphs_are_kept_together() -> None:
    paragraphs = [f"{number}. {ENGLISH.strip()}" for number in range(8)]
    chunks = split(document("\n\n".join(paragraphs)), chunk_tokens=60, overlap=0)
    assert all("\n\n" not in chunk.text or chunk.text in "\n\n".join(paragraphs) for chunk in chunks)
    assert chunks[0].text.split("\n\n")[0] == paragraphs[0]
    assert all(chunk.text[0].isdigit() for chunk in chunks)


def test_a_title_leaves_room_and_is_not_in_the_text() -> None:
    chunks = split(document(ENGLISH * 40, title="The harbour " * 200))
    assert len(chunks) > 2
    assert all("The harbour " not in chunk.text for chunk in chunks)
    assert chunks[0].title.startswith("The harbour")


def test_a_document_without_title_shows_its_name() -> None:
    assert split(document(ENGLISH))[0].title == "file.txt"


def test_page_and_heading_of_each_chunk() -> None:
    builder = TextBuilder()
    builder.block("Preface before any heading.")
    for page in range(3):
        builder.page()
        builder.heading(f"Chapter {page + 1}")
        builder.block(ENGLISH * 8)
    book = builder.build("book.pdf", b"x")
    chunks = split(book, chunk_tokens=60, overlap=0)
    assert (chunks[0].page, chunks[0].heading) == (None, "")
    begins = [book.text.index(f"Chapter {number}") for number in (1, 2, 3)]
    for number, begin, end in zip((1, 2, 3), begins, [*begins[1:], len(book.text)], strict=True):
        inside = [chunk for chunk in chunks if begin <= chunk.start and chunk.end <= end]
        assert len(inside) >= 2
        assert {(chunk.page, chunk.heading) for chunk in inside} == {(number, f"Chapter {number}")}


def test_an_endless_word_is_cut() -> None:
    chunks = split(document("x" * 60_000))
    assert all(len(chunk.text) <= 240 * 20 for chunk in chunks)
    assert sum(len(chunk.text) for chunk in chunks) == 60_000


@pytest.mark.parametrize(
    "character",
    [
        *(
            "👩\u200d👩\u200d👧\u200d👦",
            "🇩🇪",
            "👍🏽",
            "❤\ufe0f",
            "1\ufe0f\u20e3",
            "e\u0303\u0308",
            "a" + "\u0301" * 30,
        ),
        *("\u1100\u1161\u11a8", "क\u094dषि", "நி", "กำ"),
    ],
)
@pytest.mark.parametrize("size", [0, 16, 64])
def test_no_chunk_begins_within_what_is_seen_as_one_character(character: str, size: int) -> None:
    text = character * (6000 // len(character)) + "\n" + f"word {character} " * 20
    borders = {0, len(text)} | {found.end() for found in regex.finditer(r"\X", text)}
    chunks = split(document(text), chunk_tokens=size, overlap=0)
    assert len(chunks) > 1
    assert {chunk.start for chunk in chunks} <= borders
    assert {chunk.end for chunk in chunks} <= borders


def test_a_section_of_a_text_without_blanks_ends_with_a_whole_character(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(splitting, "_SECTION", 1001)
    text = "xe\u0303\u0308" * 1000
    assert all(chunk.text[0] in "xe" for chunk in split(document(text), overlap=0))
    assert sum(len(chunk.text) for chunk in split(document("e" + "\u0303" * 9000), overlap=0)) == 9001


@pytest.mark.parametrize("glue", ["\n\n", "\n", " "])
def test_long_texts_are_split_in_sections_without_loss(glue: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is looked at together is bounded, so that a text twice as long takes twice the time."""
    sections: list[int] = []

    def noted(section: str) -> str:
        sections.append(len(section))
        return without_false_borders(section)

    monkeypatch.setattr(splitting, "_SECTION", 10_000)
    monkeypatch.setattr(splitting, "without_false_borders", noted)
    text = glue.join([ENGLISH.strip()] * 500)
    chunks = [(chunk.start, chunk.end) for chunk in Splitter(TOKENIZER, 240, 240, 0).split(document(text))]
    assert chunks[0][0] == 0
    assert all(text[start:end].strip() for start, end in chunks)
    covered = "".join(text[start:end] for start, end in chunks)
    assert "".join(covered.split()) == "".join(text.split())
    assert max(sections) <= 10_000
    assert sum(sections) == len(text)
    assert len(sections) <= 2 * len(text) / 10_000 + 1


def test_no_chunk_ends_with_the_heading_of_the_next() -> None:
    builder = TextBuilder()
    for number in range(6):
        builder.heading(f"Part {number}")
        builder.block(ENGLISH * (2 + number % 4))
    source = builder.build("file.txt", b"")
    chunks = split(source, chunk_tokens=80, overlap=0)
    assert len(chunks) > 6
    assert not [chunk.text for chunk in chunks if chunk.text.rstrip().split("\n")[-1].startswith("Part")]
    assert [chunk.heading for chunk in chunks] == sorted(chunk.heading for chunk in chunks)


@pytest.mark.parametrize("overlap", [0, 20])
def test_no_chunk_is_headings_alone(overlap: int) -> None:
    builder = TextBuilder()
    builder.heading("The harbour of Port Ansel")
    for number in range(4):
        builder.heading(f"Part {number}")
        builder.heading(f"Section {number}.1")
        for _ in range(3):
            builder.block(ENGLISH * 2)
    source = builder.build("file.txt", b"")
    chunks = split(source, chunk_tokens=80, overlap=overlap)
    assert len(chunks) > 8
    assert all("." in chunk.text.replace(".1", "") for chunk in chunks)
    assert chunks[0].text.startswith("The harbour of Port Ansel\n\nPart 0\n\nSection 0.1")
    assert {chunk.heading for chunk in chunks} == {f"Section {number}.1" for number in range(4)}
    assert all(source.text[chunk.start : chunk.end] == chunk.text for chunk in chunks)


def test_headings_without_any_text_are_cut_between_them() -> None:
    builder = TextBuilder()
    for number in range(60):
        builder.heading(f"Slide number {number} of many")
    chunks = split(builder.build("file.txt", b""), chunk_tokens=40, overlap=0)
    assert len(chunks) > 5
    assert all(chunk.text.startswith("Slide") and chunk.text.rstrip().endswith("many") for chunk in chunks)
    assert all(chunk.text.startswith(chunk.heading) for chunk in chunks[:-1])


@pytest.mark.parametrize("words", [0, 5, 60, 400])
def test_a_context_takes_what_room_title_and_text_leave(words: int) -> None:
    context = " ".join(["violin"] * words)
    for chunk in split(document(ENGLISH * 30, "The port")):
        own = chunk.model_copy(update={"indexed_with": ChunkContext(text=context, model="m")})
        whole = fitting_text("The port", own, TOKENIZER, 240)
        assert tokens(whole) <= 240
        assert whole.startswith("The port\n\n")
        assert whole.endswith(chunk.text)
        room = 240 - tokens(embedded_text("The port", chunk.text))
        assert whole.count("violin") == min(words, room)
    assert fitting_text("The port", chunk, TOKENIZER, 240) == embedded_text("The port", chunk.text)
