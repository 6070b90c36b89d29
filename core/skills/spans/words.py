"""The words of a text with their places and stems."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from core.retrieval.tokens import tokens


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written with blanks between them."""
    return frozenset(text.split())


_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*|\d[\d.,]*\d|[^\w\s]")
_IRREGULAR = {
    form: base
    for base, forms in {
        "bear": "born birth birthplace birthdate birthday", "die": "died death dead dies dying deceased",
        "write": "wrote written writer", "build": "built builder", "lead": "led leader", "win": "won winner",
        "hold": "held holder", "found": "founder founded", "make": "made maker", "buy": "bought buyer",
        "sell": "sold sale sales", "give": "gave given", "take": "took taken", "become": "became",
        "begin": "began begun", "choose": "chose chosen choice", "draw": "drew drawn drawing",
        "speak": "spoke spoken", "teach": "taught teacher",
        "think": "thought", "lose": "lost loss", "leave": "left", "pay": "paid payment", "sing": "sang sung singer",
        "marry": "married marriage wife husband spouse", "direct": "director directed", "compose": "composer composed",
        "produce": "producer produced", "perform": "performer performed", "design": "designer designed",
        "invent": "inventor invention invented", "discover": "discoverer discovery discovered",
        "locate": "located location",
        "name": "named names called call", "long": "length", "high": "height", "wide": "width", "deep": "depth",
        "grow": "grew grown growth", "know": "knew known", "rise": "rose risen", "break": "broke broken",
        "fight": "fought", "meet": "met meeting", "sit": "sat", "send": "sent", "spend": "spent", "stand": "stood",
        "understand": "understood", "go": "went gone", "fall": "fell fallen", "keep": "kept", "bring": "brought",
        "parent": "parents father mother son daughter child children", "person": "people",
        "man": "men", "woman": "women",
    }.items()
    for form in (base, *forms.split())
}  # fmt: skip
"""Forms that no stemmer brings together, and who does with what is done: a closed list of plain English."""

FUNCTION_WORDS = word_set(
    "a an the and or but nor so yet if then than that this these those which who whom whose what when "
    "where why how i you he she it we they me him her us them my your his its our their mine yours hers "
    "ours theirs himself herself itself themselves one's be is am are was were been being do does did "
    "done doing have has had having will would shall should can could may might must not no of in on at "
    "by for from to with without into onto upon over under above below between among through during "
    "before after since until till against about around near off out up down as like per via within "
    "across along behind beside beyond also too very just only even both either neither each every any "
    "all some such same other another more most less least much many few there here now again ever never "
    "while because although though however whether"
)
"""English words that carry grammar, not content."""


@dataclass(frozen=True)
class Word:
    """A word or a mark of a text."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """In lower case."""
        return self.text.lower()

    @property
    def is_word(self) -> bool:
        """Whether it has a letter or a digit."""
        return self.text[0].isalnum()

    @property
    def is_content(self) -> bool:
        """Whether it carries content."""
        return self.is_word and self.lower not in FUNCTION_WORDS


@lru_cache(maxsize=2048)
def words(text: str) -> tuple[Word, ...]:
    """The words and marks of a text in order; a possessive “’s” is a mark of its own."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        word, start = match[0], match.start()
        if len(word) > 2 and word[-2:] in ("'s", "’s"):
            found += [
                Word(word[:-2], start, start + len(word) - 2),
                Word(word[-2:], start + len(word) - 2, match.end()),
            ]
        else:
            found.append(Word(word, start, match.end()))
    return tuple(found)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of one word, irregular forms brought together; empty for function words and marks."""
    lower = word.lower()
    if lower in FUNCTION_WORDS or not lower[:1].isalnum():
        return ""
    known = _IRREGULAR.get(lower)
    if known:
        return known
    return (tokens(lower) or [lower])[0]


def stems(text: str) -> list[str]:
    """The stems of the content words of a text, in order."""
    return [found for word in words(text) if (found := stem(word.text))]
