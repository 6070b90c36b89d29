"""Heads, feet and page numbers: lines that stand at the same place of several pages, apart from what is read."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from core.corpora.loaders.pdf_glyphs import Box
from core.corpora.loaders.pdf_lines import Line, group_rows

_EDGE = 0.2
"""Share of a page's height, above and below, in which heads and feet stand."""
_MOST_LINES = 3
"""Of a head or a foot."""
_APART = 1.5
"""Distance of a head from the text, at least, in its size. Lines of the text are closer, and may be equal, too."""
_SAME_PLACE = 6.0
"""Points between two heads' lines that stand at the same place."""
_NUMBER = re.compile(r"\d+")
_MOST_NUMBERS = 4
"""In a line; the others must be equal on all pages."""
_ROMAN = re.compile(r"(?i)(?=[ivxl])(?:xl|l?x{0,3})(?:ix|iv|v?i{0,3})$")
_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50}
_ENOUGH = 12
"""Least characters of a line with a number, beside it: “Page 1 of 3” says nothing that would be lost."""

_Key = tuple[bool, int, str]
_Row = list[Line]


@dataclass(frozen=True)
class PageLines:
    """Pieces of a page's lines, from top to bottom."""

    pieces: list[Line]
    box: Box


def without_running(pages: Sequence[PageLines], title: str) -> tuple[list[list[Line]], dict[int, list[str]]]:
    """Return the pages' pieces without heads, feet and page numbers, and those of them whose words stand nowhere else.

    A line is one if it is at the same place of another page with the same words; its numbers are the same, too, or
    go up with the pages. So is the document's title above or below any page but the first.

    Returns:
        The pieces of each page; and what is kept: number of the page, from 0, where it first stood -> texts.
    """
    places: dict[_Key, set[int]] = defaultdict(set)
    edges = [list(_edges(page)) for page in pages]
    copies = _copies(pages)
    for number, rows in enumerate(edges):
        for at_top, row, distance, _ in rows:
            for key in _keys(at_top, row, distance, number):
                places[key].add(copies[number])
    removed: dict[int, list[_Row]] = {}
    for number, rows in enumerate(edges):
        for side in (True, False):
            near = [(row, distance, gap) for at_top, row, distance, gap in rows if at_top == side]
            repeated = [
                any(len(places[key]) > 1 for key in _keys(side, row, distance, number))
                or (number > 0 and _bare(_text(row)) == _bare(title) != "")
                for row, distance, _ in near
            ]
            count = (*repeated, False).index(False)  # what is nearer to the text than a line of it is text
            while count and near[count - 1][2] < _APART * near[count - 1][0][0].size:
                count -= 1
            removed.setdefault(number, []).extend(row for row, _, _ in near[:count])
    gone = {id(piece) for rows in removed.values() for row in rows for piece in row}
    left = [[piece for piece in page.pieces if id(piece) not in gone] for page in pages]
    return left, _words_to_keep(removed, left)


def _copies(pages: Sequence[PageLines]) -> list[int]:
    """Return, for each page, the number of the first with the same text: the lines of a copy are no heads."""
    first: dict[tuple[str, ...], int] = {}
    return [
        first.setdefault(tuple(piece.text for piece in page.pieces), number)
        for number, page in enumerate(pages)
    ]


def _edges(page: PageLines) -> Iterator[tuple[bool, _Row, float, float]]:
    """Yield the lines near an edge, from there on: whether it is at the top, the line's pieces, its distance from the
    edge, and that from the next line."""
    _, top, _, bottom = page.box
    rows = group_rows(page.pieces)
    height = bottom - top
    for at_top, inwards in ((True, rows), (False, rows[::-1])):
        for index, row in enumerate(inwards[:_MOST_LINES]):
            distance = row[0].y - top if at_top else bottom - row[0].y
            if distance < _EDGE * height:
                following = inwards[index + 1 : index + 2]
                gap = abs(following[0][0].y - row[0].y) if following else height
                yield at_top, row, distance, gap


def _keys(at_top: bool, row: _Row, distance: float, page: int) -> Iterator[_Key]:
    """Yield the keys that lines of the same head share: each number as it is, or as its distance from the page's."""
    text = _text(row)
    if _ROMAN.match(text):
        text = str(_roman(text.lower()))
    words = _NUMBER.split(text.casefold())
    numbers = _NUMBER.findall(text)
    counted = len(numbers) <= _MOST_NUMBERS and all(len(digits) < 7 for digits in numbers)
    choices = [[digits, f"+{int(digits) - page}"] if counted else [digits] for digits in numbers]
    for chosen in product(*choices):
        label = "\0".join(part for pair in zip(words, (*chosen, ""), strict=True) for part in pair)
        for place in {int(distance // _SAME_PLACE), int((distance + _SAME_PLACE / 2) // _SAME_PLACE)}:
            yield at_top, place, label


def _roman(text: str) -> int:
    values = [_VALUES[letter] for letter in text]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def _words_to_keep(removed: dict[int, list[_Row]], left: Sequence[Sequence[Line]]) -> dict[int, list[str]]:
    elsewhere = " ".join(_words(piece.text) for page in left for piece in page)
    seen: set[str] = set()
    texts: dict[int, list[str]] = defaultdict(list)
    for number in sorted(removed):
        for row in removed[number]:
            text, bare = _text(row), _bare(_text(row))
            words = _words(text)
            if not bare or bare in seen or words in elsewhere or bare in elsewhere:
                continue
            if bare != words and len(bare) < _ENOUGH:
                continue
            seen.add(bare)
            texts[number].append(text)
    return texts


def _text(row: _Row) -> str:
    return " ".join(piece.text for piece in row)


def _bare(text: str) -> str:
    """Return the words of a line without its numbers."""
    return " ".join(_NUMBER.sub(" ", _words(text)).split())


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
