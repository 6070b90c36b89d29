"""Is a question answered in full by what was gathered, and if not, what has to be asked?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from core.skills.atomic import MOST_QUESTIONS
from core.skills.base import MODEL, Method, Skill, SkillContext
from core.skills.choose_tool import NONE, Surroundings
from core.skills.frame import framed_lines, framed_pairs
from core.skills.grading import Reason, ask_grader
from core.skills.variants import MAX_CHARS, tidy
from core.trace.artefacts import Critique, Pair


class Missing(BaseModel):
    """What the model is asked for."""

    reason: Reason = ""
    complete: bool
    questions: list[str] = Field(default=[], max_length=20)


CRITIQUE = Skill(
    "critique",
    "Criticise the answers",
    (
        Method(
            MODEL,
            "The model criticises",
            "One call per round: whether the answers are enough, and which questions are still open.",
            calls=1,
            slots=("question", "pairs"),
        ),
        Method(
            "rule",
            "Nothing came back",
            "No model call: a question whose tools gave nothing is asked again, of another tool. It does not judge "
            "whether what came back is an answer.",
            calls=0,
        ),
    ),
    builtin="rule",
)


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
    """A verdict on the answers of a round.

    Args:
        context: What the skill works with.
        question: As it was asked.
        pairs: Everything asked so far, with what came back.
        again: Questions without an answer that another tool could still be asked.
        round: From 1.
        around: What there is to look in.
        tried: Calls that brought nothing, in a line each.

    Raises:
        ModelError: The endpoint failed.
    """
    method = context.method(CRITIQUE)
    empty = [pair.question for pair in pairs if not pair.answer]
    if method != MODEL:
        reason = f"Nothing came back for {len(empty)} of {len(pairs)} questions." if empty else ""
        return Critique(
            round=round,
            complete=not empty,
            reason=reason or "Something came back for every question.",
            questions=tuple(again),
            skill=CRITIQUE.key,
            method=method,
        )
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
    if reply is None:
        return Critique(
            round=round,
            complete=not empty,
            skill=CRITIQUE.key,
            method=method,
            note="The critique could not be read, even at the second try, so nothing more is asked.",
        )
    texts = [text for text in dict.fromkeys(map(tidy, reply.questions)) if text and len(text) <= MAX_CHARS]
    return Critique(
        round=round,
        complete=reply.complete and not texts,
        reason=reply.reason,
        questions=tuple(texts[:MOST_QUESTIONS]),
        skill=CRITIQUE.key,
        method=method,
    )
