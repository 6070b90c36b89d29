"""Lines of a page: letters that stand on one line, with blanks where there are gaps, in reading order."""

from __future__ import annotations

import re
import statistics
import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.corpora.loaders.pdf_glyphs import Glyph
from core.corpora.loaders.pdf_words import (
    ACCENTS,
    has_leaders,
    is_from_right,
    is_right_to_left,
    logical,
    plain,
    strong_letters,
)

_SAME_LINE, _RAISED = 0.5, 0.75
"""Distance of two letters' lines, in their size, below which they are one: of letters of one size, and of a small one,
such as the 2 of m² and H₂O, beside a larger."""
_MARK = 0.85
"""Size up to which a letter is small, in that of the letters beside it."""
_PIECE_GAP = 0.7
"""Gap, in the letters' size, from which on it may lie between two columns."""
_CELL_GAP = 1.4
"""Gap, in the letters' size, from which on it lies between two cells of a table."""
_CELL_LINES, _MOST_CELL_LINES = 1.4, 6
"""Distance of two lines of a cell, at most, in their size; and most lines of one."""
_BLANK, _AT_BRACKET = 0.12, 0.25
"""Gap that stands for a blank, in the letters' size: between letters, and within brackets or before a comma."""
_INK = 0.6
"""The same between Arabic letters that PDFium takes for one word: their boxes may hold the ink only."""
_OPENING, _CLOSING = frozenset("([{«"), frozenset(")]}»,.;")
_LABEL = re.compile(r"(?:[^\w\s]|\(?[\w.]{1,6}[.):]?)$")
"""What stands before an item of a list or a heading: •, (a), 2.1."""


@dataclass(slots=True)
class Line:
    """A line of text, or a piece of one between two wide gaps; places are in points."""

    text: str
    x0: float
    x1: float
    y: float
    size: float
    cells: int = 1
    """More than 1: a row of a table."""
    heading: str = ""
    """The heading that it is a line of, as the document's outline calls it; empty where it is none."""


def pieces(glyphs: Sequence[Glyph]) -> list[Line]:
    """Return the lines of a page from top to bottom, cut at wide gaps."""
    count = sum((strong_letters(glyph.text) for glyph in glyphs), start=0)
    lines = []
    for row in _rows(glyphs):
        for piece in _cut(row):
            raw = _text(piece, count < 0)
            if text := plain(raw):
                inked = [glyph for glyph in piece if not glyph.text.isspace()]
                size = statistics.median_high(glyph.size for glyph in inked)
                line = statistics.median_low(glyph.y for glyph in inked)
                end = max(glyph.x1 for glyph in inked)
                lines.append(Line(text, piece[0].x0, end, line, size, 2 if has_leaders(raw) else 1))
    return sorted(lines, key=lambda piece: (piece.y, piece.x0))


def merge_pieces(parts: Sequence[Line]) -> list[Line]:
    """Return pieces that stand on one line, as one."""
    lines: list[Line] = []
    for row in _whole_rows(group_rows(parts)):
        if is_right_to_left("".join(piece.text for piece in row)):
            row.reverse()
        gaps = [max(b.x0 - a.x1, a.x0 - b.x1) / max(a.size, b.size) for a, b in pairwise(row)]
        wide = [gap >= _CELL_GAP for gap in gaps]
        if wide and _LABEL.match(row[0].text):
            wide[0] = False
        largest = max(row, key=lambda piece: len(piece.text))
        text = " ".join(piece.text for piece in row)
        edges = min(piece.x0 for piece in row), max(piece.x1 for piece in row)
        cells = max(piece.cells for piece in row) + sum(wide)
        lines.append(Line(text, *edges, largest.y, largest.size, cells))
    return lines


def _whole_rows(rows: list[list[Line]]) -> list[list[Line]]:
    """Return the rows, those as one that are a single row of a table, in which some cells have more lines than others.

    They are closer to each other than to the rows above and below, and one of the columns has a single line.
    """
    whole: list[list[Line]] = []
    start = 0
    steps = [lower[0].y - upper[0].y for upper, lower in pairwise(rows)]
    while start < len(rows):
        end = start + 1
        while end < len(rows) and steps[end - 1] < _CELL_LINES * rows[end][0].size:
            end += 1
        inner = steps[start : end - 1]
        outer = [*steps[max(0, start - 1) : start], *steps[end - 1 : end]]
        cells = _cells(rows[start:end])
        one_row = (
            1 < end - start <= _MOST_CELL_LINES
            and len(cells) > 1
            and min(map(len, cells)) == 1
            and bool(outer)
            and min(outer) > 1.15 * max(inner)
        )
        if one_row:
            whole.append([piece for cell in cells for piece in sorted(cell, key=lambda piece: piece.y)])
        else:
            whole += rows[start:end]
        start = end
    return whole


def _cells(rows: list[list[Line]]) -> list[list[Line]]:
    """Return pieces of some rows by column: those that overlap from left to right."""
    cells: list[list[Line]] = []
    right = 0.0
    for piece in sorted((piece for row in rows for piece in row), key=lambda piece: piece.x0):
        if cells and piece.x0 < right:
            cells[-1].append(piece)
        else:
            cells.append([piece])
            right = piece.x1
        right = max(right, piece.x1)
    return cells


def group_rows(parts: Sequence[Line]) -> list[list[Line]]:
    """Return pieces by the line they stand on, from left to right."""
    rows: list[list[Line]] = []
    for piece in sorted(parts, key=lambda piece: piece.y):
        if rows and _same_line(rows[-1][0].y, rows[-1][0].size, piece.y, piece.size):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.x0) for row in rows]


def _same_line(y: float, size: float, other_y: float, other_size: float) -> bool:
    small, large = sorted((size, other_size))
    return abs(y - other_y) <= (_SAME_LINE if small > _MARK * large else _RAISED) * small


def _rows(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    """Return glyphs by line; large ones first, so that small ones beside them join their line."""
    lines: list[float] = []
    rows: dict[float, list[Glyph]] = {}
    last: tuple[float, float, float] | None = None
    for glyph in sorted(glyphs, key=lambda glyph: (glyph.text.isspace(), -round(glyph.size), glyph.y)):
        if last is not None and last[:2] == (glyph.y, glyph.size):
            rows[last[2]].append(glyph)  # as most are
            continue
        place = bisect_left(lines, glyph.y)
        around = sorted(lines[max(0, place - 1) : place + 1], key=lambda y: abs(y - glyph.y))
        near = next((y for y in around if _belongs(glyph, y, rows[y])), None)
        if near is None:
            if glyph.text.isspace():
                continue
            insort(lines, near := glyph.y)
            rows[near] = []
        rows[near].append(glyph)
        last = (glyph.y, glyph.size, near) if glyph.size == rows[near][0].size else None
    return [sorted(rows[y], key=lambda glyph: (glyph.x0, glyph.x1)) for y in lines]


def _belongs(glyph: Glyph, y: float, row: Sequence[Glyph]) -> bool:
    size = row[0].size
    if not _same_line(y, size, glyph.y, glyph.size):
        return False
    # Lines of another column may be as near as a raised letter is; but that stands beside its word.
    return abs(y - glyph.y) <= _SAME_LINE * min(glyph.size, size) or any(
        max(other.x0 - glyph.x1, glyph.x0 - other.x1) < size for other in row
    )


def _cut(row: list[Glyph]) -> Iterator[list[Glyph]]:
    piece: list[Glyph] = []
    end = 0.0
    for glyph in row:
        if glyph.text.isspace():
            if piece:
                piece.append(glyph)
            continue
        if piece and glyph.x0 - end > _PIECE_GAP * max(
            glyph.size, piece[0].size if len(piece) == 1 else glyph.size
        ):
            yield piece
            piece = []
        end = max(end, glyph.x1) if piece else glyph.x1
        piece.append(glyph)
    if piece:
        yield piece


def _text(piece: Sequence[Glyph], page_right_to_left: bool) -> str:
    """Return the text of glyphs that are in order from left to right."""
    inked = [glyph for glyph in piece if not glyph.text.isspace()]
    gaps = sorted(right.x0 - left.x1 for left, right in pairwise(inked))
    # Letters may be spaced out; then nearly all gaps are as wide as that.
    spread = gaps[len(gaps) // 5] / inked[0].size if len(gaps) > 3 else 0.0
    wider = 1.4 * spread if spread > _BLANK / 2 else 0.0
    parts: list[str] = []
    last: Glyph | None = None
    end = 0.0
    for glyph in _with_marks(piece):
        if glyph.text.isspace():
            parts.append(" ")
            continue
        if last is not None and parts[-1] != " ":
            over = end - glyph.x0 > 0.5 * min(glyph.x1 - glyph.x0, 0.3 * glyph.size)
            if over and (letter := _accented(parts[-1], glyph.text)):
                parts[-1], end = letter, max(end, glyph.x1)
                continue
            bracket = glyph.text in _CLOSING or parts[-1] in _OPENING
            least = _AT_BRACKET if bracket else _BLANK
            if is_from_right(glyph.text) and is_from_right(last.text) and glyph.word == last.word:
                least = _INK
            if glyph.x0 - end > (least + wider) * glyph.size:
                parts.append(" ")
        parts.append(glyph.text)
        last, end = glyph, glyph.x1 if last is None else max(end, glyph.x1)
    return logical(parts, page_right_to_left)


def _with_marks(piece: Sequence[Glyph]) -> list[Glyph]:
    """Return glyphs in order, each mark with the letter that it stands above or below."""
    if not any(unicodedata.category(glyph.text[0]) == "Mn" for glyph in piece):
        return list(piece)
    glyphs = [replace(glyph) for glyph in piece if unicodedata.category(glyph.text[0]) != "Mn"]
    letters = [glyph for glyph in glyphs if not glyph.text.isspace()]
    for mark in piece:
        if unicodedata.category(mark.text[0]) == "Mn" and letters:
            letter = min(letters, key=lambda glyph: abs(glyph.x0 + glyph.x1 - mark.x0 - mark.x1))
            letter.text += mark.text
    return glyphs


def _accented(first: str, second: str) -> str:
    """Return a letter with its accent, which older TeX fonts draw over it; empty if that is not what the two are."""
    for accent, letter in ((first, second), (second, first)):
        if accent in ACCENTS and letter.isalpha():
            return unicodedata.normalize("NFC", letter + ACCENTS[accent])
    return ""
