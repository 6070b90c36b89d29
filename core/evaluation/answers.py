"""How good an answer is, judged by gold answers: exact match and token F1 as in SQuAD, also without blanks between
words, and containment; a refusal comes before all of them.

Exact match and F1: Rajpurkar et al., "SQuAD", arXiv 1606.05250. Both definitions of hallucination: Sanmartin,
"KG-RAG", arXiv 2405.12035, counts "I don't know" as one; we show it with and without.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from core.evaluation.choices import chosen, options_of
from core.evaluation.words import holds, tokens, words
from core.skills.refusals import abstains
from core.trace.artefacts import Answer

Verdict = Literal["right", "wrong", "refusal", "unclear"]
"""`unclear`: the words of the answer do not tell whether it is right."""

_YES = frozenset(("yes", "true", "예", "네", "はい", "是", "是的", "对"))
_NO = frozenset(("no", "false", "아니요", "아니오", "いいえ", "否", "不是", "不"))
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
        return "right" if is_right(text, gold) else "wrong"
    if options.rivals:
        return chosen(text, options)
    # The gold answer stands in the question by chance: “In which city is New York University?”
    if not is_right(text, gold):
        return "wrong"
    new = is_right(text, [one for one in named if not holds(question, one)])
    return "right" if new or answer.short else "unclear"


def judged_text(answer: Answer) -> str:
    """The text that is judged: the answer in few words where there is one, else its sentences without citations."""
    return answer.short.strip() or " ".join(answer.sentences) or answer.text


def exact_match(text: str, gold: str) -> float:
    """1 if both have the same tokens in the same order, else 0."""
    return float(tokens(text) == tokens(gold))


def token_f1(text: str, gold: str) -> float:
    """Harmonic mean of the precision and recall of an answer's tokens, from 0 to 1.

    If one of them is a bare yes or no, only the same word scores above 0, as in HotpotQA.
    """
    ours, theirs = tokens(text), tokens(gold)
    verdicts = _YES | _NO
    if ours != theirs and ("".join(ours) in verdicts or "".join(theirs) in verdicts):
        return 0.0
    if not ours or not theirs:
        return float(ours == theirs)
    shared = sum((Counter(ours) & Counter(theirs)).values())
    return 2 * shared / (len(ours) + len(theirs))


def is_right(text: str, gold: Sequence[str]) -> bool:
    """Whether an answer contains a gold answer, as whole words; a gold yes or no has to be its `polarity`."""
    for one in gold:
        wanted = _bare_polarity(one)
        if wanted is not None:
            if polarity(text) == wanted:
                return True
        elif holds(text, one):
            return True
    return False


def polarity(text: str) -> bool | None:
    """Whether an answer says yes or no, by its first or its last word; None: neither."""
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
    return True if word in _YES else False if word in _NO else None
