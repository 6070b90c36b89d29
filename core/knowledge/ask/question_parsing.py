"""What a question says besides its words: names of entities, quoted texts, years and numbers. Rules, English only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.knowledge.explore.mentions import Mention
from core.skills.names import names_in

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = rf"(\d{{1,6}}|{'|'.join(_WORDS)})"
_QUOTE = re.compile(r"(?<!\w)(?:'([^']{2,200})'(?!\w)|\"([^\"]{2,200})\"|“([^”]{2,200})”|‘([^’]{2,200})’)")
_SPAN = re.compile(rf"\b(?:between|from)\s+{_NUMBER}\s+(?:and|to)\s+{_NUMBER}\b", re.IGNORECASE)
_DECADE = re.compile(r"\b(1[89]\d0|20\d0)['’]?s\b")
_BOUNDS: tuple[tuple[str, int, int], ...] = (
    # words in front of a number; what is added to get the lowest and the highest value (a large number: no bound)
    (r"(?:more|greater|higher|larger|later|newer) than|above|over|after|exceeding", 1, 10**6),
    (r"at least|since|from|starting in", 0, 10**6),
    (r"(?:less|fewer|lower|smaller|earlier|older) than|below|under|before", -(10**6), -1),
    (r"at most|until|up to", -(10**6), 0),
    (r"rating of|rated|in|during|in the year|of exactly", 0, 0),
)
_COUNT = re.compile(
    rf"\b(?:top|first|best|last)\s+{_NUMBER}\b|\b{_NUMBER}\s+(?:\w+\s+)?(?:people|persons?|films?|movies?|actors?|"
    r"actresses|directors?|producers?|writers?|reviews?|reviewers?|entities|things)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"^(?:who|which (?:person|film|movie|actor|actress|director|producer|writer|reviewer|one)|what (?:film|movie))\b"
    r".*\b(?:most|highest|lowest|best|worst|largest|fewest)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ParsedQuestion:
    """A question taken apart."""

    masked: str
    """The question with every name and quote replaced by what it is, as examples are compared with it."""
    mentions: tuple[Mention, ...]
    quotes: tuple[str, ...]
    years: tuple[int, int] | None = None
    """First and last year; None: it says none."""
    bounds: tuple[int, int] | None = None
    """Lowest and highest value of another number; None: it says none."""
    count: int | None = None
    """How many are asked for."""
    unknown: tuple[str, ...] = ()
    """Names that the graph does not have."""
    words: str = field(default="", repr=False)
    """The question in lower case without names and quotes."""


def parse_question(text: str, mentions: Sequence[Mention]) -> ParsedQuestion:
    """Take a question apart; of the entities that it names, those within a longer quote do not count."""
    quotes = [next(filter(None, match.groups())) for match in _QUOTE.finditer(text)]
    names = {mention.text.casefold() for mention in mentions}
    texts = [quote for quote in quotes if quote.casefold() not in names]
    masked = plain = text
    for quote in texts:
        masked, plain = masked.replace(quote, "this text"), plain.replace(quote, " ")
    kept = tuple(mention for mention in mentions if mention.text in plain)
    for mention in kept:
        kind = mention.node.kind.split("/")[0].strip().lower() or "one"
        masked = re.sub(re.escape(mention.text), f"this {kind}", masked)
        plain = plain.replace(mention.text, " ")
    count = _count(plain)
    rest = _COUNT.sub(" ", plain) if count is not None else plain
    years, bounds = _ranges(rest)
    unknown = tuple(
        name
        for name in names_in(plain[:1].lower() + plain[1:])
        if name.upper() != name and not re.search(r"[\d_]", name)
    )
    return ParsedQuestion(masked, kept, tuple(texts), years, bounds, count, unknown, plain.lower())


def _count(text: str) -> int | None:
    match = _COUNT.search(text)
    if match is None:
        return 1 if _ONE.search(text) else None
    before = text[: match.start()].rstrip().lower()
    number = _number(match[1] or match[2])
    bounded = any(re.search(rf"\b(?:{words})$", before) for words, _, _ in _BOUNDS)
    return None if bounded or number >= 1000 else number


def _ranges(text: str) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Of years, and of other numbers."""
    years: tuple[int, int] | None = None
    others: tuple[int, int] | None = None
    found: list[tuple[int, int, int]] = [
        (_number(match[1]), _number(match[1]), _number(match[2])) for match in _SPAN.finditer(text)
    ]
    found += [(int(match[1]), int(match[1]), int(match[1]) + 9) for match in _DECADE.finditer(text)]
    rest = _DECADE.sub(" ", _SPAN.sub(" ", text))
    for words, down, up in _BOUNDS:
        for match in re.finditer(rf"\b(?:{words})\s+(?:the year\s+)?{_NUMBER}\b", rest, re.IGNORECASE):
            number = _number(match[1])
            found.append((number, max(0, number + down), min(9999, number + up)))
    for number, low, high in found:
        if 1000 <= number <= 2200:
            years = _meet(years, (low, high))
        else:
            others = _meet(others, (low, high))
    return years, others


def _meet(one: tuple[int, int] | None, other: tuple[int, int]) -> tuple[int, int]:
    return other if one is None else (max(one[0], other[0]), min(one[1], other[1]))


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _WORDS.index(text.lower()) + 1
