"""Cutting text into sentences, in any language, and finding the sentence that carries a statement."""

from __future__ import annotations

import re
import unicodedata

import sentencex

from core.corpora.rows import row_cells
from core.corpora.sentence_spans import language as language
from core.retrieval.tokens import tokens

_HEADING = re.compile(r" {0,3}#{1,6}\s")
_FOREIGN = 0.3
"""Share of letters outside the Latin script from which a text counts as not English."""


def not_latin(text: str) -> bool:
    """Whether a text is written in another script than the Latin one: certainly not in English."""
    letters = [char for char in text if char.isalpha()]
    others = sum(not unicodedata.name(char, "").startswith("LATIN") for char in letters)
    return others > _FOREIGN * len(letters)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, trimmed, none empty. A row of a table with names of columns is one."""
    return [
        part
        for line in text.splitlines()
        for part in map(str.strip, [line] if row_cells(line) else sentencex.segment(language(line), line))
        if part
    ]


def sentence_at(text: str, start: int) -> str:
    """The sentence of a text that holds the character at `start`; the whole line where none does."""
    place = 0
    for sentence in sentences(text):
        place = text.index(sentence, place)
        if place <= start < place + len(sentence):
            return sentence
        place += len(sentence)
    return text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0].strip()


def copied_sentences(text: str) -> list[str]:
    """The sentences of a text that can be copied as an answer or a thought; a heading of Markdown states nothing."""
    return sentences("\n".join(line for line in text.splitlines() if not _HEADING.match(line)))


def best_match(statement: str, text: str) -> str:
    """The sentence of `text` that shares most words with a statement (F1 over word stems); empty if none does.

    Lexical on purpose: it costs no model call and anyone can check it by eye.
    """
    wanted = set(tokens(statement))

    def overlap(sentence: str) -> float:
        found = set(tokens(sentence))
        shared = len(wanted & found)
        return 2 * shared / (len(wanted) + len(found)) if shared else 0.0

    scored = [(overlap(sentence), -index, sentence) for index, sentence in enumerate(sentences(text))]
    score, _, sentence = max(scored, default=(0.0, 0, ""))
    return sentence if score > 0 else ""
