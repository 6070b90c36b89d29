"""The end of a run, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.doubt import doubt
from core.cards.narration.told import Told
from core.cards.narration.words import answered, quoted
from core.cards.outcome import Outcome, outcome
from core.trace.artefacts import Answer
from core.wording import counted


def answers(found: Sequence[Answer], told: Told) -> str:
    made = found[-1]
    if not made.final:
        if made.abstained:
            return "The draft gives no answer: the passages do not hold one. It is judged next."
        return f"A draft is written, to be judged next: {answered(made)}"
    came = outcome(told.run)
    if came and (came.of or came.verdict not in (None, "unclear")):
        return f"{_judged(made, came)}{_beside(came)}."
    if made.abstained:
        return "No answer is given: nothing that was found supports one."
    unsure = f", {words}" if (words := doubt(made)) else ""
    context = told.run.context
    given = {item.passage.chunk for item in context.passages if item.given} if context else set()
    cited = len(given.intersection(one.chunk for one in made.citations))
    if not given:
        return f"The answer is {answered(made)}{unsure}."
    return f"The answer, {answered(made)}{unsure}, cites {cited or 'none'} of {counted(len(given), 'passage')} given."


def _judged(answer: Answer, came: Outcome) -> str:
    right = quoted(came.answers[0], 40) if came.answers else ""
    match came.verdict:
        case "right":
            return "The answer is right"
        case "wrong":
            return f"The answer is wrong, right is {right}"
        case "refusal":
            return f"No answer is given, right would be {right}"
    return "No answer is given" if answer.abstained else "The answer is given"


def _beside(came: Outcome) -> str:
    """The evidence before it, and what plain retrieval finds."""
    if not came.of:
        return ""
    held = f"; it had {came.found or 'none'} of {counted(came.of, 'piece')} of evidence"
    if came.plain is None:
        return held
    if came.plain == came.found:
        return f"{held}, as {came.plain_named} has"
    return f"{held}, {came.plain_named} finds {came.plain or 'none'}"
