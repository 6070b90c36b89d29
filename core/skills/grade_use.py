"""IsUse: is an answer useful for the question that was asked? (Self-RAG, Asai et al. 2023)"""

from __future__ import annotations

from bisect import bisect_right
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator

from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.grading import MAX_REASON, Reason, as_judged, ask_grader, plain_word
from core.skills.relevance import similarity
from core.trace.artefacts import Answer, Grade

STEPS = (0.20, 0.32, 0.44, 0.60)
"""Cosines between question and answer from which a grade is 2, 3, 4 and 5."""


def _number(value: Any) -> Any:
    """Some endpoints write numbers as words."""
    word = plain_word(value)
    return int(word) if isinstance(word, str) and word.isdecimal() else word


class Use(BaseModel):
    """The form of the reply: a grade from 5 to 1, with a reason."""

    reason: Reason = ""
    verdict: Annotated[Literal[5, 4, 3, 2, 1], BeforeValidator(_number)]


DOUBTED_AT_MOST = 3
"""Grade of an answer that the sources only suggest, or hold a part of: a better search may find the rest."""
DOUBTED = (
    f"The answer says itself that it is only suggested, or incomplete, so it is at most {DOUBTED_AT_MOST}."
)

GRADE_USE = Skill.of(
    "grade_use",
    "Grade the answer's use (IsUse)",
    Method(
        MODEL,
        "The model judges",
        "One call: 1 (useless) to 5 (answers the question in full), with a reason.",
        slots=("question", "answer"),
    ),
    Method(
        "embedding",
        "Nearness in meaning",
        "No model call: the cosine similarity between question and answer, as 1 to 5 "
        f"(from {', '.join(f'{step:.2f}' for step in STEPS)} on: 2, 3, 4, 5). It sees whether the answer is "
        "about the question's topic, not whether it answers it; a short answer scores too low.",
    ),
    builtin="embedding",
)


@task(GRADE_USE)
async def grade_use(context: SkillContext, question: str, answer: Answer, *, useful_from: int) -> Grade:
    """Grade from 1 to 5 how useful an answer is for a question as it was asked, not reworded; no answer counts as 1."""
    method = context.method(GRADE_USE)
    score, note = None, ""
    if answer.abstained:
        missing = answer.text.partition("\n")[0]  # as prompts ask for it
        verdict, reason = 1, f"It gives no answer. {missing}"[:MAX_REASON].strip()
    elif method == "embedding":
        score = float((await similarity(context, question, [answer.text]))[0])
        verdict, reason = bisect_right(STEPS, score) + 1, f"Cosine to the question {score:.2f}."
        note = "Nearness in meaning only: it sees the topic, not whether the question is answered."
    else:
        reply = await ask_grader(context, GRADE_USE, method, Use, question=question, answer=as_judged(answer))
        verdict, reason = reply.verdict, reply.reason
        if (answer.suggested or answer.incomplete) and verdict > DOUBTED_AT_MOST:
            verdict, note = DOUBTED_AT_MOST, DOUBTED
    return Grade(
        what="IsUse",
        verdict=str(verdict),
        passes=verdict >= useful_from,
        reason=reason,
        score=score,
        skill=GRADE_USE.key,
        method=method,
        note=note,
    )
