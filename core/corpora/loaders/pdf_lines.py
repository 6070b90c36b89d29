"""Lines of a page: letters that stand on one line, with blanks where there are gaps, in reading order."""

from __future__ import annotations

import re
import statistics
import unicodedata
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.corpora.loaders.pdf_bidi import is_right_to_left, logical, strong_letters
from core.corpora.loaders.pdf_glyphs import Glyph
from core.corpora.loaders.pdf_letters import ACCENTS, plain

_SAME_LINE = 0.55
"""Distance of two letters' lines, in the size of the smaller, below which they are one: enough for m² and H₂O."""
_PIECE_GAP = 0.7
"""Gap, in the letters' size, from which on it may lie between two columns."""
_CELL_GAP = 1.4
"""Gap, in the letters' size, from which on it lies between two cells of a table."""
_BLANK, _KERNING = 0.12, 0.2
"""Gap that stands for a blank, in the letters' size: in a line that has no blanks of its own, and in one that has."""
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
    """What the document's outline calls it; empty where it is no heading."""


def pieces(glyphs: Sequence[Glyph]) -> list[Line]:
    """The lines of a page from top to bottom, cut at wide gaps."""
    count = sum((strong_letters(glyph.text) for glyph in glyphs), start=0)
    found = []
    for row in _rows(glyphs):
        for piece in _cut(row):
            if text := plain(_text(piece, count < 0)):
                inked = [glyph for glyph in piece if not glyph.text.isspace()]
                size = statistics.median_high(glyph.size for glyph in inked)
                line = statistics.median_low(glyph.y for glyph in inked)
                found.append(Line(text, piece[0].x0, max(glyph.x1 for glyph in piece), line, size))
    return sorted(found, key=lambda piece: (piece.y, piece.x0))


def merged(some: Sequence[Line]) -> list[Line]:
    """Pieces that stand on one line, as one."""
    lines: list[Line] = []
    for row in grouped(some):
        if is_right_to_left("".join(piece.text for piece in row)):
            row.reverse()
        gaps = [max(two.x0 - one.x1, one.x0 - two.x1) / max(one.size, two.size) for one, two in pairwise(row)]
        wide = [gap >= _CELL_GAP for gap in gaps]
        if wide and _LABEL.match(row[0].text):
            wide[0] = False
        largest = max(row, key=lambda piece: len(piece.text))
        text = " ".join(piece.text for piece in row)
        edges = min(piece.x0 for piece in row), max(piece.x1 for piece in row)
        lines.append(Line(text, *edges, largest.y, largest.size, 1 + sum(wide)))
    return lines


def grouped(some: Sequence[Line]) -> list[list[Line]]:
    """Pieces by the line they stand on, from left to right."""
    rows: list[list[Line]] = []
    for piece in sorted(some, key=lambda piece: piece.y):
        if rows and piece.y - rows[-1][0].y < _SAME_LINE * min(piece.size, rows[-1][0].size):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.x0) for row in rows]


def _rows(glyphs: Sequence[Glyph]) -> list[list[Glyph]]:
    """Glyphs by line; large ones first, so that small ones beside them join their line."""
    lines: list[float] = []
    rows: dict[float, list[Glyph]] = {}
    for glyph in sorted(glyphs, key=lambda glyph: (glyph.text.isspace(), -round(glyph.size), glyph.y)):
        place = bisect_left(lines, glyph.y)
        near = min(lines[max(0, place - 1) : place + 1], key=lambda y: abs(y - glyph.y), default=None)
        if near is None or abs(near - glyph.y) > _SAME_LINE * min(glyph.size, rows[near][0].size):
            if glyph.text.isspace():
                continue
            insort(lines, near := glyph.y)
            rows[near] = []
        rows[near].append(glyph)
    return [sorted(rows[y], key=lambda glyph: (glyph.x0, glyph.x1)) for y in lines]


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
    """The text of glyphs that are in order from left to right."""
    inked = [glyph for glyph in piece if not glyph.text.isspace()]
    gaps = [two.x0 - one.x1 for one, two in pairwise(piece) if not (one.text + two.text).isspace()]
    spaced = len(inked) < len(piece)
    spread = statistics.median(gaps) / inked[0].size if len(gaps) > 3 else 0.0  # letters may be spaced out
    least = (_KERNING if spaced else _BLANK) + max(0.0, spread if spread > 0.05 else 0.0) * 1.3
    parts: list[str] = []
    end: float | None = None
    for glyph in piece:
        if glyph.text.isspace():
            parts.append(" ")
            continue
        if end is not None and glyph.x0 - end > least * glyph.size:
            parts.append(" ")
        mark = unicodedata.category(glyph.text[0]) == "Mn"
        if parts and end is not None and parts[-1] != " ":
            over = end - glyph.x0 > 0.5 * min(glyph.x1 - glyph.x0, 0.3 * glyph.size)
            if mark:
                parts[-1] += glyph.text
                continue
            if over and parts[-1] in ACCENTS and glyph.text.isalpha():
                parts[-1] = unicodedata.normalize("NFC", glyph.text + ACCENTS[parts[-1]])
                end = max(end, glyph.x1)
                continue
            if over and glyph.text in ACCENTS and parts[-1].isalpha():
                parts[-1] = unicodedata.normalize("NFC", parts[-1] + ACCENTS[glyph.text])
                continue
        parts.append(glyph.text)
        end = glyph.x1 if end is None else max(end, glyph.x1)
    return logical(parts, page_right_to_left)
