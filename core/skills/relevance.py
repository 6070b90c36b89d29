"""How well sentences fit a question, without a model: nearness in meaning, and the question's own words.

A sentence alone says "He was born in Vienna"; with the title of its passage before it, an embedding knows who. And
embeddings see the subject better than the detail that is asked for, which the question's words name: of their two
mistakes one mends the other. Weights and thresholds are measured by `benchmarks.skills`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.models.embedding_vectors import cosine_matrix
from core.retrieval.tokens import tokens
from core.skills.base import SkillContext
from core.skills.sentences import language
from core.trace.passages import Passage

WORDS = 1 / 3
"""What the share of shared words counts in `relevance`; the cosine counts the rest."""


def titled(title: str, sentence: str) -> str:
    """A sentence with what it is about."""
    return f"{title}: {sentence}" if title else sentence


async def similarity(context: SkillContext, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """Cosine between a question and each of some texts, from -1 to 1.

    Raises:
        ModelError: The embedding model fails.
    """
    wanted = np.array([await context.embedder.embed_query(question)])
    found: NDArray[np.float64] = cosine_matrix(
        wanted, np.array(await context.embedder.embed_documents(list(texts)))
    )[0]
    return found


async def relevance(context: SkillContext, question: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """How well each of some texts fits a question, at most 1: two thirds nearness, one third shared words.

    Across languages no words can be shared, so nearness alone counts.

    Args:
        question: To be answered.
        texts: Sentences, each with its title; at least one.

    Raises:
        ModelError: The embedding model fails.
    """
    near = await similarity(context, question, texts)
    shares = [shared_terms(question, text) for text in texts]
    held = [near[i] if share is None else share for i, share in enumerate(shares)]
    return np.array([(1 - WORDS) * cosine + WORDS * share for cosine, share in zip(near, held, strict=True)])


async def most_relevant(
    context: SkillContext, question: str, pool: Sequence[tuple[Passage, str]]
) -> tuple[Passage, str, float]:
    """Of some sentences, each with its passage, the one that fits a question best; and how well, see `relevance`.

    Raises:
        ModelError: The embedding model fails.
    """
    found = await relevance(
        context, question, [titled(passage.title, sentence) for passage, sentence in pool]
    )
    best = int(np.argmax(found))
    return *pool[best], float(found[best])


def shared_terms(question: str, text: str) -> float | None:
    """Share of a question's search terms that a text holds, from 0 to 1; None across languages, or without terms."""
    terms = set(tokens(question))
    if not terms or language(question) != language(text):
        return None
    return len(terms & set(tokens(text))) / len(terms)
