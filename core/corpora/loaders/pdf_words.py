"""Letters, lines and words of a PDF as they are typed and read: ligatures, presentation forms and odd blanks in plain
letters, Arabic and Hebrew in reading order, words that are parted at the ends of lines in one piece."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_PLAIN = re.compile(
    "["
    "\ufb00-\ufb06\ufb13-\ufb17"  # Latin and Armenian ligatures
    "\ufb1d-\ufb4f\ufb50-\ufdff\ufe70-\ufefc"  # Hebrew and Arabic presentation forms
    "\u2f00-\u2fd5"  # radicals that fonts mistake for the ideographs they look like
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # full-width digits and letters
    "\uff65-\uff9f"  # half-width katakana
    "\U0001d400-\U0001d7ff"  # letters of formulas
    "]+"
)
"""Forms of letters that differ in looks only. Superscripts (m²), fractions (½) and signs (™) mean something else in
their plain form and stay, and so does full-width punctuation, which is how Chinese and Japanese are written."""
_UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\u2061-\u2064\u2066-\u2069\ufeff\ufffe\uffff]")
_HYPHEN = re.compile("[\u2010\u2011]")
_BULLET = re.compile("[\uf0a7\uf0b7\uf0d8\uf076\uf0fc]")
"""Places at which the symbol fonts of office programs have their bullets."""
_LEADERS = re.compile(r"(?:[.·_…] ?){5,}")
"""Dots that lead to a page number, and lines to write on."""
_BLANKS = re.compile(r"\s+")

ACCENTS = dict(
    zip(
        "`´^˜¨¯˘˙˚¸˛ˇ˝",
        "\u0300\u0301\u0302\u0303\u0308\u0304\u0306\u0307\u030a\u0327\u0328\u030c\u030b",
        strict=True,
    )
)
"""Accents that older TeX fonts draw beside a letter -> the combining ones."""


def plain(text: str) -> str:
    """Return a line in plain letters, with single blanks."""
    if not text.isascii():
        text = _PLAIN.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
        text = _BULLET.sub("•", _HYPHEN.sub("-", _UNSEEN.sub("", text)))
        text = unicodedata.normalize("NFC", text)
    return _BLANKS.sub(" ", _LEADERS.sub(" ", text)).strip()


def has_leaders(text: str) -> bool:
    """Return True if dots lead from one part of a line to another, as in a table of contents."""
    return bool(_LEADERS.search(text))


def is_wide(letter: str) -> bool:
    """Return True if a character is one of those that are written without blanks between words: Chinese, Japanese."""
    return "\u2e80" <= letter <= "\u9fff" or "\uf900" <= letter <= "\ufaff" or "\uff00" <= letter <= "\uff60"


# Arabic and Hebrew from letters as they stand on paper, left to right: the reverse of Unicode's bidirectional algorithm
# (UAX 9), as far as it can be undone. Words and numbers of other scripts keep their order within a line that is read
# from the right.

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
    """Return the number of letters that are read from the left, less that of letters read from the right."""
    if text.isascii():
        return sum(map(str.isalpha, text))
    return sum(-1 if _STRONG.match(letter) else 1 for letter in text if letter.isalpha())


def is_from_right(text: str) -> bool:
    """Return True if the first character of a text is a letter of a script that is written from right to left."""
    return bool(_STRONG.match(text))


def is_right_to_left(text: str) -> bool:
    """Return True if more than half of the letters of a text are of scripts that are written from right to left."""
    return not text.isascii() and strong_letters(text) < 0


def logical(parts: Sequence[str], right_to_left: bool = False) -> str:
    """Return a line in reading order, from what each glyph stands for, from left to right.

    On a page that is read from the right, a line with more letters of the other kind is, too, unless it ends on the
    right. On other pages, most letters decide.
    """
    text = "".join(parts)
    if text.isascii() or not _STRONG.search(text):
        return text
    if strong_letters(text) > 0 and (not right_to_left or text.rstrip()[-1] in _STOPS):
        kinds, order, end = _kinds(parts), list[str](), 0
        for match in _FROM_RIGHT.finditer(kinds):
            order += [*parts[end : match.start()], logical(parts[match.start() : match.end()], True)]
            end = match.end()
        return "".join([*order, *parts[end:]])
    return _from_right(parts)


def _kinds(parts: Sequence[str]) -> str:
    """Return the kind of each part, as one letter each; numbers are of one kind throughout."""
    kinds = "".join(_KINDS.get(unicodedata.bidirectional(part[0]), "O") for part in parts)
    return _NUMBER.sub(lambda number: "N" * len(number[0]), kinds)


def _from_right(parts: Sequence[str]) -> str:
    kinds, spans, end = _kinds(parts), list[str](), 0
    for match in re.finditer("[^R]+", kinds):
        # Between words of another script everything is theirs; numbers alone are read one after the other.
        runs = _FROM_LEFT if "L" in match[0] else re.compile("N+")
        for run in runs.finditer(kinds, match.start(), match.end()):
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


# Words at the ends of lines: which hyphen is a compound's own, and where no blank belongs

_BEFORE = re.compile(r"(?<![\w'’-])['’_-]*([^\W_](?:[\w'’-]*[^\W_])?)([-\xad])$")
_AFTER = re.compile(r"[^\W_](?:[\w'’-]*[^\W_])?")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]+(?:-[^\W\d_]+)+")
_WORD = re.compile(r"[^\W\d_]+")
_FIRST = re.compile(
    "self|well|ill|all|half|ex|quasi|vice|non|much|ever|best|better|long|short|high|low|old|new|full|part|first|second|third"
    "|one|two|three|four|five|six|seven|eight|nine|ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|cross|e"
)
"""Words that make compounds with a hyphen of their own."""
_LAST = re.compile(
    "based|like|free|known|born|old|years?|days?|weeks?|month|hour|term|level|scale|time|oriented|specific|related|up|off|in"
    "|by|to|of|the|and|on|aware|driven|made|called|style|sized|class|rate|quality"
)
"""And such that stand in second place."""
_SUSPENDED = re.compile("and|or|und|oder|bzw|sowie|et|ou|en|och|og|eller|to")
"""Words after a hyphen that stands for a missing word: pre- and post-war, Haupt- und Nebensatz."""
_NO_BLANKS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""Thai, Lao, Burmese and Khmer part no words."""


class Words:
    """The words of a document, which say how a parted one is written."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._words: set[str] = set()
        self._compounds: set[str] = set()
        for line in lines:
            text = line.casefold()
            # The parts of a parted word are no words of the text.
            _, _, text = text.partition(" ")
            if text.endswith(("-", "\xad")):
                text = text.rpartition(" ")[0]
            self._compounds.update(_COMPOUND.findall(text))
            self._words.update(_WORD.findall(text))

    def opened(self, text: str, following: str) -> str:
        """Return a text, ready for the line that follows it: with a blank at its end, or without the hyphen there."""
        before, after = _BEFORE.search(text), _AFTER.match(following)
        if before and after:
            return self._hyphenated(text, before, after[0])
        last, first = text[-1:], following[:1]
        if (is_wide(last) and is_wide(first)) or (_NO_BLANKS.match(last) and _NO_BLANKS.match(first)):
            return text
        if last == "—" or first == "—" or (last in "/" and not text.endswith(" /")):
            return text
        return text + " "

    def _hyphenated(self, text: str, before: re.Match[str], after: str) -> str:
        if before[2] == "\xad":
            return text[:-1]
        if not after[0].islower() or not before[1][-1].isalpha():
            return text
        if _SUSPENDED.fullmatch(after):
            return text + " "
        first, last = before[1].casefold(), re.split("['’-]", after)[0]
        if f"{first}-{last}" in self._compounds:
            return text
        if first + last in self._words:
            return text[:-1]
        if "-" in first or "-" in after or _FIRST.fullmatch(first) or _LAST.fullmatch(last):
            return text
        if min(len(first), len(last)) > 3 and first in self._words and last in self._words:
            return text
        return text[:-1]
