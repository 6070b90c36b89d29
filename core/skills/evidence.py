"""The sentences of a passage that hold what a clause says: what a citation quotes.

Lexical on purpose: it costs no model call, and anyone can check it by eye.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from core.corpora.sentence_spans import sentences
from core.retrieval.tokens import tokens
from core.trace.passages import Passage

MOST = 3
"""Sentences of one passage that a clause has at most."""
_LONGEST_HEADING = 80
"""Characters."""
_MARKED = re.compile(r" {0,3}#{1,6}\s|\*\*[^*]+\*\*\s*\Z")
_DECORATION = " \t#*_=:"
_NO_HEADING = re.compile(r"[.!?…。！？:;,|\t][)\]\"'”’」』]{0,3}\s*\Z|\||\t|: |\A\s*[-+•]\s")
"""What a line has that is a sentence, a row, a field or an item."""
_DIGIT = re.compile(r"\d")


def statements(passage: Passage) -> list[str]:
    """The sentences of a passage in order, without its headings; with them where it has nothing else."""
    return sentences(_body(passage)) or sentences(passage.text)


def quotes(clauses: Sequence[str], passage: Passage) -> tuple[str, ...]:
    """The sentences of a passage that hold what a clause says, one for each fact; empty: none shares a word with it.

    The sentence that holds most of its words comes first, a word counting the more the fewer sentences have it, and not
    at all where it stands in the title. Further ones follow that hold a number, or two other words, which those before
    lack. A heading is quoted only from a passage that has nothing else.

    Args:
        clauses: The words that a mark stands behind; then what else may tell, in order, where no word of these fits.
    """
    pool = statements(passage)
    terms = [set(tokens(sentence)) for sentence in pool]
    counts = Counter(term for own in terms for term in own)
    weights = {term: math.log1p(len(pool) / count) for term, count in counts.items()}
    subject = set(tokens(f"{passage.title} {passage.heading}"))
    for clause in clauses:
        terms_of_clause = set(tokens(clause))
        for wanted in (terms_of_clause - subject, terms_of_clause):
            if places := _covering(wanted, terms, weights):
                return tuple(pool[place] for place in places)
    return ()


def _covering(wanted: set[str], terms: Sequence[set[str]], weights: dict[str, float]) -> list[int]:
    """Places of the sentences that together hold the wanted terms, the best first."""
    places: list[int] = []
    open_ = {term for term in wanted if term in weights}
    while open_ and len(places) < MOST:

        def worth(place: int, left: set[str] = open_) -> tuple[float, float, int]:
            shared = left & terms[place]
            # Rounded, so that the order of the sum does not decide between equal sentences.
            weight = round(sum(sorted(weights[term] for term in shared)), 9)
            return weight, len(wanted & terms[place]) / (len(terms[place]) or 1), -place

        best = max((place for place in range(len(terms)) if place not in places), key=worth, default=None)
        if best is None:
            break
        new = open_ & terms[best]
        if not new or (places and len(new) < 2 and not any(map(_DIGIT.search, new))):
            break
        places.append(best)
        open_ -= new
    return places


def _body(passage: Passage) -> str:
    """The text of a passage without its headings: lines with a heading's mark, lines that repeat its title or the
    heading above it, and short lines that stand alone and are no sentence."""
    names = {name.casefold().strip(_DECORATION) for name in (passage.title, passage.heading)} - {""}
    lines = passage.text.split("\n")
    body = []
    for place, line in enumerate(lines):
        alone = not any(
            beside.strip() for beside in (*lines[max(0, place - 1) : place], *lines[place + 1 : place + 2])
        )
        heading = alone and len(line) <= _LONGEST_HEADING and not _NO_HEADING.search(line)
        if not (heading or _MARKED.match(line) or line.casefold().strip(_DECORATION) in names):
            body.append(line)
    return "\n".join(body)
