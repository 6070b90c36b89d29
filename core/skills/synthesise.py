"""Answering the question that was asked from the answers to its parts."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import MARKS, cite, marks_in, writing_methods, written
from core.skills.base import Method, Skill, SkillContext, task
from core.skills.copying import no_answer
from core.skills.frame import NOT_FOUND, framed_pairs, standing
from core.trace.artefacts import Answer, Pair, SubAnswer
from core.trace.passages import Passage, numbers_of

JOINED = "joined"
CITABLE = 99
"""Largest number that a citation mark can hold."""

SYNTHESISE = Skill.of(
    "synthesise",
    "Put the sub-answers together",
    *writing_methods(
        "The model writes the answer",
        "One call; the model reads the sub-questions with their answers, not the passages, and keeps the citations "
        "of what it takes over.",
        slots=("question", "pairs"),
    ),
    Method(
        JOINED,
        "Joined, not written",
        "No model call: the sub-answers one after the other, word for word. It draws no conclusion from them.",
    ),
    builtin=JOINED,
)


@task(SYNTHESISE)
async def synthesise(
    context: SkillContext, question: str, answers: Sequence[SubAnswer], passages: Sequence[Passage]
) -> Answer:
    """The run's answer from its sub-answers.

    Args:
        answers: Sub-answers in order; each cites its own passages.
        passages: All evidence in its final order: what the citations of the answer count.
    """
    method = context.method(SYNTHESISE)
    known = [answer for answer in answers if not answer.abstained]
    if not known:
        text = "None of the sub-questions found an answer, so there is nothing to put together."
        note = "There was nothing to put together; the model was not asked."
        return no_answer(text, SYNTHESISE.key, method, note)
    if len(answers) == 1 and answers[0].question == question:
        return as_run_answer(answers[0], passages)  # another call would only word it anew
    if method == JOINED:
        text = " ".join(dict.fromkeys(renumber_citations(answer, passages) for answer in known))
        joined = cite(text, passages, skill=SYNTHESISE.key, method=method)
        left = len(answers) - len(known)
        without = f" {left} of {len(answers)} sub-questions had no answer." if left else ""
        return joined.model_copy(update={"note": f"Joined, not written: no conclusion is drawn.{without}"})
    pairs = [
        Pair(question=answer.question, answer=_standing(answer) + renumber_citations(answer, passages))
        for answer in answers
    ]
    return await written(context, SYNTHESISE, passages, question=question, pairs=framed_pairs(pairs))


def _standing(answer: SubAnswer) -> str:
    """The words put before a sub-answer that gives no answer, only suggests one, or gives a part of one."""
    return f"{NOT_FOUND} " if answer.abstained else standing(answer)


def as_run_answer(answer: SubAnswer, passages: Sequence[Passage]) -> Answer:
    """A sub-answer as the run's answer, word for word; only its citations count all the evidence now."""
    result = cite(renumber_citations(answer, passages), passages, skill=answer.skill, method=answer.method)
    fields = {
        name: getattr(answer, name) for name in ("short", "suggested", "incomplete", "abstained", "note")
    }
    return result.model_copy(update=fields)


def renumber_citations(answer: SubAnswer, passages: Sequence[Passage]) -> str:
    """A sub-answer's text with marks that count `passages` instead of its own evidence.

    An answer without marks of its own gets those of its citations at its end; a mark that no passage has is
    left out.
    """
    places = numbers_of(passages[:CITABLE])
    own = [places.get(passage.chunk) for passage in answer.passages]

    def mark(numbers: Sequence[int | None]) -> str:
        return "".join(f" [{number}]" for number in dict.fromkeys(numbers) if number)

    if not MARKS.search(answer.text):
        return answer.text + mark([places.get(citation.chunk) for citation in answer.citations])
    return MARKS.sub(
        lambda match: mark([own[number - 1] for number in marks_in(match[0]) if 0 < number <= len(own)]),
        answer.text,
    )


def pair_of(answer: SubAnswer) -> Pair:
    """A sub-answer as a later sub-question is given it: without marks, which count other passages.

    One that was not found keeps what it says all the same: it may hold a name that leads on.
    """
    return Pair(question=answer.question, answer=_standing(answer) + MARKS.sub("", answer.text))
