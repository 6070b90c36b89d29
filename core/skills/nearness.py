"""How well sentences fit a question, without a model: nearness in meaning, and the question's own words.

A sentence alone says "He was born in Vienna"; with the title of its passage before it, an embedding knows who. And
embeddings see the subject better than the detail that is asked for, which the question's words name: of their two
mistakes one mends the other. Weights and thresholds are measured by `benchmarks.skills`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.models.embeddings import cosine_matrix
from core.retrieval.tokens import tokens
from core.skills.base import SkillContext
from core.skills.sentences import language

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Cosines = NDArray[np.floating]

WORDS = 1 / 3
"""What the share of shared words counts in `fits`; the cosine counts the rest."""


def titled(title: str, sentence: str) -> str:
    """A sentence with what it is about."""
    return f"{title}: {sentence}" if title else sentence


async def nearness(context: SkillContext, question: str, texts: Sequence[str]) -> Cosines:
    """Cosine between a question and each of some texts, from -1 to 1.

    Raises:
        ModelError: The embedding model fails.
    """
    wanted = await context.embedder.embed_query(question)
    found: Cosines = cosine_matrix([wanted], await context.embedder.embed_documents(list(texts)))[0]
    return found


async def fits(context: SkillContext, question: str, texts: Sequence[str]) -> Cosines:
    """How well each of some texts fits a question, at most 1: two thirds nearness, one third shared words.

    Across languages no words can be shared, so nearness alone counts.

    Args:
        context: Its embedder is used.
        question: To be answered.
        texts: Sentences, each with its title; at least one.

    Raises:
        ModelError: The embedding model fails.
    """
    import numpy as np

    near = await nearness(context, question, texts)
    shares = [shared(question, text) for text in texts]
    return np.array(
        [
            (1 - WORDS) * cosine + WORDS * (cosine if share is None else share)
            for cosine, share in zip(near, shares, strict=True)
        ]
    )


def shared(question: str, text: str) -> float | None:
    """Share of a question's search terms that a text holds, from 0 to 1; None across languages, or without terms."""
    terms = set(tokens(question))
    if not terms or language(question) != language(text):
        return None
    return len(terms & set(tokens(text))) / len(terms)
