"""Words of a question that point at what was said before it: “When was he born?”, but not “Who wrote and who sang it?”

English only. In doubt a word points: then somebody is asked what it stands for, and nothing is lost but a call.
"""

from __future__ import annotations

import re

from core.skills.references import MARK

THINGS = ("it", "its", "this", "that")
_POINTS = re.compile(
    r"\b(he|she|him|his|hers?|it|its|this)\b"
    # “That” also begins a relative clause, as in “films that he did not direct”.
    r"|(?:^\W*|\b(?:of|in|on|at|by|for|from|to|with|after|before|about|like)\s+)(that)\b|\b(that)(?=\W*$)"
    # “They” may be those that the question asks for, as in “who acted in films they directed?”.
    r"|(?:^\W*|\b(?:do|did|are|were|have|had|can|could|will|would)\s+)(they)\b",
    re.IGNORECASE,
)
"""Words that point at what was said before the question; the last group is the word."""
_THEIRS = re.compile(r"\b(them|theirs?)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:which|what|how many|all|the|name|list)\s+(?:[\w-]+\s+){0,2}?[\w-]+s\b", re.IGNORECASE
)
"""Several things named in the question itself, which “their” may point at."""
_SECOND_HALF = re.compile(
    r"\w\W*\sand\s+((?:(?:in|on|at|by|for|from|to|with|of)\s+)?(?:who|whom|whose|what|which|when|where|how|why)\b)",
    re.IGNORECASE,
)
"""“When was the tower built, and who designed it?”: the second half speaks of the first."""
_AT_ITS = re.compile(
    r"\b(?i:do|does|did|is|was|has|had|have|will|would)\s+(?:"
    r"the\s+[A-Z][^?;]{0,200}?\s(?:in|on|at|according to)\s+(its)"
    r"|[A-Z][^?;]{0,200}?\s(?:in|on|at|according to)\s+(his|her))\s"
)
"""“What did the Board decide at its meeting?”: whose it is has a name in the question."""


def depends(question: str) -> bool:
    """True if a question points at the answer to an earlier one."""
    return bool(MARK.search(question) or pointing(question))


def pointing(question: str) -> list[tuple[int, int]]:
    """Find the places of the pronouns in a question that point at what was said before it."""
    matches = [*_POINTS.finditer(question)]
    matches += [
        match for match in _THEIRS.finditer(question) if not _SEVERAL.search(question[: match.start()])
    ]
    places = sorted(match.span(match.lastindex or 0) for match in matches)
    own = {match.span(match.lastindex or 0) for match in _AT_ITS.finditer(question)}
    half = _SECOND_HALF.search(question)
    if half and all(place[0] > half.start(1) for place in places):
        kinds = {question[slice(*place)].lower() in THINGS for place in places}
        own |= set(places) if len(kinds) == 1 else set()
    return [place for place in places if place not in own]
