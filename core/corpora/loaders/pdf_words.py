"""Words that are parted at the ends of lines: which hyphen is a compound's own, and where no blank belongs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.corpora.loaders.pdf_letters import is_wide

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
        """A text, ready for the line that follows it: with a blank at its end, or without the hyphen there."""
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
