"""How likely each span is to be the answer: a linear model over what stands beside it, its weights from outside data.

A conditional logit (McFadden 1974) over all spans of the sentences and “nothing here”: so the chances of one question
sum to 1, and spans that say the same share theirs. `research.offline_answers --choose` learns the weights.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from core.retrieval.tokens import tokens
from core.skills.spans.candidates import Candidate, candidates
from core.skills.spans.features import Asked, Source
from core.skills.spans.wanted import Kind

MOST_SOURCES = 12
"""Sentences whose spans are ranked: the most relevant ones, and the first `OPENING` of each passage."""
OPENING = 2
MOST_COMPARED = 25
Weights = Mapping[str, float]
"""Feature -> its weight."""
_FORMS: Mapping[Kind, tuple[str, ...]] = {"date": ("date", "year"), "number": ("number", "measure")}


@dataclass(frozen=True)
class Span:
    """A candidate with the sentence that it stands in."""

    text: str
    source: Source
    candidate: Candidate
    chance: float
    """Of being the answer in these words, wherever they stand, from 0 to 1."""
    trust: float
    """Token F1 that is expected of it: like `chance`, but spans that share words with it count in part."""


@dataclass(frozen=True)
class Ranked:
    """The spans of some sentences by their chance."""

    spans: tuple[Span, ...]
    """The best first, none that says the same as another."""
    nothing: float
    """Chance that none of them is the answer."""
    by_sentence: tuple[float, ...]
    """Chance of each sentence that it holds the answer, in the order of `Asked.sources`."""


@cache
def learned() -> Mapping[str, Weights]:
    """The weights that come with the app: of spans, and of sentences."""
    text = (resources.files("core.skills.spans") / "weights.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, float]] = json.loads(text)
    return found


def pool(asked: Asked) -> list[tuple[Source, Candidate, dict[str, float]]]:
    """Every span that could be the answer, with what stands beside it."""
    forms = _FORMS.get(asked.wanted.kind)
    return [
        (source, candidate, found)
        for place, source in enumerate(asked.sources)
        for candidate in candidates(source.text)
        if forms is None or candidate.form in forms
        if (found := asked.features(place, candidate)) is not None
    ]


def best_sources(sources: Sequence[Source]) -> list[Source]:
    """The most relevant sentences, and those with which each passage begins, since they say what it is about; best
    first."""
    order = sorted(sources, key=lambda source: -source.fit)
    return [source for place, source in enumerate(order) if place < MOST_SOURCES or source.place < OPENING]


def rank(asked: Asked, by: Weights) -> Ranked:
    """The spans of sentences by how likely they are to answer a question."""
    found = pool(asked)
    scores = [score(one, by) for *_, one in found] + [score(asked.nothing(len(found)), by)]
    chances = _softmax(scores)
    best: dict[tuple[str, ...], int] = {}
    together: dict[tuple[str, ...], float] = {}
    by_sentence = [0.0] * len(asked.sources)
    places = {id(source): place for place, source in enumerate(asked.sources)}
    for place, (source, candidate, _) in enumerate(found):
        said = tuple(tokens(candidate.text)) or (candidate.text,)
        together[said] = together.get(said, 0.0) + chances[place]
        by_sentence[places[id(source)]] += chances[place]
        if said not in best or chances[place] > chances[best[said]]:
            best[said] = place
    order = sorted(together.items(), key=lambda one: -one[1])[:MOST_COMPARED]
    spans = tuple(
        Span(
            found[best[said]][1].text,
            found[best[said]][0],
            found[best[said]][1],
            chance,
            sum(other_chance * _likeness(said, other) for other, other_chance in order),
        )
        for said, chance in order
    )
    return Ranked(spans, chances[-1], tuple(by_sentence))


def score(features: Mapping[str, float], by: Weights) -> float:
    """The weighted sum of features; those without a weight count nothing."""
    return sum(by.get(name, 0.0) * value for name, value in features.items())


def _softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def _likeness(left: tuple[str, ...], right: tuple[str, ...]) -> float:
    """Token F1."""
    shared = sum((Counter(left) & Counter(right)).values())
    return 2 * shared / (len(left) + len(right)) if shared else 0.0
