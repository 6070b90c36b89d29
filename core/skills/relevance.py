"""How relevant sentences are to a question, without a chat model: similarity in meaning, and shared words.

A sentence alone says "He was born in Vienna"; with the title of its passage before it, an embedding knows who. And
embeddings see the subject better than the detail that is asked for, which the question's words name: the two measures
err in opposite directions, so their weighted mean is more accurate than either. Weights and thresholds are measured by
`research.skills`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.corpora.sentence_spans import language
from core.models.embedding_vectors import cosine_matrix
from core.retrieval.tokens import tokens
from core.skills.base import SkillContext
from core.trace.passages import Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Cosines = NDArray[np.floating]

WORDS = 1 / 3
"""Weight of the share of shared words in `relevance`; the cosine has the rest."""


def titled(title: str, sentence: str) -> str:
    """A sentence with the title of its passage, which says what it is about."""
    return f"{title}: {sentence}" if title else sentence


async def similarity(context: SkillContext, question: str, texts: Sequence[str]) -> Cosines:
    """Cosine between a question and each of some texts, from -1 to 1.

    Raises:
        ModelError: The embedding model fails.
    """
    wanted = await context.embedder.embed_query(question)
    cosines: Cosines = cosine_matrix([wanted], await context.embedder.embed_documents(list(texts)))[0]
    return cosines


async def relevance(context: SkillContext, question: str, texts: Sequence[str]) -> Cosines:
    """Relevance to a question of sentences with their titles, at most 1: two thirds cosine similarity, one third shared
    words. Across languages no words can be shared, so the similarity alone counts.

    Raises:
        ModelError: The embedding model fails.
    """
    import numpy as np

    near = await similarity(context, question, texts)
    shares = [shared_terms(question, text) for text in texts]
    words = [near[i] if share is None else share for i, share in enumerate(shares)]
    return np.array([(1 - WORDS) * cosine + WORDS * share for cosine, share in zip(near, words, strict=True)])


async def most_relevant(
    context: SkillContext, question: str, pool: Sequence[tuple[Passage, str]]
) -> tuple[Passage, str, float]:
    """The sentence of a pool, which has one at least, with the highest relevance to a question; with its passage, and
    that relevance.

    Raises:
        ModelError: The embedding model fails.
    """
    scores = await relevance(
        context, question, [titled(passage.title, sentence) for passage, sentence in pool]
    )
    best = int(scores.argmax())
    return *pool[best], float(scores[best])


def shared_terms(question: str, text: str) -> float | None:
    """Share of a question's search terms that a text holds, from 0 to 1; None across languages, or without terms."""
    terms = set(tokens(question))
    if not terms or language(question) != language(text):
        return None
    return len(terms & set(tokens(text))) / len(terms)
