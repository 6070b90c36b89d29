"""Where the sentences of a text begin and end, in any language: its smallest chunks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import sentencex

from core.corpora.borders import without_false_borders
from core.corpora.full_stops import without_abbreviations

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
_ALPHABETS = (("ru", re.compile("[\u0400-\u04ff]")), ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")))
_LINES = 200
"""Characters of lines that go together: a few rows, and no more than a long sentence."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_STOPS = ".!?…。！？｡﹒．‼‽⁇⁈⁉։؝؞؟۔܀-܂߹।॥၊။።፧፨᙮᠃᠉᥄᥅᭚᭛᭞᭟᰻᰼᱾᱿។៕།༎\u037e"
"""What ends a sentence in some script: Unicode's sentence terminals, as far as they are used in running text."""
_END = re.compile(rf"(?:[{_STOPS}]|(?<=[\u0370-\u03ff\u1f00-\u1fff]);)[)\]\"'”’»›」』]{{0,3}}\Z")
_UNKNOWN = str.maketrans("។៕།༎", "....")
"""Sentence ends that the splitter does not know, and what it takes for them."""
_DATE_END = re.compile(r"\b\d{4}\.\s?\d{1,2}\.\s?\d{1,2}\.\Z")

Span = tuple[int, int]
"""First character, and one past the last."""


def language(text: str) -> str:
    """Language whose sentence rules fit the script of a text: ja, ko, zh, else en."""
    return next((code for code, pattern in _SCRIPTS if pattern.search(text)), "en")


def segments(line: str) -> list[str]:
    """The sentences of a line in any language; joined they are the line.

    Languages of the Latin script share one set of rules, since what language a few words are in cannot be told for
    certain; see `core.corpora.full_stops`.
    """
    masked = without_abbreviations(line).translate(_UNKNOWN)
    parts, at = list[str](), 0
    for part in sentencex.segment(_rules(line), masked):
        parts.append(line[at : at + len(part)])
        at += len(part)
    return parts


def _rules(line: str) -> str:
    """Whose rules the splitter has for the script that most of a line is in."""
    if line.isascii():
        return "en"
    code = language(line)
    if code == "en":
        for own, letters in _ALPHABETS:
            if letters.search(line) and 2 * len(letters.findall(line)) > sum(map(str.isalpha, line)):
                return own
    return code


def sentence_spans(text: str, headings: Collection[int] = ()) -> Iterator[Span]:
    """The sentences of a text in order, with nothing but white space between them.

    The end of a line ends a sentence, too, unless a margin made it. But lines that end none, such as the fields of a
    record, the rows of a table and the items of a list, go together, up to `_LINES` characters. A heading, which says
    nothing by itself, goes with the sentence below it, as does a line that stands alone like one, and a bare number;
    what has neither letter nor number, such as a ruler or a closing quotation mark, with the sentence before it.

    Args:
        text: Of a document, or of a part of it.
        headings: Where lines begin that are headings.
    """
    begun: int | None = None  # where headings begin that wait for their sentence
    last: Span | None = None  # what may go on
    ended = False  # whether that is a whole sentence
    for start, end in _pieces(without_false_borders(text), headings):
        piece, heading = text[start:end], start in headings or _stands_alone(text, start, end)
        mute = not any(map(str.isalnum, piece))
        goes_on = not heading and not ended and last is not None and _near(text, last, start, end)
        ended = ended if mute else _ends(text, start, end)
        if last is not None and (mute or goes_on):
            last = last[0], end
            continue
        if last is not None:
            yield last
        first = start if begun is None else begun
        if (heading or not any(map(str.isalpha, piece))) and end - first <= _LINES:
            last, begun = None, first
        else:
            last, begun = (first, end), None
    if last is not None:
        yield last
    if begun is not None:
        yield begun, len(text.rstrip())


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a piece that ends no sentence is all there is between two empty lines."""
    if not _BLANK_LINE.match(text, end) or _ends(text, start, end):
        return False
    return start == 0 or bool(_BLANK_LINE.search(text, max(0, start - 8), start))


def _near(text: str, last: Span, start: int, end: int) -> bool:
    """Whether a piece can go with the lines before it."""
    return end - last[0] <= _LINES and not _BLANK_LINE.search(text, last[1], start)


def _ends(text: str, start: int, end: int) -> bool:
    """Whether a piece ends a sentence; one that ends with a date as Koreans write it (1998. 3. 5.) does not."""
    return bool(_END.search(text, start, end)) and not _DATE_END.search(text, start, end)


def _pieces(flat: str, headings: Collection[int]) -> Iterator[Span]:
    """Headings, and the pieces of each other line, without the white space around them."""
    offset = 0
    for line in flat.split("\n"):
        at = offset
        for part in [line] if offset in headings else segments(line):
            if bare := part.strip():
                start = at + part.index(bare)
                yield start, start + len(bare)
            at += len(part)
        offset += len(line) + 1
