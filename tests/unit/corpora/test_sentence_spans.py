"""Where sentences begin and end: nothing is lost or cut in two; headings and rows stay with what they say."""

from __future__ import annotations

import pytest

from core.corpora.demo import DEMOS, WORLD
from core.corpora.documents import Document
from core.corpora.parsed import read_parsed
from core.corpora.sentence_spans import sentence_spans
from core.corpora.splitting import SENTENCES, Splitter, chunk_size, chunk_sizes
from core.errors import InputError
from core.models.builtin_embeddings import builtin_tokenizer
from core.trace.passages import Passage
from tests.unit.corpora.test_borders import TEXTS, wrapped


def cut(text: str, *headings: str) -> list[str]:
    places = [text.index(heading) for heading in headings]
    return [text[start:end] for start, end in sentence_spans(text, places)]


def split(document: Document) -> list[Passage]:
    return list(Splitter(builtin_tokenizer(), 240, SENTENCES, 0).split(document))


SENTENCES_OF = {"en": 3, "ko": 5, "ja": 5, "zh": 5}


@pytest.mark.parametrize("language", TEXTS)
def test_sentences_of_every_language_however_they_are_wrapped(language: str) -> None:
    text = TEXTS[language].strip()
    found = cut(text)
    assert len(found) == SENTENCES_OF[language]
    # A margin parts words and not sentences.
    assert ["".join(one.split()) for one in cut(wrapped(text))] == ["".join(one.split()) for one in found]


def test_abbreviations_end_no_sentence() -> None:
    assert cut("Mr. Smith met Prof. Jones at 5 p.m. in Ansel. He left.") == [
        "Mr. Smith met Prof. Jones at 5 p.m. in Ansel.",
        "He left.",
    ]


def test_a_heading_goes_with_the_sentence_below_it() -> None:
    text = "The Yard\n\nHistory\n\nIt was built in 1802. It burned.\n\nStaff\n\nNobody works there."
    wanted = ["The Yard\n\nHistory\n\nIt was built in 1802.", "It burned.", "Staff\n\nNobody works there."]
    assert cut(text, "The Yard", "History", "Staff") == wanted
    assert cut(text) == wanted  # lines that stand alone like headings, where the format has none


def test_a_heading_that_nothing_follows() -> None:
    assert cut("It burned.\n\nStaff", "Staff") == ["It burned.", "Staff"]
    assert cut("# Staff\n", "# Staff") == ["# Staff"]


def test_rows_and_fields_and_items_go_together() -> None:
    record = "parish: Tollerby\npopulation: 9,600\nhouseholds: 4,020"
    assert cut(f"{record}\n\n{record}") == [record, record]
    table = "| name | from |\n|---|---|\n" + "\n".join(
        f"| Somebody {one} | {1900 + one} |" for one in range(40)
    )
    rows = cut(table)
    assert rows[0].startswith("| name")
    assert 5 < len(rows) < 20
    assert all(row.count("|") % 3 == 0 for row in rows[1:])


def test_marks_and_numbers_stand_with_a_sentence() -> None:
    assert cut("He said: “Go!”\n”\n---\n1. Buy milk.\n2. Buy bread.") == [
        "He said: “Go!”\n”\n---",
        "1. Buy milk.",
        "2. Buy bread.",
    ]


@pytest.mark.parametrize("text", ["", " \n\n ", "---", "…", "\n", "1", "(", "a\n\n" * 300, "x" * 5000])
def test_odd_texts(text: str) -> None:
    found = list(sentence_spans(text))
    assert "".join("".join(text[start:end].split()) for start, end in found) == "".join(text.split())
    assert all(text[start:end].strip() == text[start:end] for start, end in found)


@pytest.mark.parametrize("folder", [demo.folder for demo in DEMOS])
def test_chunks_of_documents_lose_nothing_but_white_space(folder: str) -> None:
    for document in read_parsed(WORLD / "parsed.jsonl", folder):
        text, reached = document.text, 0
        chunks = split(document)
        for place, chunk in enumerate(chunks):
            assert (chunk.position, chunk.text) == (place, text[chunk.start : chunk.end])
            assert not text[reached : chunk.start].strip()
            reached = chunk.end
        assert not text[reached:].strip()
        assert max(len(builtin_tokenizer().encode(chunk.text).ids) for chunk in chunks) <= 240


def test_a_sentence_that_is_too_long_for_the_model_is_cut() -> None:
    text = "He went on and on " * 100 + "to the end. He stopped."
    chunks = split(Document("d", "d.txt", "", text))
    assert len(chunks) > 2
    assert chunks[-1].text == "He stopped."


def test_sizes() -> None:
    assert chunk_sizes(240, SENTENCES) == (SENTENCES, 0) == chunk_sizes(240, SENTENCES, 0)
    with pytest.raises(InputError, match="share nothing"):
        chunk_sizes(240, SENTENCES, 10)
    assert (chunk_size("sentences"), chunk_size("64")) == (SENTENCES, 64)
    with pytest.raises(ValueError, match="invalid literal"):
        chunk_size("words")
