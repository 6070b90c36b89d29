"""Rewriting a question whose search or answer was not good enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, StringConstraints

from core.corpora.sentence_spans import language
from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import NOTHING, framed_lines
from core.skills.sampled_variants import SAMPLED, sample_rewordings
from core.skills.variants import MAX_CHARS, tidy
from core.trace.artefacts import Grade, Rewrite
from core.trace.passages import Passage

SAMPLES = 6
"""One wording is wanted, not a list: one sample for each way to begin, so that no run comes near its cap on calls."""


class Rewritten(BaseModel):
    """The form of the reply: one question."""

    question: Annotated[str, StringConstraints(max_length=MAX_CHARS)]


REWRITE_QUESTION = Skill.of(
    "rewrite_question",
    "Rewrite the question",
    Method(
        MODEL,
        "The model rewrites",
        "One call; the model is told what was searched and found already, the draft, and what is wrong with it.",
        slots=("question", "tried", "cause"),
    ),
    Method(
        SAMPLED,
        "A few samples, sieved",
        f"{SAMPLES} short samples of a rewording; embeddings and rules keep the usable ones, and the nearest "
        "that was not searched yet is taken. It changes the words, not the intent. English only.",
        replies=SAMPLES,
        slots=("question",),
    ),
    builtin=SAMPLED,
)


def brings(passage: Passage, grade: Grade | None) -> str:
    """A passage as it is told of: its title and, where a model has judged it, what it found in it."""
    judged = grade is not None and grade.score is None and not grade.note
    return f"{passage.title}: {grade.reason}" if grade and judged and grade.reason else passage.title


@task(REWRITE_QUESTION)
async def rewrite_question(
    context: SkillContext,
    question: str,
    tried: Sequence[str],
    cause: str,
    *,
    number: int,
    draft: str = "",
    findings: Sequence[str] = (),
) -> Rewrite:
    """Another wording to search with; where none is found, the last wording again, which the note says.

    Args:
        tried: What was searched so far, in order, at least one.
        cause: What was wrong with the last search, as a sentence.
        number: Which rewriting of the run this is, from 1.
        draft: The answer so far; it may hold names that lead on.
        findings: What is known so far, a line for each relevant passage, see `brings`.
    """
    method = context.method(REWRITE_QUESTION)
    foreign = method == SAMPLED and context.builtin and language(question) != "en"
    if foreign:
        wordings: list[str] = []  # its samples would be of no use
    elif method == SAMPLED:
        places = range((number - 1) * SAMPLES, number * SAMPLES)  # never the samples of the rewriting before
        wordings, _ = await sample_rewordings(context, REWRITE_QUESTION, question, places=places)
    else:
        reply = await context.structured(
            REWRITE_QUESTION,
            method,
            Rewritten,
            Sampling(temperature=0.0, max_tokens=300),
            question=question,
            language=context.searched_language,
            tried=framed_lines(tried),
            cause=cause,
            draft=draft or NOTHING,
            found=framed_lines(list(dict.fromkeys(findings))),
        )
        wordings = [reply.question]
    known = {text.casefold() for text in tried}
    after = next((text for text in map(tidy, wordings) if text and text.casefold() not in known), "")
    note = "" if after else "No new wording came out of it: the same words are searched again."
    if foreign:
        note += " The built-in model knows English only."
    return Rewrite(
        before=tried[-1],
        after=after or tried[-1],
        cause=cause,
        round=number,
        skill=REWRITE_QUESTION.key,
        method=method,
        note=note,
    )
