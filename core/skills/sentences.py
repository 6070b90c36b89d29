"""Cutting text into sentences, in any language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from core.corpora.rows import row_cells
from core.corpora.sentence_spans import language as language
from core.corpora.sentence_spans import segments, without_false_borders

_CLAUSE = re.compile(r"(\A\s*|(?<=[.!?;:]\s))\(([^\W_]{1,4})\)(?=\s)")
"""The number of a clause, such as “(2)”: splitters take what begins with it for one parenthesis to its end."""
_LINE_END = re.compile(r"(?<![^\S\n])[^\S\n]*\n\s*")
_BROKEN = 20
"""Characters of a line that may be a broken one; those of lists and verses are mostly shorter."""
_ENDED = re.compile(r"[.!?…。！？:;|][)\]\"'”’]{0,3}\Z")
_ITEM = re.compile(r"[^:\n|]{1,40}[:|]|\w{1,2}[.)]\s")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_FOREIGN = 0.3
"""Share of letters outside the Latin script from which a text counts as not English."""


def not_latin(text: str) -> bool:
    """True if a text is written in another script than the Latin one: certainly not in English."""
    letters = [char for char in text if char.isalpha()]
    others = sum(not unicodedata.name(char, "").startswith("LATIN") for char in letters)
    return others > _FOREIGN * len(letters)


def sentences(text: str) -> list[str]:
    """The sentences of a text in order, trimmed, none empty; a line's end within one is a blank, and a row
    of a table with names of columns is one."""
    return [_LINE_END.sub(" ", text[start:end]) for start, end in _spans(text)]


def sentence_at(text: str, start: int) -> str:
    """The sentence of a text that holds the character at `start`; the whole line where none does."""
    for begin, end in _spans(text):
        if begin <= start < end:
            return _LINE_END.sub(" ", text[begin:end])
    return text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0].strip()


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end, without the white space around them: at the latest with their line, unless they
    go on in the next."""
    at, last = 0, (0, 0)
    for line in without_false_borders(text).splitlines(keepends=True):
        for part in [line] if row_cells(line) else segments(_CLAUSE.sub(r"\1N\2N", line)):
            bare = part.strip()
            if bare:
                start = at + part.index(bare)
                if not _goes_on(text, last, start):
                    if last[1]:
                        yield last
                    last = start, start
                last = last[0], start + len(bare)
            at += len(part)
    if last[1]:
        yield last


def _goes_on(text: str, last: tuple[int, int], start: int) -> bool:
    """True if a sentence goes on in the next line, although no margin broke it: in lower case, and not as a field of a
    record or another item of a list does."""
    return (
        last[1] - text.rfind("\n", 0, last[1]) > _BROKEN
        and text[start].islower()
        and text[last[1] : start].count("\n") == 1
        and not _ENDED.search(text, last[0], last[1])
        and not _ITEM.match(text, start)
    )


def copied_sentences(text: str, *names: str) -> list[str]:
    """The sentences of a text that can be copied as an answer or a thought. A heading states nothing: a line that is
    one in Markdown, or that only repeats one of the names of a passage (its title, the heading above it)."""
    bare = {" ".join(name.casefold().split()) for name in names}
    return sentences(
        "\n".join(
            line
            for line in text.splitlines()
            if not (_HEADING.match(line) or (line.strip() and " ".join(line.casefold().split()) in bare))
        )
    )
