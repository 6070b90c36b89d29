"""Stepping back: from a question to a more general one behind it (Zheng et al. 2023, arXiv 2310.06117)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from core.jobs import at_once
from core.models.capabilities import Sampling
from core.models.embedding_vectors import cosine_matrix
from core.skills.base import MODEL, TAUGHT, Method, Skill, SkillContext
from core.skills.sampled_variants import EXTRA, grammar, lacks_name, names_in
from core.skills.sentences import language
from core.skills.task import task
from core.skills.taught import ENGLISH_ONLY, ask_taught, with_adapter
from core.skills.variants import MAX_CHARS, letters, tidy, why_gibberish
from core.trace.artefacts import StepBack

SAMPLES = 8
TEMPERATURES = (0.5, 0.8)
OPENERS = ("What is known about", "What is the")
"""How a sample may begin where the built-in model writes it; without a set beginning it copies the question."""
NEAREST, FARTHEST = 0.85, 0.35
"""Cosine to the question between which a sample is more general: nearer it asks the same, farther something else."""


class General(BaseModel):
    """What the model is asked for."""

    question: Annotated[str, StringConstraints(max_length=MAX_CHARS)]


STEP_BACK = Skill(
    "step_back",
    "Step back to a more general question",
    (
        Method(
            MODEL,
            "The model steps back",
            "One call with a few examples; the model returns one question.",
            slots=("question",),
        ),
        Method(
            "sampled",
            "Several samples, the best kept",
            f"{SAMPLES} short samples after five examples; kept is the one nearest to the question whose cosine lies "
            f"between {FARTHEST} and {NEAREST} and that names what the question is about. Where there is none, a "
            "rule asks what is known about the names in the question. English only.",
            replies=SAMPLES,
            slots=("question",),
        ),
        Method(
            TAUGHT,
            "The taught model steps back",
            "One call: the built-in model asks a more general question as it was taught; where it repeats the question "
            "or loses its names, a rule asks what is known about them; English only.",
            slots=("question",),
        ),
    ),
    builtin=TAUGHT,
    untaught="sampled",
)


@task(STEP_BACK)
async def step_back(context: SkillContext, question: str) -> StepBack:
    """The more general question; the question itself, with a note, where none is found.

    Raises:
        ModelError: The model gave nothing usable.
    """
    method = context.method(STEP_BACK)
    if method == "sampled":
        general, note = await _sampled(context, method, question)
    elif method == TAUGHT:
        general, note = await _taught(context, question)
    else:
        sampling = Sampling(temperature=0.0, max_tokens=300)
        slots = {"question": question, "language": context.searched_language}
        reply = await context.structured(STEP_BACK, method, General, sampling, **slots)
        general, note = tidy(reply.question), ""
    if not general or letters(general) == letters(question):
        why = note or ("The model repeated the question." if general else "The model gave no question.")
        note = f"No step back: {why[0].lower()}{why[1:]} Only the question itself is searched, once."
        general = question
    return StepBack(question=question, general=general, skill=STEP_BACK.key, method=method, note=note)


async def _sampled(context: SkillContext, method: str, question: str) -> tuple[str, str]:
    """The best sample, else a rule's question, else nothing; and what the user should know about it."""
    if language(question) != "en":
        subject = "The built-in model knows" if context.builtin else "This method works in"
        return "", f"{subject} English only."
    names = names_in(question)

    async def one(index: int) -> str:
        opener, turn = OPENERS[index % len(OPENERS)], index // len(OPENERS)
        about = names if len(names) <= 2 else names[turn : turn + 1]
        extra = EXTRA | {"grammar": grammar(opener, about, question=True)} if context.builtin else {}
        sampling = Sampling(temperature=TEMPERATURES[turn % len(TEMPERATURES)], max_tokens=40, extra=extra)
        return await context.text(STEP_BACK, method, sampling, question=question)

    replies = await at_once(map(one, range(SAMPLES)))
    best, likeness = await _best(context, question, [reply.strip().splitlines()[0] for reply in replies])
    if best:
        return best, f"Nearest of {SAMPLES} samples that is more general (cosine {likeness:.2f})."
    return _by_rule(names, f"None of {SAMPLES} samples was usable")


async def _taught(context: SkillContext, question: str) -> tuple[str, str]:
    """The model's question, else a rule's, else nothing; and what the user should know about it."""
    if language(question) != "en":
        return "", ENGLISH_ONLY
    reply = await ask_taught(context, STEP_BACK, with_adapter(40), question=question)
    general, names = tidy(reply.partition("\n")[0]), names_in(question)
    if not general:
        return _by_rule(names, "The model gave no question")
    if letters(general) == letters(question):
        return _by_rule(names, "The model repeated the question")
    if names and all(lacks_name(name, general) for name in names):
        return _by_rule(names, f"The model's “{general}” has none of the names in the question")
    return general, ""


def _by_rule(names: Sequence[str], why: str) -> tuple[str, str]:
    if names:
        return f"What is known about {' and '.join(names)}?", (
            f"{why}; a rule made this from the names in the question."
        )
    return "", f"{why}, and the question has no name to ask about."


async def _best(context: SkillContext, question: str, replies: list[str]) -> tuple[str, float]:
    """The sample nearest to the question inside the window, and its cosine; empty if none is."""
    names = names_in(question)
    samples = [
        text
        for text in dict.fromkeys(map(tidy, replies))
        if text.endswith("?")
        and len(text) <= len(question) + 10
        and not (names and all(lacks_name(name, text) for name in names))
        and not why_gibberish(question, text)
    ]
    if not samples:
        return "", 0.0
    vectors = await context.embedder.embed_documents([question, *samples])
    likeness = cosine_matrix(vectors[:1], vectors[1:])[0]
    inside = [index for index in range(len(samples)) if FARTHEST <= likeness[index] <= NEAREST]
    if not inside:
        return "", 0.0
    best = max(inside, key=lambda index: likeness[index])
    return samples[best], float(likeness[best])
