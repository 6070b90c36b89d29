"""Is a question answered in full by what was gathered, and if not, what has to be asked?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.choose_tool import NONE, Surroundings
from core.skills.frame import framed_lines, framed_pairs
from core.skills.grading import Reason, ask_grader
from core.skills.single_questions import MOST_QUESTIONS
from core.skills.variants import usable
from core.trace.artefacts import Critique, Pair


class Missing(BaseModel):
    """The form of the reply: a verdict, and the questions that are left."""

    reason: Reason = ""
    complete: bool
    questions: list[str] = Field(default=[], max_length=20)


CRITIQUE = Skill.of(
    "critique",
    "Criticise the answers",
    Method(
        MODEL,
        "The model criticises",
        "One call per round: whether the answers are enough, and which questions are still open.",
        slots=("question", "pairs"),
    ),
    Method(
        "rule",
        "Nothing came back",
        "No model call: a question whose tools gave nothing is asked again, of another tool. It does not judge "
        "whether what came back is an answer.",
    ),
    builtin="rule",
)


@task(CRITIQUE)
async def critique(
    context: SkillContext,
    question: str,
    pairs: Sequence[Pair],
    again: Sequence[str],
    *,
    round: int,
    around: Surroundings | None = None,
    tried: Sequence[str] = (),
) -> Critique:
    """A verdict on the answers of a round; rounds are counted from 1.

    Args:
        pairs: Everything asked so far, with what came back.
        again: Questions without an answer that another tool could still be asked.
        tried: Calls that brought nothing, in a line each.
    """
    method = context.method(CRITIQUE)
    empty = sum(not pair.answer for pair in pairs)
    verdict = Critique(round=round, complete=not empty, skill=CRITIQUE.key, method=method)
    if method != MODEL:
        reason = f"Nothing came back for {empty} of {len(pairs)} questions."
        reason = reason if empty else "Something came back for every question."
        return verdict.model_copy(update={"reason": reason, "questions": tuple(again)})
    around = around or Surroundings()
    reply = await ask_grader(
        context,
        CRITIQUE,
        method,
        Missing,
        question=question,
        pairs=framed_pairs(pairs),
        graph=around.graph or NONE,
        documents=around.documents or NONE,
        failed=framed_lines(tried),
        next=len(pairs) + 1,
    )
    questions = tuple(usable(reply.questions)[:MOST_QUESTIONS])
    complete = reply.complete and not questions
    return verdict.model_copy(update={"complete": complete, "reason": reply.reason, "questions": questions})
