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
    names = [target for target in gold if _bare_polarity(target) is None]
    options = options_of(question, names)
    if options is None or is_right(text, [target for target in gold if target not in names]):
        return _beside(text, gold, question)
    if options.rivals:
        return verdict_by_options(text, options)
    # The gold answer stands in the question by chance: “In which city is New York University?”
    if not is_right(text, gold, question):
        return _beside(text, gold, question)
    new = is_right(text, [target for target in names if not holds(question, target)])
    return "right" if new or answer.short else "unclear"


def _beside(text: str, gold: Sequence[str], question: str) -> Verdict:
    """The verdict on an answer where the question names no options; `unclear` where a reader has to decide."""
    if is_right(text, gold, question):
        return "right"
    unclear = any(
        may_be_right(text, target, question) if _bare_polarity(target) is None else polarity(text) is None
        for target in gold
    )
    return "unclear" if unclear else "wrong"


def judged_text(answer: Answer) -> str:
    """The text that is judged: the answer in few words where there is one, else its sentences without citations."""
    return answer.short.strip() or " ".join(answer.sentences) or answer.text


def is_right(text: str, gold: Sequence[str], question: str = "") -> bool:
    """True if an answer contains a gold answer, as whole words, in whatever wording of its numbers, dates and lists, or
    its number without the unit; a gold yes or no has to be its `polarity`. A list that the question names itself is no
    answer."""
    for target in gold:
        expected = _bare_polarity(target)
        if expected is not None:
            if polarity(text) == expected:
                return True
        elif (
            same(text, target)
            or any(
                asserts(ours, theirs) or measures(ours, theirs)
                for ours, theirs in ((text, target), (plain_wording(text), plain_wording(target)))
            )
            or is_same_name(text, target)
            or has_all_items(text, target, question)
        ):
            return True
    return False


def polarity(text: str) -> bool | None:
    """True if an answer says yes, False if it says no, by its first or its last word; None: neither."""
    terms = words(text, " ")
    if not terms or _DENIED.match(" ".join(terms)):
        return None
    clauses = re.split(r"[\s,.;:!?、。，！？]+", unicodedata.normalize("NFKC", text).lower().strip())
    for candidate in (terms[0], clauses[0], terms[-1]):
        says_yes = _bare_polarity(candidate)
        if says_yes is not None:
            return says_yes
    return None


def _bare_polarity(text: str) -> bool | None:
    word = "".join(tokens(text))
    return True if word in YES else False if word in NO else None
