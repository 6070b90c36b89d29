"""Choosing and ordering sub-questions among a tiny model's samples, by rules that anyone can follow."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.retrieval.tokens import tokens
from core.skills.sampled_variants import VariantLimits, lacks_name, names_in
from core.trace.artefacts import DroppedQuery

SUB_QUESTION_LIMITS = VariantLimits(
    min_similarity=0.5,
    max_mutual_similarity=2.0,  # no limit: copies are told by their words, and the shorter one is the better one
    all_names=False,
    max_similarity=0.95,
    openers=("Who is", "Who", "What is", "When", "Where", "Which"),
    room=(5, 2),
)
"""Limits for sampled sub-questions: near to the question's topic, but not the question again."""

_LONGEST = 9
"""Words beside the names above which a sample is no simple question."""
_THINGS = ("who", "what", "which")
_MIXED = re.compile(
    r"^(?:who|what|which)\b.*\b(?:born|die[ds]?)\?$|"
    r"^(?:what|which) (?:film|movie|book|novel|song|album) (?:is|was) the\b",
    re.IGNORECASE,
)
"""Two questions in one, as in "Who is the director born?" or "Which film is the director?"."""
_SMALL = frozenset(
    re.findall(
        r"\w+",
        "who what which when where how why whose whom is are was were be been do does did has have had the a an and or "
        "of in on at to for from by with it they he she both that this there",
    )
)
"""Words that do not say what is asked for."""


def order_sub_questions(question: str, texts: Sequence[str], n: int) -> tuple[list[str], list[DroppedQuery]]:
    """Samples in the order they are worked on, and those that are no simple questions, with reasons.

    Of the first `n`, every name of the question gets one in turn, those that ask with the question's own words
    first; then they go name by name, "who" and "what" before "when" and "where".

    Args:
        question: What they are parts of.
        texts: In any order.
        n: How many will be used; the others follow.
    """
    names = names_in(question)
    asked = set(tokens(question))

    def rest(text: str) -> list[str]:
        for name in names:
            text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
        return [word for word in re.findall(r"[\w-]+", text.casefold()) if word != "s"]

    def content(text: str) -> set[str]:
        return set(tokens(" ".join(word for word in rest(text) if word not in _SMALL)))

    def name_of(text: str) -> int:
        return next((place for place, name in enumerate(names) if not lacks_name(name, text)), len(names))

    def quality(text: str) -> tuple[int, int, int]:
        words = content(text)
        return len(words - asked), -min(len(words), 2), len(text)

    kept: list[str] = []
    dropped: list[DroppedQuery] = []
    seen: list[tuple[int, str, set[str]]] = []
    for text in sorted(texts, key=quality):
        words = rest(text)
        opener = words[0] if words else ""
        name, asks, about = name_of(text), "" if opener in _THINGS else opener, content(text)
        said = [word for word in words if word not in _SMALL]
        if len(words) > _LONGEST or len(said) > len(set(said)) or "and" in words or _MIXED.search(text):
            dropped.append(DroppedQuery(text=text, reason="no simple question"))
        elif not said:
            dropped.append(DroppedQuery(text=text, reason="asks for nothing in particular"))
        elif any(
            (name, asks) == (other, also) and (about <= more or more <= about) for other, also, more in seen
        ):
            dropped.append(DroppedQuery(text=text, reason="asks the same as a better one"))
        else:
            seen.append((name, asks, about))
            kept.append(text)
    turns: dict[int, int] = {}
    order: list[tuple[int, int]] = []
    for index, text in enumerate(kept):
        turns[name_of(text)] = turns.get(name_of(text), 0) + 1
        order.append((turns[name_of(text)], index))
    in_turn = [kept[index] for _, index in sorted(order)]
    used = sorted(
        in_turn[:n], key=lambda text: (name_of(text), rest(text)[0] not in _THINGS, len(rest(text)))
    )
    return [*used, *in_turn[n:]], dropped
