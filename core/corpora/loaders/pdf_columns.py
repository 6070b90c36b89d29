"""Reading order of a page: what stands above a set of columns, each column from top to bottom, what stands below."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.corpora.loaders.pdf_lines import Line, group_rows, merge_pieces
from core.corpora.loaders.pdf_words import is_wide, strong_letters

_GUTTER = 0.7
"""Least width of the white between two columns, in the size of the text."""
_WIDE_GUTTER = 1.3
"""Width from which on two lines beside two lines make columns; below, rivers of white in a paragraph could."""
_FEW, _MANY = 2, 5
"""Least lines of a column, beside a wide gutter and beside a narrow one."""
_PROSE_WORDS = 2.4
"""Least words a line of a column, on average. Cells of a table have fewer."""
_PROSE_LETTERS = 9
"""The same in characters, where words are not parted by blanks."""
_GOING_ON = 0.2
"""Least share of a column's lines that begin with a small letter, or end with a full stop, as those of sentences do."""
_HEADING = 1.15
"""Size of a heading, at least, in that of the text."""
_MOST_PIECES = 3000
"""Of a page that columns are looked for in; a page of a book has a hundred."""


@dataclass(frozen=True)
class _Gutter:
    """White between two columns, with the pieces it lies beside, which are in order from top to bottom."""

    first: int
    last: int
    x: float
    lines: int
    """Lines of the shorter column."""


def columns(pieces: Sequence[Line]) -> list[list[Line]]:
    """Return the pieces of a page's lines, which come from top to bottom, in reading order: a list for each stretch.

    Columns are told from tables by what stands in them: sentences that run on from line to line. Rows of a table, and
    all else, are read across.
    """
    right_to_left = sum(strong_letters(piece.text) for piece in pieces) < 0
    return [lines for part in _parts(list(pieces), right_to_left) if (lines := merge_pieces(part))]


def _parts(pieces: list[Line], right_to_left: bool) -> list[list[Line]]:
    gutter = _gutter(pieces) if 2 * _FEW <= len(pieces) <= _MOST_PIECES else None
    if gutter is None:
        return [pieces]
    band = pieces[gutter.first : gutter.last + 1]
    sides = [
        [piece for piece in band if piece.x1 <= gutter.x],
        [piece for piece in band if piece.x1 > gutter.x],
    ]
    if (heading := _heading_across(band, *sides)) is not None:
        at = gutter.first + heading
        stretches = [pieces[:at], pieces[at : at + 1], pieces[at + 1 :]]
        return [part for stretch in stretches if stretch for part in _parts(stretch, right_to_left)]
    if right_to_left:
        sides.reverse()
    stretches = [pieces[: gutter.first], *sides, pieces[gutter.last + 1 :]]
    return [part for stretch in stretches if stretch for part in _parts(stretch, right_to_left)]


def _heading_across(band: list[Line], left: list[Line], right: list[Line]) -> int | None:
    """Return the number of a piece in larger letters that nothing stands beside: a heading of all columns, too short to
    reach over them."""
    size = statistics.median(piece.size for piece in band)
    on_left = set(map(id, left))
    for index, piece in enumerate(band[1:-1], 1):
        if piece.size > _HEADING * size:
            opposite = right if id(piece) in on_left else left
            if not any(-size < piece.y - beside.y < piece.size + 0.5 * size for beside in opposite):
                return index
    return None


def _gutter(pieces: list[Line]) -> _Gutter | None:
    """Return the gutter beside the most lines."""
    best: _Gutter | None = None
    seen: list[tuple[int, int, float, float]] = []
    for index, right_index in _neighbours(pieces):
        left, right = pieces[index], pieces[right_index]
        least = _GUTTER * min(left.size, right.size)
        if right.x0 - left.x1 < least or any(
            first <= index <= last and left.x1 <= x0 and x1 <= right.x0 for first, last, x0, x1 in seen
        ):
            continue
        first, last, x0, x1 = _stretched(pieces, index, left.x1, right.x0, least)
        seen.append((first, last, x0, x1))
        wide = x1 - x0 >= _WIDE_GUTTER * min(left.size, right.size)
        gutter = _between(pieces, first, last, (x0 + x1) / 2, wide)
        if gutter is not None and (best is None or gutter.lines > best.lines):
            best = gutter
    return best


def _neighbours(pieces: list[Line]) -> Iterator[tuple[int, int]]:
    """Yield the number of each piece with that of the nearest one to its right, at most half a line away."""
    for index, piece in enumerate(pieces):
        nearest: int | None = None
        for step in (-1, 1):
            candidate = index + step
            while 0 <= candidate < len(pieces) and abs(pieces[candidate].y - piece.y) <= 0.8 * piece.size:
                if pieces[candidate].x0 >= piece.x1 and (
                    nearest is None or pieces[candidate].x0 < pieces[nearest].x0
                ):
                    nearest = candidate
                candidate += step
        if nearest is not None:
            yield index, nearest


def _stretched(
    pieces: list[Line], start: int, x0: float, x1: float, least: float
) -> tuple[int, int, float, float]:
    """Return the first and last piece that a white reaches, up and down, and the edges of what is left of it."""
    ends = []
    for step in (-1, 1):
        index = start
        while 0 <= index + step < len(pieces):
            piece = pieces[index + step]
            left, right = x0, x1
            if piece.x1 > x0 and piece.x0 < x1:
                if piece.x0 + piece.x1 < x0 + x1:
                    left = piece.x1
                else:
                    right = piece.x0
            if right - left < least or (piece.x0 < x0 and piece.x1 > x1):
                break
            x0, x1, index = left, right, index + step
        ends.append(index)
    return ends[0], ends[1], x0, x1


def _between(pieces: list[Line], first: int, last: int, x: float, wide: bool) -> _Gutter | None:
    """Return the gutter at x, if there are columns on both sides of it."""
    left = [index for index in range(first, last + 1) if pieces[index].x1 <= x]
    right = [index for index in range(first, last + 1) if pieces[index].x1 > x]
    least = _FEW if wide else _MANY
    if len(left) < least or len(right) < least:
        return None
    # What is far below the shorter column, or far above, is no part of the columns.
    top = max(pieces[left[0]].y, pieces[right[0]].y)
    bottom = min(pieces[left[-1]].y, pieces[right[-1]].y)
    first, last = _near(pieces, first, last, top, bottom)
    sides = [[pieces[i] for i in side if first <= i <= last] for side in (left, right)]
    beside = [
        [piece for piece in side if top - piece.size <= piece.y <= bottom + piece.size] for side in sides
    ]
    lines = min(len(group_rows(side)) for side in beside)
    if lines < least or not all(_is_prose(side) for side in beside):
        return None
    return _Gutter(first, last, x, lines)


def _near(pieces: list[Line], first: int, last: int, top: float, bottom: float) -> tuple[int, int]:
    """Return the ends of the pieces that no wide white parts from those between top and bottom."""
    inner = [index for index in range(first, last + 1) if top <= pieces[index].y <= bottom]
    if not inner:
        return first, last
    begin, end = inner[0], inner[-1]
    while begin > first and pieces[begin].y - pieces[begin - 1].y < 2.5 * pieces[begin].size:
        begin -= 1
    while end < last and pieces[end + 1].y - pieces[end].y < 2.5 * pieces[end].size:
        end += 1
    return begin, end


def _is_prose(side: list[Line]) -> bool:
    """Return True where the lines on one side of a gutter are a column of prose, False where they are cells of a table.

    Told by the words of a line and by how many lines begin small or end a sentence; in scripts without case or blanks
    by the letters of a line.
    """
    texts = [line.text for line in merge_pieces(side)]
    if sum(is_wide(letter) for text in texts for letter in text) > sum(map(len, texts)) / 2:
        return statistics.mean(map(len, texts)) >= _PROSE_LETTERS and len(texts) > _FEW
    if statistics.mean(len(text.split()) for text in texts) < _PROSE_WORDS:
        return False
    if not any(text[0].lower() != text[0].upper() for text in texts):
        return any(text[0].isalpha() for text in texts)
    going_on = sum(text[0].islower() or text.endswith((".", "!", "?")) for text in texts)
    return going_on >= max(1, _GOING_ON * len(texts))
