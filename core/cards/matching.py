"""The sentence of a passage that shares most with what was asked.

Lexical, so that it costs nothing and anyone can check it by eye.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.corpora.sentence_spans import sentence_spans
from core.retrieval.tokens import tokens
from core.trace.passages import Passage

Stretch = tuple[int, int]
"""First character of a part of a text, and one past its last."""
LONGEST_HEADING = 80
"""Characters of a line that is still read as a heading."""
_HEADING = re.compile(r"[ \t]*+(#{1,6}[ \t]++)?(?P<words>[^\n]*[^ \t#\n])[ \t#]*+\n(?P<apart>[ \t]*\n)?\s*")
"""A first line and the white space below it, as far as the next line with words."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a passage, without the headings above it."""

    start: int
    end: int
    section: str
    """The nearest heading above it in the passage; empty: there is none."""


@lru_cache(maxsize=2048)
def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of a passage in their order, of any language; headings are none."""
    return tuple(_sentences(text))


def _sentences(text: str) -> Iterator[Sentence]:
    section = ""
    for start, end in sentence_spans(text):
        # A heading comes with the sentence below it.
        while (heading := _HEADING.match(text, start, end)) and (heading["apart"] or heading[1]):
            if heading.end() >= end or len(heading["words"]) > LONGEST_HEADING:
                break
            section, start = heading["words"], heading.end()
        yield Sentence(start, end, section)


@lru_cache(maxsize=8192)
def _terms(text: str) -> frozenset[str]:
    """The search terms of a text; a run under way is drawn again and again with the same passages."""
    return frozenset(tokens(text))


def matches(query: str, passages: Sequence[Passage]) -> dict[str, Stretch]:
    """Return, by chunk, the sentence of each passage of a list that shares most with a question or query; passages
    that share nothing are left out. A sentence has the sum of the weights of the terms of the query that it holds
    (`core.retrieval.tokens`), each once. A term weighs log(1 + passages / passages with it), so that a word of all
    passages, such as their subject, tells least. Of equal sentences, the first. Where only a part of a passage was
    found, its sentences come first."""
    terms = _terms(query)
    shared = [terms & _terms(passage.text) for passage in passages]
    common = Counter(term for own in shared for term in own)
    weights = {term: math.log1p(len(passages) / count) for term, count in common.items()}
    best = {
        passage.chunk: _best(passage, weights)
        for passage, own in zip(passages, shared, strict=True)
        if own  # most sentences need not be cut
    }
    return {chunk: stretch for chunk, stretch in best.items() if stretch}


def _best(passage: Passage, weights: Mapping[str, float]) -> Stretch | None:
    stretches = [
        (span.start - passage.start, span.end - passage.start) for span in passage.spans if span.found
    ]
    best: tuple[bool, float] = (False, 0.0)
    stretch: Stretch | None = None
    for sentence in sentences_of(passage.text):
        # Rounded, so that the order of the sum does not decide between equal sentences.
        shared = _terms(passage.text[sentence.start : sentence.end]) & weights.keys()
        score = round(sum(sorted(weights[term] for term in shared)), 9)
        inside = not stretches or any(
            start < sentence.end and sentence.start < end for start, end in stretches
        )
        if score and (inside, score) > best:
            best, stretch = (inside, score), (sentence.start, sentence.end)
    return stretch
