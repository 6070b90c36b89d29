"""Templates without a model: the one whose examples are nearest, its arguments by linking names to entities.

Rules in English take a question apart into names of entities, quoted texts, years and numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from core.knowledge.ask.query_templates import Argument, Template
from core.knowledge.explore.explorer import Explorer
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
class _ParsedQuestion:
    """A question taken apart."""

    masked: str
    """The question with every name and quote replaced by what it is, as examples are compared with it."""
    mentions: tuple[Mention, ...]
    quotes: tuple[str, ...]
    years: tuple[int, int] | None = None
    """First and last year; None where there is none."""
    bounds: tuple[int, int] | None = None
    """Lowest and highest value of another number; None where there is none."""
    count: int | None = None
    """Number of things that are asked for; None where there is none."""
    unknown: tuple[str, ...] = ()
    """Names that the graph does not have."""
    words: str = field(default="", repr=False)
    """The question in lower case without names and quotes."""


def _parse_question(text: str, mentions: Sequence[Mention]) -> _ParsedQuestion:
    """Take a question apart; of the entities that it names, those within a longer quote do not count."""
    quotes = [next(filter(None, match.groups())) for match in _QUOTE.finditer(text)]
    names = {mention.text.casefold() for mention in mentions}
    texts = [quote for quote in quotes if quote.casefold() not in names]
    masked = plain = text
    for quote in texts:
        masked, plain = masked.replace(quote, "this text"), plain.replace(quote, " ")
    named = tuple(mention for mention in mentions if mention.text in plain)
    for mention in named:
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
    return _ParsedQuestion(masked, named, tuple(texts), years, bounds, count, unknown, plain.lower())


def _count(text: str) -> int | None:
    match = _COUNT.search(text)
    if match is None:
        return 1 if _ONE.search(text) else None
    before = text[: match.start()].rstrip().lower()
    number = _number(match[1] or match[2])
    bounded = any(re.search(rf"\b(?:{words})$", before) for words, _, _ in _BOUNDS)
    return None if bounded or number >= 1000 else number


def _ranges(text: str) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Return the range of the years in a question, and that of its other numbers."""
    years: tuple[int, int] | None = None
    others: tuple[int, int] | None = None
    ranges: list[tuple[int, int, int]] = [
        (_number(match[1]), _number(match[1]), _number(match[2])) for match in _SPAN.finditer(text)
    ]
    ranges += [(int(match[1]), int(match[1]), int(match[1]) + 9) for match in _DECADE.finditer(text)]
    rest = _DECADE.sub(" ", _SPAN.sub(" ", text))
    for words, down, up in _BOUNDS:
        for match in re.finditer(rf"\b(?:{words})\s+(?:the year\s+)?{_NUMBER}\b", rest, re.IGNORECASE):
            number = _number(match[1])
            ranges.append((number, max(0, number + down), min(9999, number + up)))
    for number, low, high in ranges:
        if 1000 <= number <= 2200:
            years = _meet(years, (low, high))
        else:
            others = _meet(others, (low, high))
    return years, others


def _meet(first: tuple[int, int] | None, second: tuple[int, int]) -> tuple[int, int]:
    return second if first is None else (max(first[0], second[0]), min(first[1], second[1]))


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _WORDS.index(text.lower()) + 1


# Templates

FLOOR = 0.5
"""Lowest score with which a template is taken."""
UNUSED = 0.12
"""Taken off for each name, text, number or choice in a question that a template has no place for."""
UNKNOWN = 0.3
"""Taken off for each name in a question that the graph does not have."""


@dataclass(frozen=True)
class TemplateMatch:
    """A template as it would answer a question."""

    template: Template
    arguments: dict[str, Any]
    example: str
    """The nearest of its examples."""
    similarity: float
    """Cosine of question and example, names and texts left out of both."""
    score: float
    """The similarity, less what of the question it has no place for."""


async def fits(explorer: Explorer, templates: Sequence[Template], question: str) -> list[TemplateMatch]:
    """Return the templates whose arguments can be filled from a question, best score first.

    Raises:
        ModelError: The embedding model fails.
    """
    read = partial(_read, explorer, templates)
    reading = read(question)
    examples = [(template, example) for template in templates for example in template.examples]
    masked = [read(example).masked for _, example in examples]
    near = await explorer.meanings.nearness(reading.masked, masked)
    best: dict[str, tuple[float, str]] = {}
    for (template, example), cosine in zip(examples, near, strict=True):
        if cosine > best.get(template.name, (-2.0, ""))[0]:
            best[template.name] = (float(cosine), example)
    relation = await _relation(explorer, reading, templates)
    matches = []
    for template in templates:
        arguments = _arguments(template, reading, relation)
        if arguments is not None:
            cosine, example = best[template.name]
            unused = _pieces(reading, templates) - len(arguments)
            score = cosine - UNUSED * max(0, unused) - UNKNOWN * len(reading.unknown)
            matches.append(TemplateMatch(template, arguments, example, round(cosine, 4), round(score, 4)))
    return sorted(matches, key=lambda fit: -fit.score)


def _read(explorer: Explorer, templates: Sequence[Template], text: str) -> _ParsedQuestion:
    """Return a question taken apart: what templates read themselves, as a choice or a number, is no name in it."""
    arguments = [argument for template in templates for argument in template.arguments]
    words = {word for argument in arguments for values in argument.values.values() for word in values}
    numbers = any(argument.reads for argument in arguments)

    def read_otherwise(mention: Mention) -> bool:
        if mention.text.isdecimal():
            return numbers
        return not mention.exact and mention.text.startswith(tuple(words))

    mentions = [mention for mention in explorer.mentioned(text) if not read_otherwise(mention)]
    return _parse_question(text, mentions)


def _arguments(template: Template, reading: _ParsedQuestion, relation: str) -> dict[str, Any] | None:
    """Return the values that the question gives for a template's arguments; None: one is missing, or there are none."""
    taken: dict[str, Any] = {}
    mentions = list(reading.mentions)
    texts = list(reading.quotes)
    for argument in template.arguments:
        value: Any = None
        if argument.type == "entity":
            value = next((m for m in mentions if argument.of in ("", m.node.kind)), None)
            if value is not None:
                mentions.remove(value)
                value = value.node.name
        elif argument.type == "choice":
            used = {taken.get(other.name) for other in template.arguments if other.of == argument.of}
            value = next((v for v in _choices(argument, reading.words) if v not in used), None)
        elif argument.type == "text":
            value = texts.pop(0) if texts else None
        elif argument.type == "relation":
            value = relation or None
        else:
            value = _integer(argument, reading)
        if value is not None:
            taken[argument.name] = value
        elif argument.default is None:
            return None
    return taken or None


def _choices(argument: Argument, words: str) -> list[str]:
    """Return the values that words of the question mean, in its order."""
    positions = []
    for value, beginnings in argument.values.items():
        match = re.search(rf"\b(?:{'|'.join(map(re.escape, beginnings))})", words)
        if match:
            positions.append((match.start(), value))
    return [value for _, value in sorted(positions)]


def _integer(argument: Argument, reading: _ParsedQuestion) -> int | None:
    span = reading.years if argument.reads.startswith("year") else reading.bounds
    if argument.reads == "count":
        return reading.count
    if span is None:
        return None
    low, high = span
    value = low if argument.reads in ("year_from", "least") else high
    return value if 0 < value < 9999 else None


def _pieces(reading: _ParsedQuestion, templates: Sequence[Template]) -> int:
    """Return the number of things in a question that should have a place in a template."""
    tables = {
        a.of: a for template in templates for a in template.arguments if a.type == "choice" and not a.default
    }
    chosen = sum(len(_choices(argument, reading.words)) for argument in tables.values())
    ends = [end for span in (reading.years, reading.bounds) if span for end in span if 0 < end < 9999]
    # A question that asks for one or several names counts once, however many entities share the name.
    names = len({mention.text for mention in reading.mentions})
    return names + len(reading.quotes) + len(ends) + (reading.count is not None) + chosen


async def _relation(explorer: Explorer, reading: _ParsedQuestion, templates: Sequence[Template]) -> str:
    """Return the relation that is nearest to the question in meaning, where a template asks for one."""
    wanted = any(a.type == "relation" for template in templates for a in template.arguments)
    if not wanted or not explorer.relations:
        return ""
    names = [name.replace("_", " ").lower() for name in explorer.relations]
    near = await explorer.meanings.nearness(reading.masked, names)
    return max(zip(near, explorer.relations, strict=True))[1]
