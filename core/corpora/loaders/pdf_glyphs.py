"""The letters that are drawn on a page of a PDF, each with its place, as PDFium finds them."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from core.corpora.loaders.pdf_words import is_from_right, is_wide

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

UPRIGHT, UP, TURNED, DOWN, VERTICAL = range(5)
"""How a text runs on its page: to the right, upwards, upside down, downwards; and the lines of Chinese and Japanese
that stand upright, the first one on the right."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom; the last two grow downwards."""

_HYPHENS = {0x02, 0xFFFE}
"""PDFium's signs for a hyphen at the end of a line."""
_STRAIGHT = 10.0
"""Degrees up to which a text runs along the page's edges."""
_ASLANT = 1000
"""Added to the degrees of a text that does not: a stamp across the page."""
_TEX = {
    **dict(zip(range(0x0B, 0x10), "ﬀﬁﬂﬃﬄ", strict=True)),
    **dict(zip(range(0x10, 0x17), "“”„«»–—", strict=True)),
    **dict(zip(range(0x1B, 0x20), "ﬀﬁﬂﬃﬄ", strict=True)),
}
"""Letters of TeX's older fonts, whose names say nothing, by their places in such a font."""
_SMALLEST = 1.0
"""Points. Lower letters cannot be read, so they are not meant for a reader."""
_SMALLEST_SHARE = 1 / 400
"""The same of a page's height; pages may be smaller than a stamp."""
_DOUBLED = 0.15
"""Most distance between two drawings of one letter that make it bold, in its size."""
_TURNED_LIGATURE = re.compile("[\u0622\u0623\u0625\u0627\u0671][\u064b-\u0655]*\u0644$")
"""An Arabic lam and alef whose letters PDFium has turned round."""
_TWICE_IN_ONE = "flt"
"""Letters that one glyph may stand for twice: ﬀ, ll."""


@dataclass(slots=True)
class Glyph:
    """One letter, or the letters of a ligature; in points, in a frame in which its line runs to the right."""

    text: str
    x0: float
    x1: float
    y: float
    """Height of the line that it stands on; grows downwards."""
    size: float
    word: int = 0
    """Number of the word that PDFium takes it for a part of."""


class _Letter(NamedTuple):
    """A letter as it lies on the page, where y grows upwards."""

    text: str
    way: int
    x: float
    """Place where it begins, on its line."""
    y: float
    size: float
    box: Box
    font: bytes
    word: int


@dataclass(frozen=True)
class Frame:
    """The letters of a page that run one way."""

    glyphs: list[Glyph]
    box: Box
    """The page, as seen this way."""


def read_frames(page: PdfPage, text: PdfTextPage) -> list[Frame]:
    """Return the letters of a page, apart for each way they run; what most of them do comes first.

    Text that is drawn invisibly is read, because text recognition lays it over a scanned page. Colours are not looked
    at. What lies outside the page, or is too small to be read, is left out.
    """
    left, bottom, right, top = page.get_bbox()
    glyphs: dict[int, list[Glyph]] = defaultdict(list)
    smallest = min(_SMALLEST, _SMALLEST_SHARE * (top - bottom))
    drawn = [(way, glyph, x, y) for way, glyph, x, y in _drawn(text) if glyph.size >= smallest]
    inside = [part for part in drawn if left - 1 <= part[2] <= right + 1 and bottom - 1 <= part[3] <= top + 1]
    for way, glyph, _, _ in inside or drawn:  # if all is outside, the page's size is wrong
        glyphs[way].append(glyph)
    frames = [Frame(_once(own), _turned(way, left, bottom, right, top)) for way, own in glyphs.items() if own]
    return sorted(frames, key=lambda frame: len(frame.glyphs), reverse=True)


def _drawn(text: PdfTextPage) -> Iterator[tuple[int, Glyph, float, float]]:
    """Yield the direction, the glyph and the place on the page of each letter that has one."""
    letters = list(_letters(text))
    upright, widths = _vertical(letters), _widths(letters)
    for index, letter in enumerate(letters):
        # Latin words in an upright line lie on their side.
        way = VERTICAL if index in upright or (upright and letter.way == DOWN) else letter.way
        left, top, right, bottom = letter.box
        if way > VERTICAL:  # boxes are of no use; letters are about half as wide as high
            turn = math.radians(way - _ASLANT)
            x0 = letter.x * math.cos(turn) + letter.y * math.sin(turn)
            line = letter.x * math.sin(turn) - letter.y * math.cos(turn)
            x1 = x0 + letter.size / 2
        else:
            x0, first, x1, last = _turned(way, left, bottom, right, top)
            line = (
                (first + last) / 2
                if way == VERTICAL
                else _turned(way, letter.x, letter.y, letter.x, letter.y)[1]
            )
        if way == UPRIGHT and (width := widths.get((letter.text, letter.font, letter.size))):
            # The letters of a ligature are all at one place; their widths are those of the whole.
            around = letters[max(0, index - 1) : index + 2]
            if sum(other.x == letter.x and other.y == letter.y for other in around) == 1:
                x0, x1 = letter.x, letter.x + width
        glyph = Glyph(letter.text, x0, x1, line, letter.size, letter.word)
        yield way, glyph, (left + right) / 2, (top + bottom) / 2


def _letters(text: PdfTextPage) -> Iterator[_Letter]:
    import pypdfium2.raw as pdfium

    matrix, box = pdfium.FS_MATRIX(), pdfium.FS_RECTF()
    x, y, flags = ctypes.c_double(), ctypes.c_double(), ctypes.c_int()
    name = ctypes.create_string_buffer(128)
    high = 0
    word = 0
    for index in range(text.count_chars()):
        code = pdfium.FPDFText_GetUnicode(text, index)
        if code in _HYPHENS and pdfium.FPDFText_IsHyphen(text, index) == 1:
            code = ord("-")
        if 0xD800 <= code < 0xDC00:  # half a character, where a wide one has 16 bits
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            if not high:
                continue
            code = 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00)
        high = 0
        word += chr(code).isspace()
        if pdfium.FPDFText_IsGenerated(text, index) == 1:
            continue
        letter = chr(code)
        if letter < " " and pdfium.FPDFText_HasUnicodeMapError(text, index) == 1:
            letter = _TEX.get(code, letter)
        if letter < " ":
            continue
        if not (
            pdfium.FPDFText_GetMatrix(text, index, matrix)
            and pdfium.FPDFText_GetCharOrigin(text, index, x, y)
            and pdfium.FPDFText_GetLooseCharBox(text, index, box)
        ):
            continue
        size = pdfium.FPDFText_GetFontSize(text, index) * math.hypot(matrix.c, matrix.d)
        # A blank without a width is PDFium's guess, and not always at its place.
        if box.right > box.left or not letter.isspace():
            edges = box.left, box.top, box.right, box.bottom
            way = _way(matrix.a, matrix.b, matrix.d)
            pdfium.FPDFText_GetFontInfo(text, index, name, len(name), flags)
            yield _Letter(letter, way, x.value, y.value, size, edges, name.value, word)


def _widths(letters: list[_Letter]) -> dict[tuple[object, ...], float]:
    """Return the least distance from each letter of an upright font to the next, in points.

    PDFium's boxes hold all of a letter's ink, and that of an italic f would fill the blank after it.
    """
    widths: dict[tuple[object, ...], float] = {}
    for letter, following in pairwise(letters):
        if is_from_right(letter.text):  # the forms of an Arabic letter are of different widths
            continue
        step = following.x - letter.x
        if (
            letter.way == following.way == UPRIGHT
            and 0.1 * letter.size < step < letter.box[2] - letter.x
            and abs(letter.y - following.y) < 0.1
        ):
            key = letter.text, letter.font, letter.size
            widths[key] = min(step, widths.get(key, step))
    return widths


def _way(a: float, b: float, d: float) -> int:
    """Return the direction of a text, from its matrix."""
    degrees = math.degrees(math.atan2(b, a)) % 360
    quarter = round(degrees / 90) % 4
    if abs((degrees - 90 * quarter + 180) % 360 - 180) > _STRAIGHT:
        return _ASLANT + round(degrees / 5) * 5
    # A negative width mirrors the letters of some right-to-left texts, which are then not upside down.
    return UPRIGHT if quarter == TURNED and d > 0 else quarter


def _turned(way: int, left: float, bottom: float, right: float, top: float) -> Box:
    """Return a box of the page, where y grows upwards, as it lies in the frame of a text that runs this way."""
    if way == UPRIGHT:
        return left, -top, right, -bottom
    boxes = {
        UP: (bottom, left, top, right),
        TURNED: (-right, bottom, -left, top),
        DOWN: (-top, -right, -bottom, -left),
        VERTICAL: (-top, -right, -bottom, -left),
    }
    return boxes.get(way, (left, -top, right, -bottom))


def _vertical(letters: list[_Letter]) -> set[int]:
    """Return the letters that stand below or above their neighbour in the text instead of beside it."""
    steps: set[int] = set()
    wide = {index for index, letter in enumerate(letters) if is_wide(letter.text)}
    for index, (letter, following) in enumerate(pairwise(letters)):
        if letter.way == UPRIGHT and (is_wide(letter.text) or is_wide(following.text)):
            centres = abs(letter.box[0] + letter.box[2] - following.box[0] - following.box[2]) / 2
            if centres < 0.3 * letter.size and 0.4 * letter.size < letter.y - following.y < 2 * letter.size:
                steps |= {index, index + 1}
    return steps | wide if len(steps) > len(wide) / 2 else set()


def _once(glyphs: list[Glyph]) -> list[Glyph]:
    """Return the glyphs, with those letters together that one glyph stands for, and none twice that is drawn twice."""
    unique: list[Glyph] = []
    places: dict[tuple[str, int, int], list[Glyph]] = defaultdict(list)
    cell = max(1.0, Counter(round(glyph.size) for glyph in glyphs).most_common(1)[0][0] * _DOUBLED)
    twice = [_is_one_place(first, second) and first.text == second.text for first, second in pairwise(glyphs)]
    for index, glyph in enumerate(glyphs):
        last = glyphs[index - 1] if index else None
        if last is not None and _is_one_place(last, glyph) and unique:
            # One glyph may stand for two l; but where its neighbours are there twice, too, it is drawn twice.
            drawn = twice[index - 1] and (
                glyph.text not in _TWICE_IN_ONE
                or any(twice[max(0, index - 3) : index - 1 : 2] + twice[index + 1 : index + 2])
            )
            if not drawn:
                unique[-1].text += glyph.text
                if _TURNED_LIGATURE.match(unique[-1].text):
                    unique[-1].text = unique[-1].text[::-1]
            continue
        column, row = int(glyph.x0 // cell), int(glyph.y // cell)
        if glyph.text != " " and _is_drawn(glyph, column, row, places):
            continue
        places[glyph.text, column, row].append(glyph)
        unique.append(glyph)
    return unique


def _is_one_place(first: Glyph, second: Glyph) -> bool:
    return (first.x0, first.x1, first.y) == (second.x0, second.x1, second.y) and first.x1 > first.x0


def _is_drawn(
    glyph: Glyph, column: int, row: int, places: Mapping[tuple[str, int, int], Sequence[Glyph]]
) -> bool:
    """Return True if the same letter is there already, or all but there."""
    near = _DOUBLED * glyph.size
    for right in (-1, 0, 1):
        for down in (-1, 0, 1):
            for twin in places.get((glyph.text, column + right, row + down), ()):
                if abs(twin.x0 - glyph.x0) < near and abs(twin.y - glyph.y) < near:
                    return True
    return False
