"""Judging answers by gold answers: by containment, by units, by yes and no, whatever the wording of
numbers, dates and lists; a refusal comes before all of them. What only may be right is left to a reader. Exact match
and F1 as they are published: `core.evaluation.words`.

Both definitions of hallucination: Sanmartin, "KG-RAG", arXiv 2405.12035, counts "I don't know" as one; we show it with
and without.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from core.evaluation.choices import options_of, verdict_by_options
from core.evaluation.nearness import has_all_items, is_same_name, may_be_right
from core.evaluation.quantities import measures
from core.evaluation.wordings import plain_wording
from core.evaluation.words import NO, YES, asserts, holds, same, tokens, words
from core.skills.refusals import abstains
from core.trace.artefacts import Answer

Verdict = Literal["right", "wrong", "refusal", "unclear"]
"""`unclear`: the words of the answer do not tell whether it is right."""

_DENIED = re.compile(r"no (one|answer|information|evidence|mention|passages?|documents?|sources?|sentence)\b")
"""Beginnings with “no” that are not the answer no."""


def verdict(answer: Answer, gold: Sequence[str], question: str) -> Verdict:
    """The verdict on an answer; without gold answers, `wrong` stands for everything that is no refusal.

    An answer is a refusal if its method says so, or else if its words do. Where there is no answer in few words, the
    whole text is judged.

    Args:
        gold: Right answers, each as good as another.
    """
    text = judged_text(answer)
    if answer.abstained or abstains(text, "" if answer.short else question):
        return "refusal"
    named = [one for one in gold if _bare_polarity(one) is None]
    options = options_of(question, named)
    if options is None or is_right(text, [one for one in gold if one not in named]):
        return _beside(text, gold, question)
    if options.rivals:
        return verdict_by_options(text, options)
    # The gold answer stands in the question by chance: “In which city is New York University?”
    if not is_right(text, gold, question):
        return _beside(text, gold, question)
    new = is_right(text, [one for one in named if not holds(question, one)])
    return "right" if new or answer.short else "unclear"


def _beside(text: str, gold: Sequence[str], question: str) -> Verdict:
    """The verdict on an answer where the question names no options; a reader decides where words do not."""
    if is_right(text, gold, question):
        return "right"
    unclear = any(
        may_be_right(text, one, question) if _bare_polarity(one) is None else polarity(text) is None
        for one in gold
    )
    return "unclear" if unclear else "wrong"


def judged_text(answer: Answer) -> str:
    """The text that is judged: the answer in few words where there is one, else its sentences without citations."""
    return answer.short.strip() or " ".join(answer.sentences) or answer.text


def is_right(text: str, gold: Sequence[str], question: str = "") -> bool:
    """True if an answer contains a gold answer, as whole words, in whatever wording of its numbers, dates and lists, or
    its number without the unit; a gold yes or no has to be its `polarity`. A list that the question names itself is no
    answer."""
    for one in gold:
        wanted = _bare_polarity(one)
        if wanted is not None:
            if polarity(text) == wanted:
                return True
        elif (
            same(text, one)
            or any(
                asserts(said, wanted) or measures(said, wanted)
                for said, wanted in ((text, one), (plain_wording(text), plain_wording(one)))
            )
            or is_same_name(text, one)
            or has_all_items(text, one, question)
        ):
            return True
    return False


def polarity(text: str) -> bool | None:
    """True if an answer says yes, False if it says no, by its first or its last word; None: neither."""
    said = words(text, " ")
    if not said or _DENIED.match(" ".join(said)):
        return None
    clauses = re.split(r"[\s,.;:!?、。，！？]+", unicodedata.normalize("NFKC", text).lower().strip())
    for candidate in (said[0], clauses[0], said[-1]):
        found = _bare_polarity(candidate)
        if found is not None:
            return found
    return None


def _bare_polarity(text: str) -> bool | None:
    word = "".join(tokens(text))
    return True if word in YES else False if word in NO else None
