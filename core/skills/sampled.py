"""Query variants from a tiny model: many short samples under a grammar, then a strict sieve.

Asked for a list, a 135M model repeats the question or drifts away. Asked many times for one question that
begins with a question word, some of its replies are good; embeddings and simple rules find out which.
"""

from __future__ import annotations

import asyncio
import re

import numpy as np

from core.models.chat import Sampling
from core.models.embeddings import cosine_matrix
from core.skills.base import Skill, SkillContext
from core.skills.variants import tidy
from core.trace.artefacts import DroppedQuery
from core.trace.events import Message

SAMPLES = 16
TEMPERATURES = (0.5, 0.6, 0.7, 0.8)
CLOSEST, FARTHEST, TWINS = 0.985, 0.85, 0.985
"""Cosine to the question above which a variant says nothing new and below which it asks something else;
and between two variants, above which one is enough."""

_GRAMMAR = """root ::= opener " " rest "?"
opener ::= "What" | "Which" | "Who" | "Where" | "When" | "How" | "Did" | "Does" | "Is" | "Are" | "Was" | "Were" | "In what" | "For which"
rest ::= [^?\\n]{8,140}
"""  # noqa: E501
_NAME_OR_NUMBER = re.compile(r"(?<!^)\b[A-Z][\w'’-]+|\b\d[\d.,]*\b")


async def sample_variants(
    context: SkillContext, skill: Skill, method: str, question: str
) -> tuple[list[str], list[DroppedQuery]]:
    """Variants worth searching, nearest in meaning first, and what the sieve refused, with reasons."""
    prompt = context.fill(skill, method, question=question)
    messages = (Message(role="user", content=prompt),)

    async def one(temperature: float) -> str:
        extra = {"grammar": _GRAMMAR} if context.builtin else {}
        sampling = Sampling(temperature=temperature, max_tokens=60, extra=extra)
        return await context.chat.text(messages, skill=skill.key, method=method, sampling=sampling)

    replies = await asyncio.gather(*(one(TEMPERATURES[i % len(TEMPERATURES)]) for i in range(SAMPLES)))
    unique = list(dict.fromkeys(filter(None, (tidy(reply) for reply in replies))))
    return await _sieve(context, question, unique)


async def _sieve(
    context: SkillContext, question: str, candidates: list[str]
) -> tuple[list[str], list[DroppedQuery]]:
    if not candidates:
        return [], []
    vectors = np.array(await context.embedder.embed_documents([question, *candidates]))
    similar = cosine_matrix(vectors, vectors)
    required = {word.casefold().rstrip(".,") for word in _NAME_OR_NUMBER.findall(question)}
    kept: list[int] = []
    dropped: list[DroppedQuery] = []
    for index in sorted(range(1, len(vectors)), key=lambda i: -similar[0, i]):
        text, likeness = candidates[index - 1], similar[0, index]
        missing = [word for word in sorted(required) if word not in text.casefold()]
        if likeness > CLOSEST:
            reason = f"nearly the same as the question (cosine {likeness:.2f})"
        elif likeness < FARTHEST:
            reason = f"asks something else (cosine {likeness:.2f})"
        elif missing:
            reason = f"loses {', '.join(missing)}"
        elif any(similar[index, other] > TWINS for other in kept):
            reason = "nearly the same as a better variant"
        else:
            kept.append(index)
            continue
        dropped.append(DroppedQuery(text=text, reason=reason))
    return [candidates[index - 1] for index in kept], dropped
