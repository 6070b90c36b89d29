"""The answer from what tools brought in; it says what is missing."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import writing_methods, written
from core.skills.base import OWN, Method, Skill, SkillContext, task
from core.skills.frame import framed_pairs, framed_passages
from core.trace.artefacts import Answer, Citation, Pair, ToolCall
from core.trace.passages import Passage

LISTED = "listed"

ANSWER_GATHERED = Skill.of(
    "answer_gathered",
    "Answer from what was gathered",
    *writing_methods(
        "The model writes the answer",
        "One call; the model reads what the tools brought in, cites it, and says what is missing.",
        slots=("question", "context", "pairs"),
    ),
    Method(
        LISTED,
        "What came back, listed",
        "No model call: what came back for each question, one after the other, and for which nothing did.",
    ),
    builtin=LISTED,
)


@task(ANSWER_GATHERED)
async def answer_gathered(
    context: SkillContext,
    question: str,
    passages: Sequence[Passage],
    calls: Sequence[ToolCall],
    pairs: Sequence[Pair],
) -> Answer:
    """An answer that uses only what was gathered.

    Args:
        passages: What the calls brought in, also those that found no answer in it.
        pairs: Each question with what came back for it.
    """
    method = context.method(ANSWER_GATHERED)
    any_result = any(call.outcome == "found" for call in calls)
    if method not in OWN or not (any_result or passages):
        return listed_answer(calls, method)
    return await written(
        context,
        ANSWER_GATHERED,
        passages,
        question=question,
        context=framed_passages(passages),
        pairs=framed_pairs(pairs),
    )


def listed_answer(calls: Sequence[ToolCall], method: str = LISTED, note: str = "") -> Answer:
    """List the result of each question without a model, also the questions without one."""
    successful = [call for call in calls if call.outcome == "found"]
    answered = {call.question for call in successful}
    missing = list(dict.fromkeys(call.question for call in calls if call.question not in answered))
    several = len(answered) + len(missing) > 1
    lines: list[str] = []
    citations: list[Citation] = []
    for call in successful:
        citations += [item.model_copy(update={"sentence": len(lines)}) for item in call.citations]
        lines.append(f"{call.question} {call.text}" if several else call.text)
    if missing or not calls:
        questions = "; ".join(f"“{question}”" for question in missing) or "the question"
        lines.append(f"Missing: nothing was found for {questions}.")
    return Answer(
        text="\n\n".join(lines),
        sentences=tuple(lines),
        citations=tuple(dict.fromkeys(citations)),
        abstained=not successful,
        skill=ANSWER_GATHERED.key,
        method=method,
        note=note or ("" if method in OWN else "Listed, not written: what the tools brought back."),
    )
