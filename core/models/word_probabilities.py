"""The probability of each of a few words to begin a reply."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from core.models.wire import Likely

TOP = 20
"""Tokens whose log-probabilities are asked for: the most that endpoints give."""
ASKED = {"logprobs": True, "top_logprobs": TOP}
"""Fields of a request body that wants them."""


def word_probabilities(words: Sequence[str], likely: Iterable[Likely], reply: str) -> dict[str, float]:
    """The probability of each word being the first one of a reply, normalised over these words.

    Args:
        words: What the reply may begin with.
        likely: Tokens that could have begun it; empty where the endpoint gives no log-probabilities.
        reply: What it said: it decides where nothing else does.

    Returns:
        Word -> probability; they sum to 1. Empty where nothing fits any word.
    """
    found = dict.fromkeys(words, 0.0)
    for token in likely:
        word = _meant(token.text, words)
        if word is not None and not math.isnan(token.logprob):
            found[word] += math.exp(min(token.logprob, 0.0))
    total = sum(found.values())
    if total > 0:
        return {word: chance / total for word, chance in found.items()}
    said = next((word for word in words if _begins(reply, word)), None) or _meant(reply, words)
    return {} if said is None else {word: float(word == said) for word in words}


def _meant(token: str, words: Sequence[str]) -> str | None:
    """The word that a token is, or begins; None: no word, or it could be several."""
    text = token.strip().casefold()
    for word in words:
        if word.casefold() == text:
            return word
    begun = [word for word in words if text and word.casefold().startswith(text)]
    return begun[0] if len(begun) == 1 else None


def _begins(reply: str, word: str) -> bool:
    """Whether a reply begins with a whole word."""
    text, wanted = reply.strip().casefold(), word.casefold()
    return text.startswith(wanted) and not text[len(wanted) : len(wanted) + 1].isalnum()
