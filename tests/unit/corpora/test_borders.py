"""Lines that a margin broke are put together again, and nothing else; the text's length never changes."""

from __future__ import annotations

import textwrap

import pytest

from core.corpora.documents import Document
from core.corpora.sentence_spans import without_false_borders as borders
from core.corpora.splitting import Splitter
from core.models.builtin_embeddings import builtin_tokenizer
from tests.unit.work import little_work

TEXTS = {
    "en": "The ship left the harbour at dawn, although nobody had expected it to. Nobody saw it go. "
    "The bell rang twice, as it always did when the fog came in. ",
    "ko": "그는 “이제 가자.”라고 말했다. 갑자기 비가 왔다! 왜 그랬을까? 연구소는 1998. 3. 5. 처음 문을 열었다. "
    "서울은 한강을 끼고 발달한 도시이며 조선의 수도였다. ",
    "ja": "彼は「もう行くよ。」と言った。それから雨が降った！なぜだろう？東京は江戸と呼ばれていた。"
    "人口は約1,400万人で、面積は2.2千平方キロメートルである。",
    "zh": "他说我们走吧。然后下雨了！为什么呢？北京是中国的首都，历史悠久。"
    "长城全长约2.1万公里；它始建于春秋战国时期。",
}
"""Sentences that hold full stops which end none."""


def wrapped(text: str, width: int = 40) -> str:
    if text.isascii() or " " in text:
        return "\n".join(textwrap.wrap(text, width))
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


@pytest.mark.parametrize("layout", ["one line", "paragraphs", "wrapped"])
@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize(("size", "overlap"), [(80, 0), (80, 16), (240, 40)])
def test_chunks_end_at_sentences(language: str, layout: str, size: int, overlap: int) -> None:
    text = {
        "one line": TEXTS[language] * 12,
        "paragraphs": "\n\n".join([TEXTS[language].strip()] * 12),
        "wrapped": wrapped(TEXTS[language] * 12),
    }[layout].strip()
    source = Document(id="0" * 16, name="a.txt", title="", text=text)
    chunks = list(Splitter(builtin_tokenizer(), 240, size, overlap).split(source))
    assert len(chunks) >= 2
    for chunk in chunks:
        assert text[chunk.start : chunk.end] == chunk.text
        assert chunk.text[-1] in ".!?。！？", chunk.text[-20:]
        assert not text[chunk.end :].lstrip().startswith(("라고", "と言", "3. 5", "5. 처"))


@pytest.mark.parametrize(
    "text",
    [
        "# Heading\n\nOne line.\n\nAnother one.",
        "- the first item of a list.\n- the second item of a list.\n- the third item of a list.",
        "1. the first item of a list.\n2. the second item of a list.\n3) the third item of a list.",
        "| a table with cells | a |\n| a table with cells | b |\n| a table with cells | c |",
        "name: The ship Ada\nyear: nineteen hundred\nport: a large one\nflag: white and blue",
        "roses are red.\nviolets are\nblue. so are\nyou.",
        "1,000 m. 3 ships. In 1998. Three men came.",
        "",
        "\n \n",
    ],
)
def test_what_is_left_alone(text: str) -> None:
    assert borders(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "a\n" * 100_000,
        " \n" * 100_000,
        "." * 200_000,
        "1998. " * 30_000,
        "。」" * 90_000,
        "\t \t" * 60_000 + "\n",
    ],
)
def test_no_text_takes_long(text: str) -> None:
    with little_work():
        assert len(borders(text)) == len(text)
