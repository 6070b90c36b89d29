"""Paragraphs from lines: text that flows on, over the ends of lines, columns and pages."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from core.corpora.loaders.pdf_lines import Line
from core.corpora.loaders.pdf_words import Words, is_right_to_left

_OTHER_SIZE = 0.12
"""Difference from which on two lines are of different sizes."""
_NOTE = 0.93
"""Size of a footnote, at most, in that of the text."""
_LEADING = 1.35
"""Distance of two lines of a paragraph, at most, in the usual distance."""
_INDENT = 0.8
"""Of a paragraph's first line, at least, in the size of the text."""
_END = re.compile(r"[.!?:;…。！？؟।]['\"”’»)\]]*$")
_BULLET = re.compile(r"[•‣▪▫●○◦■□➢✓*] ")
_LABEL = re.compile(r"(?:[-–—]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]|\[\d{1,3}\]) ")
_SMALL = re.compile(r"[(\[\"“„‘'«]*[^\W\d_]")


_FULL_LINE = 30
"""Characters of a line that may be full. In what has shorter ones, such as an address, lines end where they should."""


@dataclass
class Paragraph:
    """Lines that belong together, each with the number of its page."""

    lines: list[tuple[int, Line]] = field(default_factory=list)
    broken: set[int] = field(default_factory=set)
    """Numbers of the lines that begin a new line in the text, too: rows, items, verses."""

    @property
    def size(self) -> float:
        return self.lines[-1][1].size

    @property
    def heading(self) -> str:
        return self.lines[0][1].heading

    def text(self, words: Words) -> tuple[str, list[tuple[int, int]]]:
        """Return its text; and number and offset of each page that begins in it."""
        page, first = self.lines[0]
        text, pages = first.text, list[tuple[int, int]]()
        for index, (number, line) in enumerate(self.lines[1:], 1):
            text = f"{text}\n" if index in self.broken else words.opened(text, line.text)
            if number != page:
                pages += [(between, len(text)) for between in range(page + 1, number + 1)]
                page = number
            text += line.text
        return text, pages


def paragraphs(
    stretches: Sequence[Sequence[Line]], page: int, size: float
) -> tuple[list[Paragraph], list[Paragraph]]:
    """Return the paragraphs of a page, and its notes, which stand below the text in smaller letters.

    The stretches are lines in reading order, those that stand below each other together; `size` is that of the
    document's text.
    """
    body: list[Paragraph] = []
    notes: list[Paragraph] = []
    for stretch in stretches:
        end = len(stretch)
        while end and stretch[end - 1].size <= _NOTE * size:
            end -= 1
        if end or body:
            notes += _in_column(stretch[end:], page)
        else:
            end = len(stretch)
        for index, paragraph in enumerate(_in_column(stretch[:end], page)):
            if index == 0 and body and continues(body[-1], paragraph):
                join(body[-1], paragraph)
            else:
                body.append(paragraph)
    return body, notes


def join(paragraph: Paragraph, continuation: Paragraph) -> None:
    """Put a paragraph's lines behind those of the one that it continues."""
    paragraph.broken |= {index + len(paragraph.lines) for index in continuation.broken}
    paragraph.lines += continuation.lines


def continues(before: Paragraph, after: Paragraph) -> bool:
    """Return True if a paragraph at the top of a column or page goes on with a sentence of the one before."""
    last, first = before.lines[-1][1], after.lines[0][1]
    if last.cells > 1 or first.cells > 1 or before.heading or after.heading or _other_size(last, first):
        return False
    if _END.search(last.text) or _BULLET.match(first.text) or _LABEL.match(first.text):
        return False
    if _is_small(first.text):
        return True
    flowing = len(before.lines) - 1 not in before.broken and len(before.lines) > 1
    open_end = _is_small(last.text.rsplit(" ", 1)[-1]) or not last.text[-1].isalnum()
    return flowing and (open_end or not first.text[0].isupper())


def _in_column(lines: Sequence[Line], page: int) -> list[Paragraph]:
    if not lines:
        return []
    column = _Column(lines)
    parts = [Paragraph([(page, lines[0])])]
    for last, line in pairwise(lines):
        if not column.is_near(last, line):
            parts.append(Paragraph([(page, line)]))
            continue
        if not column.goes_on(parts[-1], last, line):
            if column.is_indented(last, line):
                parts.append(Paragraph([(page, line)]))
                continue
            parts[-1].broken.add(len(parts[-1].lines))
        parts[-1].lines.append((page, line))
    return parts


class _Column:
    """Measures of lines that stand below each other."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._mirrored = is_right_to_left("".join(line.text for line in lines))
        self._left = min(map(self._start, lines))
        ends = sorted(map(self._finish, lines))
        self._right = ends[-1 - len(ends) // 20]
        steps = [lower.y - upper.y for upper, lower in pairwise(lines) if not _other_size(upper, lower)]
        steps = [step for step in steps if step > 0]
        self._step = statistics.quantiles(steps, n=3)[0] if len(steps) > 2 else min(steps, default=0.0)

    def _start(self, line: Line) -> float:
        return -line.x1 if self._mirrored else line.x0

    def _finish(self, line: Line) -> float:
        return -line.x0 if self._mirrored else line.x1

    def is_near(self, last: Line, line: Line) -> bool:
        """Return True if a line may belong to the same paragraph as the one above it."""
        if last.heading != line.heading or _other_size(last, line):
            return False
        return 0 < line.y - last.y <= min(_LEADING * max(self._step, line.size), 2.6 * line.size)

    def is_indented(self, last: Line, line: Line) -> bool:
        """Return True if a line begins further in than the one above it, as a paragraph's first line does."""
        return self._start(line) - self._start(last) > _INDENT * line.size

    def goes_on(self, paragraph: Paragraph, last: Line, line: Line) -> bool:
        """Return True if a line goes on with the text of the one above it."""
        if last.cells > 1 or line.cells > 1:
            return False
        if last.heading:
            return True
        ended = bool(_END.search(last.text))
        room = self._right - self._finish(last)
        word = len(line.text.split(" ", 1)[0]) + 1
        fits = room > word * (line.x1 - line.x0) / len(line.text) + 0.5 * line.size
        if _BULLET.match(line.text):
            return False
        if _LABEL.match(line.text) and (ended or fits or _LABEL.match(_first(paragraph, last).text)):
            return False
        if _is_small(line.text):
            return not (ended and fits and room > 0.25 * (self._right - self._left))
        first = _first(paragraph, last).text
        if self.is_indented(last, line) and not (_BULLET.match(first) or _LABEL.match(first)):
            return False
        if not fits:
            return len(last.text) >= _FULL_LINE
        flowing = len(paragraph.lines) - 1 not in paragraph.broken and len(paragraph.lines) > 1
        return not ended and flowing and room < 0.45 * (self._right - self._left)


def _first(paragraph: Paragraph, last: Line) -> Line:
    """Return the line that the item began with of which this is the last."""
    start = max(paragraph.broken, default=0)
    return paragraph.lines[start][1] if start < len(paragraph.lines) else last


def _other_size(line: Line, neighbour: Line) -> bool:
    return abs(line.size - neighbour.size) > _OTHER_SIZE * max(line.size, neighbour.size)


def _is_small(text: str) -> bool:
    """Return True if a text begins with a small letter, as the middle of a sentence does."""
    match = _SMALL.match(text)
    return match is not None and match[0][-1].islower()
