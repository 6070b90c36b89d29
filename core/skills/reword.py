"""Variants of a question: rewordings (Multi-Query) and related search queries (RAG-Fusion)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, StringConstraints

from core.models.chat import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext
from core.skills.sampled import REWORDING, SAMPLES, SEARCHING, sample_variants
from core.skills.sentences import language
from core.skills.variants import MAX_CHARS, clean
from core.trace.artefacts import DroppedQuery, Queries
from core.trace.events import Message


class Variants(BaseModel):
    """What the model is asked for."""

    queries: list[Annotated[str, StringConstraints(max_length=MAX_CHARS)]]


_METHODS = (
    Method(
        MODEL,
        "The model writes a list",
        "One call; the model returns all variants at once as structured output.",
        calls=1,
        slots=("question", "n"),
    ),
    Method(
        "sampled",
        "Many samples, sieved",
        f"{SAMPLES} short samples; embeddings and rules keep the usable ones. With the built-in model, which cannot "
        "write a usable list, a rule sets the first words of each sample and the spelling of the question's names; "
        "the model writes the rest. English only.",
        calls=SAMPLES,
        slots=("question",),
    ),
)

REWORD = Skill("reword", "Reword the question", _METHODS, builtin="sampled")
SEARCH_QUERIES = Skill("search_queries", "Write related search queries", _METHODS, builtin="sampled")


async def variants(
    context: SkillContext, skill: Skill, question: str, *, n: int, include_original: bool
) -> Queries:
    """Up to `n` variants of a question by one of the two skills above, cleaned.

    Raises:
        ModelError: The model gave nothing usable.
    """
    method = context.method(skill)
    raw: list[str] = []
    rejected: list[DroppedQuery] = []
    if method == "sampled" and context.builtin and language(question) != "en":
        pass  # its samples would be of no use, and take a minute
    elif method == "sampled":
        raw, rejected = await sample_variants(
            context, skill, method, question, REWORDING if skill is REWORD else SEARCHING
        )
    else:
        prompt = context.fill(skill, method, question=question, n=n)
        reply = await context.chat.structured(
            (Message(role="user", content=prompt),),
            Variants,
            skill=skill.key,
            method=method,
            sampling=Sampling(temperature=0.7, max_tokens=max(300, 120 * n)),
        )
        raw = reply.queries
    made = clean(
        question,
        raw,
        n=n,
        include_original=include_original,
        rejected=rejected,
        skill=skill.key,
        method=method,
    )
    return made.model_copy(update={"note": _note(made, n, context.builtin)})


def _note(made: Queries, n: int, builtin: bool) -> str:
    usable = sum(query.origin == "model" for query in made.queries)
    if usable >= n:
        return ""
    found = f"{usable} of the {n} variants asked for were usable"
    found = "None of the model's variants was usable" if usable == 0 else found
    if usable == 0:
        found += ", so only the question itself is searched"
    return found + (": the built-in model is tiny and knows English only." if builtin else ".")
