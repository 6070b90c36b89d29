"""Headings of a PDF: the lines that its outline (bookmarks) names; where it has none, short lines in larger letters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, islice
from typing import TYPE_CHECKING

from core.corpora.loaders.pdf_lines import Line
from core.corpora.loaders.pdf_words import plain

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_MOST = 5000
"""Entries of an outline that are looked at."""
_MOST_LINES = 4
"""Of a heading."""
_LARGER = 1.15
"""Size of a heading, at least, in that of the text."""
_LONGEST = 150
"""Characters of a heading in larger letters."""
_SENTENCE = re.compile(r"[.,;:。，；：]$")
_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_a-zA-Z]")
"""What a heading has, and a large first letter or a number has not."""
_NUMBER = re.compile(
    r"(?i)^(?:(?:chapter|section|part|kapitel|teil|chapitre)\s+)?(?:\d+|[ivxlc]+|[a-z])(?:\.\d+)*[.:)]?\s+"
)


def read_outline(document: PdfDocument) -> dict[int, list[str]]:
    """Number of a page, from 0 -> titles of what begins on it, in order."""
    titles: dict[int, list[str]] = defaultdict(list)
    for entry in islice(document.get_toc(), _MOST):
        destination = entry.get_dest()
        page = destination.get_index() if destination else None
        if page is not None and (title := plain(entry.get_title())):
            titles[page].append(title)
    return titles


def mark_headings(stretches: Sequence[Sequence[Line]], titles: Sequence[str]) -> None:
    """Note on a page's lines, which are in reading order, what is a heading.

    A heading may go over several lines, and have a number that the outline leaves out, or the other way round.
    """
    for title in titles:
        wanted = {_letters(title), _letters(_NUMBER.sub("", title))} - {""}
        for stretch in stretches:
            if found := _heading_lines(stretch, wanted):
                for line in found:
                    line.heading = title
                break


def mark_larger(stretch: Sequence[Line], size: float) -> None:
    """Note on lines that stand below each other what is a heading, by their letters: a few lines of one size, larger
    than the text, that are no sentence.

    Args:
        stretch: In reading order.
        size: Of the document's text.
    """
    for larger, found in groupby(stretch, key=lambda line: line.size if line.size >= _LARGER * size else 0):
        lines = list(found)
        text = " ".join(line.text for line in lines)
        if (
            larger
            and len(lines) <= _MOST_LINES
            and len(text) <= _LONGEST
            and all(line.cells == 1 for line in lines)
            and _WORD.search(text)
            and not _SENTENCE.search(text)
        ):
            for line in lines:
                line.heading = text


def _heading_lines(stretch: Sequence[Line], wanted: set[str]) -> Sequence[Line]:
    for start, line in enumerate(stretch):
        if line.heading:
            continue
        for text in {line.text, _NUMBER.sub("", line.text)}:
            letters = _letters(text)
            for end in range(start + 1, start + 1 + _MOST_LINES):
                if letters in wanted:
                    return stretch[start:end]
                if (
                    end >= len(stretch)
                    or not letters
                    or not any(title.startswith(letters) for title in wanted)
                ):
                    break
                letters += _letters(stretch[end].text)
    return ()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
