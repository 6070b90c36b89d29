"""What is shown: a span, the sentence alone, or that the fact is missing.

Thresholds were chosen on one half of the questions of outside data and judged on the other, see
`research.offline_answers`: more answers right where it can be had, and no more wrong ones than with the best sentence
alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.skills.spans.candidates import dates_and_numbers
from core.skills.spans.features import Asked, Source
from core.skills.spans.ranking import Ranked, Span, Weights, best_sources, learned, rank, score
from core.skills.spans.wanted import Wanted

SPAN_FROM = 0.85
"""Trust in a span from which it is shown, see `Span`."""
SPAN_OF_STEP_FROM = 0.5
"""The same for the answer to a sub-question: the next step needs a value, and a sentence in its place finds nothing."""
SENTENCE_FROM = 0.6
"""Chance that a sentence holds the answer from which it is shown where it, or another, fits the question by
`FIT_FROM`."""
FIT_FROM = 0.47
"""Relevance as of the method that copies the best sentence."""
SENTENCE_ALONE_FROM = 0.8
"""Chance from which it is shown however little it resembles the question."""
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
    question: str,
    wanted: Wanted,
    sources: Sequence[Source],
    by: Mapping[str, Weights] | None = None,
    *,
    span_from: float = SPAN_FROM,
) -> Decided:
    """What to show of sentences in English.

    Args:
        wanted: What the question asks for.
        sources: Sentences of the passages.
        by: Weights of spans and of sentences; None: those that come with the app.
        span_from: Trust from which a span is shown.
    """
    by = learned() if by is None else by
    asked = Asked(question, wanted, best_sources(sources))
    ranked = rank(asked, by["spans"])
    if not ranked.spans:
        return Decided()
    best = ranked.spans[0]
    if best.trust >= span_from:
        return Decided(best.text, best.source, best.trust)
    place = likeliest_sentence(ranked)
    chance = sentence_chance(asked, ranked, place, by["sentences"])
    if is_likely(chance, asked.best):
        return Decided("", asked.sources[place], chance)
    if best.trust >= SPAN_LED_TO_FROM and asked.led_to[best.source.passage]:
        return Decided(best.text, best.source, best.trust)
    return Decided(trust=best.trust)


def is_likely(chance: float, fit: float) -> bool:
    """Whether a sentence is likely enough to be shown.

    Args:
        chance: That it holds the answer.
        fit: The best relevance of all sentences.
    """
    return chance >= SENTENCE_ALONE_FROM or (chance >= SENTENCE_FROM and fit >= FIT_FROM)


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


def decide_by_form(wanted: Wanted, best: Source, *, span_from: float = SPAN_FROM) -> Decided:
    """What to show of the best sentence in Korean, Japanese or Chinese: as the answer to a sub-question the only date,
    or the only number, in it; else the sentence, since on Chinese questions more of these were wrong than right."""
    if wanted.kind in ("date", "number") and span_from <= SPAN_OF_STEP_FROM:
        found = {
            one.text for one in dates_and_numbers(best.text, "date" if wanted.kind == "date" else "number")
        }
        if len(found) == 1:
            return Decided(found.pop(), best, best.fit)
    return Decided("", best, best.fit)
