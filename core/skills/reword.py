"""Variants of a question: rewordings (Multi-Query) and related search queries (RAG-Fusion)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, StringConstraints

from core.corpora.sentence_spans import language
from core.models.capabilities import Sampling
from core.skills.base import MODEL, TAUGHT, Method, Skill, SkillContext, task
from core.skills.sampled_variants import SAMPLED, SAMPLES, SEARCHING, filtered_samples, sample_rewordings
from core.skills.taught import with_adapter
from core.skills.variants import MAX_CHARS, clean
from core.trace.artefacts import DroppedQuery, Queries


class Variants(BaseModel):
    """The form of the reply: a list of queries."""

    queries: list[Annotated[str, StringConstraints(max_length=MAX_CHARS)]]


FEWEST = 8
"""Samples of the taught method, however few variants are wanted: the sieve must have a choice."""
USUAL = 4
"""Search queries that a strategy asks for by default."""


def _samplings(n: int) -> list[Sampling]:
    """Sampling of the most likely reply and of several random ones."""
    others = max(FEWEST, 2 * n) - 1
    return [with_adapter(60), *[with_adapter(60, temperature=0.8, top_p=0.95)] * others]


_MODEL = Method(
    MODEL,
    "The model writes a list",
    "One call; the model returns all variants at once as structured output.",
    slots=("question", "n"),
)

REWORD = Skill.of(
    "reword",
    "Reword the question",
    _MODEL,
    Method(
        SAMPLED,
        "Many samples, sieved",
        f"{SAMPLES} short samples; embeddings and rules keep the usable ones. With the built-in model, which "
        "cannot write a usable list, a rule sets the first words of each sample and the spelling of the "
        "question's names; the model writes the rest. English only.",
        replies=SAMPLES,
        slots=("question",),
    ),
    builtin=SAMPLED,
)
SEARCH_QUERIES = Skill.of(
    "search_queries",
    "Write related search queries",
    _MODEL,
    Method(
        TAUGHT,
        "The taught model, sieved",
        f"Two short samples for each variant wanted, at least {FEWEST}: the built-in model writes one a call, as "
        "it was taught, and embeddings and rules keep the usable ones; English only.",
        replies=len(_samplings(USUAL)),
        slots=("question",),
    ),
    builtin=TAUGHT,
)


@task(REWORD, SEARCH_QUERIES)
async def variants(
    context: SkillContext, skill: Skill, question: str, *, n: int, include_original: bool
) -> Queries:
    """Up to `n` variants of a question by one of the two skills above, cleaned."""
    method = context.method(skill)
    raw: list[str] = []
    rejected: list[DroppedQuery] = []
    if method != MODEL and context.builtin and language(question) != "en":
        pass  # its samples would be of no use, and take a minute
    elif method == TAUGHT:
        raw, rejected = await filtered_samples(context, skill, method, question, SEARCHING, _samplings(n))
    elif method == SAMPLED:
        raw, rejected = await sample_rewordings(context, skill, question)
    else:
        sampling = Sampling(temperature=0.7, max_tokens=max(300, 120 * n))
        slots = {"question": question, "n": n, "language": context.searched_languages}
        raw = (await context.structured(skill, method, Variants, sampling, **slots)).queries
    queries = clean(
        question,
        raw,
        n=n,
        include_original=include_original,
        rejected=rejected,
        skill=skill.key,
        method=method,
    )
    return queries.model_copy(update={"note": _note(queries, n, context.builtin)})


def _note(queries: Queries, n: int, builtin: bool) -> str:
    usable = sum(query.origin == "model" for query in queries.queries)
    if usable >= n:
        return ""
    sentence = f"{usable} of the {n} variants asked for were usable"
    if usable == 0:
        sentence = "None of the model's variants was usable, so only the question itself is searched"
    return sentence + (": the built-in model is tiny and knows English only." if builtin else ".")
