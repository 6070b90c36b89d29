"""The stems of a text's words: how a question and the names in a table are compared."""

from __future__ import annotations

import re
from functools import lru_cache

from core.retrieval.tokens import tokens


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written with blanks between them."""
    return frozenset(text.split())


_WORD = re.compile(r"[^\W_]+(?:[.'’][^\W_]+)*|\d[\d.,]*\d")
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

_FUNCTION_WORDS = word_set(
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


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """The stem of one word, irregular forms brought together; empty for function words."""
    lower = word.lower()
    if lower in _FUNCTION_WORDS:
        return ""
    return _IRREGULAR.get(lower) or (tokens(lower) or [lower])[0]


@lru_cache(maxsize=2048)
def stems(text: str) -> tuple[str, ...]:
    """The stems of the content words of a text, in order; a possessive “’s” belongs to none."""
    found = (re.sub(r"(?<=.)['’]s$", "", word) for word in _WORD.findall(text))
    return tuple(filter(None, map(_stem, found)))
