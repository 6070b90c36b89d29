"""What is shown: a span, the sentence alone, or that the fact is missing.

Three thresholds, chosen on one half of the questions of outside data and judged on the other, see
`benchmarks.offline_answers`: so that more answers are right and no more are wrong than with the best sentence alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.skills.spans.candidates import dates_and_numbers
from core.skills.spans.features import Asked, Source
from core.skills.spans.ranking import Ranked, Span, Weights, best_sources, learned, rank, score
from core.skills.spans.wanted import Wanted

SPAN_FROM = 0.7
"""Trust in a span from which it is shown, see `Span`."""
SENTENCE_FROM = 0.65
"""Chance that a sentence holds the answer from which it is shown."""
SPAN_LED_TO_FROM = 0.3
"""Trust from which a span is shown where no sentence is likely enough, if another passage leads to its passage: the
sentence that answers the second of two steps hardly resembles the question."""


@dataclass(frozen=True)
class Decided:
    """What is shown of some sentences; neither span nor sentence: the fact is missing."""

    span: str = ""
    sentence: Source | None = None
    """The one that the span stands in, or the one that is shown alone."""
    trust: float = 0.0
    """In what is shown, or in the best span where nothing is, from 0 to 1."""


def decide(
    question: str, wanted: Wanted, sources: Sequence[Source], by: Mapping[str, Weights] | None = None
) -> Decided:
    """What to show of sentences in English.

    Args:
        wanted: What the question asks for.
        sources: Sentences of the passages.
        by: Weights of spans and of sentences; None: those that come with the app.
    """
    by = learned() if by is None else by
    asked = Asked(question, wanted, best_sources(sources))
    ranked = rank(asked, by["spans"])
    if not ranked.spans:
        return Decided()
    best = ranked.spans[0]
    if best.trust >= SPAN_FROM:
        return Decided(best.text, best.source, best.trust)
    place = likeliest_sentence(ranked)
    chance = sentence_chance(asked, ranked, place, by["sentences"])
    if chance >= SENTENCE_FROM:
        return Decided("", asked.sources[place], chance)
    if best.trust >= SPAN_LED_TO_FROM and asked.led_to[best.source.passage]:
        return Decided(best.text, best.source, best.trust)
    return Decided(trust=best.trust)


def likeliest_sentence(ranked: Ranked) -> int:
    """Place of the sentence that most likely holds the answer."""
    return max(range(len(ranked.by_sentence)), key=lambda place: ranked.by_sentence[place])


def sentence_features(asked: Asked, ranked: Ranked, place: int) -> dict[str, float]:
    """What speaks for a sentence holding the answer."""
    source = asked.sources[place]
    best: Span | None = ranked.spans[0] if ranked.spans else None
    return {
        "always": 1.0,
        "fit": source.fit,
        "most relevant": float(source.fit == asked.best),
        "chance": ranked.by_sentence[place],
        "nothing": ranked.nothing,
        "share with title": asked.of_sentences[place]["share with title"],
        "trust": best.trust if best else 0.0,
        "steps": float(asked.steps),
        f"kind {asked.wanted.kind}": 1.0,
    }


def sentence_chance(asked: Asked, ranked: Ranked, place: int, by: Weights) -> float:
    """Chance, from 0 to 1, that a sentence holds the answer: a logistic regression."""
    return 1 / (1 + math.exp(-score(sentence_features(asked, ranked, place), by)))


def decide_by_form(wanted: Wanted, best: Source) -> Decided:
    """What to show of the best sentence in Korean, Japanese or Chinese: the only date, or the only number, in it."""
    if wanted.kind in ("date", "number"):
        found = {
            one.text for one in dates_and_numbers(best.text, "date" if wanted.kind == "date" else "number")
        }
        if len(found) == 1:
            return Decided(found.pop(), best, best.fit)
    return Decided("", best, best.fit)
