"""Stepping back: from a question to a more general one behind it (Zheng et al. 2023, arXiv 2310.06117)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from core.corpora.sentence_spans import language
from core.models.capabilities import Sampling
from core.skills.base import MODEL, TAUGHT, Method, Skill, SkillContext, task
from core.skills.names import lacks_name, names_in
from core.skills.taught import ENGLISH_ONLY, ask_taught, with_adapter
from core.skills.variants import MAX_CHARS, letters, tidy
from core.trace.artefacts import StepBack


class General(BaseModel):
    """The form of the reply: a more general question."""

    question: Annotated[str, StringConstraints(max_length=MAX_CHARS)]


STEP_BACK = Skill.of(
    "step_back",
    "Step back to a more general question",
    Method(
        MODEL,
        "The model steps back",
        "One call with a few examples; the model returns one question.",
        slots=("question",),
    ),
    Method(
        TAUGHT,
        "The taught model steps back",
        "One call: the built-in model asks a more general question as it was taught; where it repeats the question "
        "or loses its names, a rule asks what is known about them; English only.",
        slots=("question",),
    ),
    builtin=TAUGHT,
)


@task(STEP_BACK)
async def step_back(context: SkillContext, question: str) -> StepBack:
    """The more general question; the question itself, with a note, where none is found."""
    method = context.method(STEP_BACK)
    if method == TAUGHT:
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
