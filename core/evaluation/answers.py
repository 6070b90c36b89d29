"""How good an answer is, judged by gold answers: exact match and token F1 as in SQuAD, also without blanks between
words, and containment.

Exact match and F1: Rajpurkar et al., "SQuAD", arXiv 1606.05250. Both definitions of hallucination: Sanmartin,
"KG-RAG", arXiv 2405.12035, counts "I don't know" as one; we show it with and without.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from core.retrieval.tokens import CJK
from core.trace.artefacts import Answer

_ARTICLES = frozenset(("a", "an", "the"))
_YES = frozenset(("yes", "true", "예", "네", "はい", "是", "是的", "对"))
_NO = frozenset(("no", "false", "아니요", "아니오", "いいえ", "否", "不是", "不"))
_DENIED = re.compile(r"no (one|answer|information|evidence|mention|passages?|documents?|sources?|sentence)\b")
"""Beginnings that say no without answering no."""
_ABSTAINS = re.compile(
    r"\b(i (do not|don['’]t|cannot|can['’]t) (know|answer|say|tell|determine)"
    r"|(cannot|can['’]t|could not) be (answered|determined|found)"
    r"|((is|are|remains) unknown|unanswerable|not enough information|insufficient information|no information|no answer)"
    r"|(passages?|context|documents?|sources?|texts?|triples?|evidence|information)\b[^.]{0,40}"
    r" (do|does|did)(n['’]t| not) (hold|contain|say|mention|state|provide|include|specify|give|answer)"
    r"|(is|are|was|were)(n['’]t| not) (mentioned|stated|given|provided|specified) in)\b"
    r"|알 수 없|모르겠|모릅니다|나와 있지 않|찾을 수 없|わかりません|分かりません|不明です|記載されていません"
    r"|不知道|无法回答|無法回答|没有提到|沒有提到|无法确定|無法確定",
    re.IGNORECASE,
)


def answer_scores(answer: Answer, gold: Sequence[str]) -> dict[str, float]:
    """The answer metrics of one question.

    Args:
        answer: What was answered; its citation marks do not count.
        gold: Right answers, each as good as another.

    Returns:
        Metric -> 0 or 1, for F1 anything between; empty without gold answers, except whether it abstained. An
        abstention is never right and hallucinates only by the paper's definition.
    """
    text = " ".join(answer.sentences) or answer.text
    right = is_right(text, gold)
    silent = answer.abstained or (abstains(text) and not right)
    if not gold:
        return {"abstained": float(silent)}
    return {
        "EM": 0.0 if silent else max(exact_match(text, one) for one in gold),
        "F1": 0.0 if silent else max(token_f1(text, one) for one in gold),
        "accuracy": float(right and not silent),
        "abstained": float(silent),
        "hallucination": float(not right and not silent),
        "hallucination_abstained": float(not right or silent),
    }


def tokens(text: str) -> list[str]:
    """The words of a text as SQuAD's normalisation leaves them: lower case, no punctuation, no English articles.

    Chinese, Japanese and Korean are cut into single characters, as MLQA does for Chinese and KorQuAD for Korean: a
    segmenter's mistakes would count as wrong answers, and endings glued to a Korean word would make it another
    word. The terms of keyword retrieval would not do: they are pairs of characters and stems, and lack “not”.
    """
    return _tokens(text, "")


def exact_match(text: str, gold: str) -> float:
    """1 if both have the same tokens in the same order, else 0."""
    return float(tokens(text) == tokens(gold))


def token_f1(text: str, gold: str) -> float:
    """Harmonic mean of the precision and recall of an answer's tokens, from 0 to 1.

    Where one of both is a bare yes or no, only the same word is right at all, as HotpotQA has it.
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
        # “Bowie's” holds “Bowie” where the mark separates, “U.S.” is “US” where it does not.
        elif any(_contains(_tokens(text, mark), _tokens(one, mark)) for mark in ("", " ")):
            return True
    return False


def polarity(text: str) -> bool | None:
    """Whether an answer says yes or no, by its first or its last word; None: neither."""
    words = _words(text, " ")
    if not words or _DENIED.match(" ".join(words)):
        return None
    clauses = re.split(r"[\s,.;:!?、。，！？]+", unicodedata.normalize("NFKC", text).lower().strip())
    for candidate in (words[0], clauses[0], words[-1]):
        found = _bare_polarity(candidate)
        if found is not None:
            return found
    return None


def abstains(text: str) -> bool:
    """Whether an answer says that it does not know, by usual phrases in English, Korean, Japanese and Chinese.

    A heuristic: models abstain in their own words. An empty answer abstains too.
    """
    return not text.strip() or bool(_ABSTAINS.search(text))


def _bare_polarity(text: str) -> bool | None:
    word = "".join(tokens(text))
    return True if word in _YES else False if word in _NO else None


def _words(text: str, mark: str) -> list[str]:
    """Lower-case words without punctuation, which `mark` takes the place of."""
    lowered = unicodedata.normalize("NFKC", text).lower()
    return "".join(mark if unicodedata.category(char)[0] in "PS" else char for char in lowered).split()


def _tokens(text: str, mark: str) -> list[str]:
    found: list[str] = []
    for word in _words(text, mark):
        for part in CJK.split(word):
            if CJK.match(part):
                found.extend(part)
            elif part and part not in _ARTICLES:
                found.append(part)
    return found


def _contains(text: Sequence[str], part: Sequence[str]) -> bool:
    return bool(part) and any(
        text[start : start + len(part)] == part for start in range(len(text) - len(part) + 1)
    )
