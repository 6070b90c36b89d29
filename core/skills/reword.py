"""Variants of a question: rewordings (Multi-Query) and related search queries (RAG-Fusion)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, StringConstraints

from core.models.capabilities import Sampling
from core.skills.base import MODEL, TAUGHT, Method, Skill, SkillContext
from core.skills.sampled_variants import REWORDING, SAMPLES, SEARCHING, filtered_samples, sample_variants
from core.skills.sentences import language
from core.skills.task import task
from core.skills.taught import with_adapter
from core.skills.variants import MAX_CHARS, clean
from core.trace.artefacts import DroppedQuery, Queries


class Variants(BaseModel):
    """What the model is asked for."""

    queries: list[Annotated[str, StringConstraints(max_length=MAX_CHARS)]]


FEWEST = 8
"""Samples of the taught method, however few variants are wanted: the sieve must have a choice."""


def _methods(usual: int) -> tuple[Method, ...]:
    """The methods of both skills.

    Args:
        usual: How many variants the strategy asks for by default.
    """
    taught = Method(
        TAUGHT,
        "The taught model, sieved",
        f"Two short samples for each variant wanted, at least {FEWEST}: the built-in model writes one a call, as it "
        "was taught, and embeddings and rules keep the usable ones; English only.",
        replies=len(_samplings(usual)),
        slots=("question",),
    )
    return *_METHODS, taught


def _samplings(n: int) -> list[Sampling]:
    """Sampling of the most likely reply and of several random ones."""
    others = max(FEWEST, 2 * n) - 1
    return [with_adapter(60), *[with_adapter(60, temperature=0.8, top_p=0.95)] * others]


_METHODS = (
    Method(
        MODEL,
        "The model writes a list",
        "One call; the model returns all variants at once as structured output.",
        slots=("question", "n"),
    ),
    Method(
        "sampled",
        "Many samples, sieved",
        f"{SAMPLES} short samples; embeddings and rules keep the usable ones. With the built-in model, which cannot "
        "write a usable list, a rule sets the first words of each sample and the spelling of the question's names; "
        "the model writes the rest. English only.",
        replies=SAMPLES,
        slots=("question",),
    ),
)

REWORD = Skill("reword", "Reword the question", _methods(5), builtin="sampled")
SEARCH_QUERIES = Skill(
    "search_queries", "Write related search queries", _methods(4), builtin=TAUGHT, untaught="sampled"
)


@task(REWORD, SEARCH_QUERIES)
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
    wanted = REWORDING if skill is REWORD else SEARCHING
    if method in ("sampled", TAUGHT) and context.builtin and language(question) != "en":
        pass  # its samples would be of no use, and take a minute
    elif method == "sampled":
        raw, rejected = await sample_variants(context, skill, method, question, wanted)
    elif method == TAUGHT:
        raw, rejected = await filtered_samples(context, skill, method, question, wanted, _samplings(n))
    else:
        sampling = Sampling(temperature=0.7, max_tokens=max(300, 120 * n))
        slots = {"question": question, "n": n, "language": context.searched_languages}
        raw = (await context.structured(skill, method, Variants, sampling, **slots)).queries
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
    if usable == 0:
        found = "None of the model's variants was usable, so only the question itself is searched"
    return found + (": the built-in model is tiny and knows English only." if builtin else ".")
