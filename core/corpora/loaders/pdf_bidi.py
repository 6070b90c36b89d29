"""Arabic and Hebrew as they are read, from letters as they stand on paper, left to right.

The reverse of Unicode's bidirectional algorithm (UAX 9), as far as it can be undone: words and numbers of other
scripts keep their order within a line that is read from the right.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_STRONG = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_WITHIN_BRACKETS = re.compile(r"(?<=[(\[{]) | (?=[)\]}])")
_STOPS = ".,:;!?،؛؟"
_FACING = {bracket: pair for pair in ("()", "[]", "{}", "«»", "‹›") for bracket in pair}
"""Bracket -> its pair, the opening one first."""
_KINDS = {"R": "R", "AL": "R", "L": "L", "EN": "N", "AN": "N", "ES": "S", "CS": "S", "ET": "T"}
"""Bidirectional class -> R: read from the right, L: from the left, N: digit, S: stands within a number, T: belongs to
the number beside it."""
_NUMBER = re.compile("(?<!T)T*N(?:S?N)*T*")
_FROM_LEFT = re.compile("[LN](?:[^R]*[LN])?")
_FROM_RIGHT = re.compile("R(?:[^L]*R)?")


def strong_letters(text: str) -> int:
    """Number of letters that are read from the left, less the number of those that are read from the right."""
    if text.isascii():
        return sum(map(str.isalpha, text))
    return sum(-1 if _STRONG.match(letter) else 1 for letter in text if letter.isalpha())


def is_from_right(text: str) -> bool:
    """True if the first character of a text is a letter of a script that is written from right to left."""
    return bool(_STRONG.match(text))


def is_right_to_left(text: str) -> bool:
    """True if more than half of the letters of a text are of scripts that are written from right to left."""
    return not text.isascii() and strong_letters(text) < 0


def logical(parts: Sequence[str], right_to_left: bool = False) -> str:
    """A line in reading order.

    Args:
        parts: What each glyph stands for, from left to right.
        right_to_left: Whether the page is read from the right. Then a line with more letters of the other kind is,
            too, unless it ends on the right. On other pages, most letters decide.
    """
    text = "".join(parts)
    if text.isascii() or not _STRONG.search(text):
        return text
    if strong_letters(text) > 0 and (not right_to_left or text.rstrip()[-1] in _STOPS):
        kinds, order, end = _kinds(parts), list[str](), 0
        for found in _FROM_RIGHT.finditer(kinds):
            order += [*parts[end : found.start()], logical(parts[found.start() : found.end()], True)]
            end = found.end()
        return "".join([*order, *parts[end:]])
    return _from_right(parts)


def _kinds(parts: Sequence[str]) -> str:
    """The kind of each part, as one letter each; numbers are of one kind throughout."""
    kinds = "".join(_KINDS.get(unicodedata.bidirectional(part[0]), "O") for part in parts)
    return _NUMBER.sub(lambda number: "N" * len(number[0]), kinds)


def _from_right(parts: Sequence[str]) -> str:
    kinds, spans, end = _kinds(parts), list[str](), 0
    for found in re.finditer("[^R]+", kinds):
        # Between words of another script everything is theirs; numbers alone are read one after the other.
        runs = _FROM_LEFT if "L" in found[0] else re.compile("N+")
        for run in runs.finditer(kinds, found.start(), found.end()):
            spans += [*parts[end : run.start()], "".join(parts[run.start() : run.end()])]
            end = run.end()
    spans += parts[end:]
    spans.reverse()
    # Some programs note a bracket as it looks, others as it is typed: what stands beside it says what it is.
    text = ["", *spans, ""]
    for index, span in enumerate(text):
        if span in _FACING:
            before, after = text[index - 1][-1:].strip(), text[index + 1][:1].strip()
            opens = not before and bool(after)
            if opens or (before and (not after or after in _STOPS)):
                spans[index - 1] = _FACING[span][0 if opens else 1]
    return _WITHIN_BRACKETS.sub("", "".join(spans))
