"""What is asked of a thing, read from a question: its date of birth, its country, its length.

A comparison asks it of several things, the last question of a chain of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from core.skills.composing.subjects import LONGEST_QUESTION

Value = Literal["date", "amount", "country", "place", "name"]


@dataclass(frozen=True)
class Asked:
    """What must be known of each thing."""

    key: str
    """`birth`, `death`, `release`, `country`, `birthplace`, `deathplace`; or the words, as alternatives of a pattern,
    that the facts are found by."""
    value: Value
    question: str
    """With `{}` for the thing."""
    says: str
    """How a step says it: “X: born 1912”."""


BIRTH = Asked("birth", "date", "When was {} born?", "born")
DEATH = Asked("death", "date", "When did {} die?", "died")
RELEASE = Asked("release", "date", "When was {} released?", "released")
BUILT = Asked("built|opened|founded|finished|completed|begun", "date", "When was {} built or opened?", "from")
NATION = Asked("country", "country", "What nationality is {}?", "")
COUNTRY = Asked("country", "country", "In which country is {}?", "")
ORIGIN = Asked("country", "country", "Which country is {} from?", "")
BIRTHPLACE = Asked("birthplace", "place", "Where was {} born?", "born in")
DEATHPLACE = Asked("deathplace", "place", "Where did {} die?", "died in")

_GREATEST = r"later|latest|last|(?:more|most)\s+recently"
_END = re.compile(rf"\b(?P<end>first|earlier|earliest|sooner|{_GREATEST})\b")
_PASSIVE = re.compile(
    r"\b(?:was|were|is|got)\s+(?:[a-z]+ly\s+)?(?:first\s+|last\s+)?(?P<verb>[a-z]+(?:ed|t|wn|n))\b"
)
_ACTIVE = {"began": "begin", "started": "start", "opened": "open", "ended": "end", "closed": "close"}
_COUNTED = re.compile(
    r"\b(?:has|have|had|with)\s+(?:the\s+)?(?P<how>more|most|fewer|fewest|less|least)\s+"
    r"(?P<noun>[a-z]+(?:\s[a-z]+)?)$"
)
_LARGER = {
    "long": "longer|longest",
    "tall": "taller|tallest",
    "high": "higher|highest",
    "large": "larger|bigger|largest|biggest",
    "deep": "deeper|deepest",
    "heavy": "heavier|heaviest",
    "wide": "wider|broader|widest|broadest",
    "fast": "faster|fastest",
    "expensive": "more expensive|dearer|most expensive|dearest",
    "far": "farther|further|farthest|furthest",
}
_SMALLER = {
    "long": "shorter|shortest",
    "large": "smaller|smallest",
    "high": "lower|lowest",
    "heavy": "lighter|lightest",
    "wide": "narrower|narrowest",
    "fast": "slower|slowest",
    "expensive": "cheaper|cheapest|less expensive|least expensive",
}


def measured(predicate: str, *, person: bool) -> tuple[Asked, bool] | None:
    """What a comparing predicate asks of each thing, and whether the later or larger one is wanted.

    Who is older was born *earlier*.

    Args:
        predicate: “was born first”, “is longer”, “has more pages”.
        person: Whether it is said of persons: age is the date of birth, else of release.
    """
    text = predicate.lower()
    if re.search(r"\b(?:older|elder|oldest|eldest)\b", text):
        return (BIRTH if person else RELEASE), False
    if re.search(r"\b(?:younger|youngest|newer|newest)\b", text):
        return (BIRTH if person and "new" not in text else RELEASE), True
    if end := _END.search(text):
        dated = _dated(text)
        if dated:
            return dated, re.fullmatch(_GREATEST, end["end"]) is not None
    return _amount(text)


def _dated(text: str) -> Asked | None:
    if re.search(r"\bborn\b", text):
        return BIRTH
    if re.search(r"\b(?:die[ds]?|death)\b", text):
        return DEATH
    if re.search(r"\b(?:released|came out|come out|premiered)\b", text):
        return RELEASE
    if verb := _PASSIVE.search(text):
        return Asked(verb["verb"], "date", f"When was {{}} {verb['verb']}?", verb["verb"])
    if verb := re.search(rf"\b(?P<verb>{'|'.join(_ACTIVE)})\b", text):
        return Asked(verb["verb"], "date", f"When did {{}} {_ACTIVE[verb['verb']]}?", verb["verb"])
    return None


def _amount(text: str) -> tuple[Asked, bool] | None:
    if number := _COUNTED.search(text):
        noun = number["noun"]
        asked = Asked(noun.split()[-1].rstrip("s"), "amount", f"How many {noun} does {{}} have?", noun)
        return asked, number["how"] in ("more", "most")
    for words, larger in ((_LARGER, True), (_SMALLER, False)):
        for word, forms in words.items():
            if re.search(rf"\b(?:{forms})\b", text):
                return Asked(word, "amount", f"How {word} is {{}}?", word), larger
    return None


_DAY = "(?:When|(?:In|On) (?:which|what) (?:year|day|date)|What year)"
_SPOT = "(?:Where|In (?:which|what) (?:city|town|place|village))"
_THE = "(?:What|Where|When) (?:is|was) the"
_SIMPLE = (
    (BIRTH, rf"{_DAY} (?:was|is) X born|{_THE} (?:date|year) of birth of X"),
    (BIRTH, "(?:What|When) (?:is|was) X['’]s (?:date of birth|birth ?date|birthday)"),
    (DEATH, rf"{_DAY} did X die|{_THE} (?:date|year) of death of X"),
    (BIRTHPLACE, rf"{_SPOT} (?:was|is) X born|{_THE} (?:place of birth|birthplace) of X"),
    (DEATHPLACE, rf"{_SPOT} did X die|{_THE} place of death of X"),
    (NATION, "What (?:is the )?nationality (?:is|was|of) X|What (?:is|was) X['’]s nationality"),
    (NATION, "(?:(?:From )?[Ww](?:hich|hat) country) (?:(?:is|was|does) )?X (?:(?:is|was|comes?) )?from"),
    (COUNTRY, "In (?:which|what) country is X"),
)
_FORMS = tuple((asked, re.compile(form.replace("X", "(.+?)"))) for asked, form in _SIMPLE)


def asked_of(question: str) -> tuple[Asked, str] | None:
    """What a simple question asks of a thing, and that thing: “When was X born?”; None: something else."""
    if len(question) > LONGEST_QUESTION:
        return None
    text = question.strip().rstrip("?").strip()
    for asked, form in _FORMS:
        if found := form.fullmatch(text):
            return asked, next(filter(None, found.groups()))
    return None
