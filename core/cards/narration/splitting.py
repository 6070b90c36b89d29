"""A question in parts and a reasoning in thoughts, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.narration.told import Told
from core.cards.narration.words import answered, ordinal, quoted
from core.skills.read_into_chain import READ_INTO_CHAIN
from core.skills.replies import MARKS
from core.skills.sentences import sentences
from core.trace.artefacts import SubAnswer, SubQuestions, Thought
from core.wording import counted


def sub_questions(found: Sequence[SubQuestions], told: Told) -> str:
    questions = found[-1].questions
    if len(questions) <= 1:
        return "The question stays whole: it is not split."
    waits = next((place for place, one in enumerate(questions) if "#" in one), None)
    what = "questions for the tools" if found[-1].by_tools else "sub-questions"
    text = f"The question becomes {len(questions)} {what}"
    if waits:
        return f"{text}; the {ordinal(waits)} waits for an answer before it: {quoted(questions[waits], 60)}"
    return f"{text}. The first: {quoted(questions[0])}"


def sub_answers(found: Sequence[SubAnswer], told: Told) -> str:
    if found[0].skill == READ_INTO_CHAIN.key:
        return _read(found)
    if len(found) > 1:
        silent = [one for one in found if one.abstained]
        text = f"{len(found) - len(silent)} of {counted(len(found), 'sub-question')} are answered, each by itself"
        return f"{text}; none is found for {quoted(silent[0].question, 60)}" if silent else f"{text}."
    made = found[0]
    if made.abstained:
        return f"The {ordinal(made.index)} sub-question finds no answer: {quoted(made.question)}"
    split = [one for one in told.before if isinstance(one, SubQuestions)]
    questions = split[-1].questions if split else ()
    text = f"The {ordinal(made.index)} sub-answer, {answered(made)},"
    waiting = [
        place for place, one in enumerate(questions) if place > made.index and f"#{made.index + 1}" in one
    ]
    if waiting:
        return f"{text} goes into the {ordinal(waiting[0])} question."
    if made.index + 1 == len(questions):
        return f"The last sub-answer is {answered(made)}."
    return f"{text} is kept for those that follow."


def _read(found: Sequence[SubAnswer]) -> str:
    """What was read of the passages of a search, in a chain of thoughts."""
    told = [one for one in found if not one.abstained]
    if not told:
        return f"Nothing that helps is read of the passages for {quoted(found[0].question)}"
    text = next(iter(sentences(MARKS.sub("", told[-1].text))), "").replace("**", "")
    return f"Of the passages, this is put into the reasoning: {quoted(text, 100)}"


def thoughts(found: Sequence[Thought], told: Told) -> str:
    made = found[-1]
    number = f"Thought {made.index + 1}"
    if made.answer:
        answer = next(iter(sentences(MARKS.sub("", made.answer))), "")
        return f"Nothing more is searched for: the reasoning ends with {quoted(answer)}"
    if made.queries:
        more = f", and {counted(len(made.queries) - 1, 'more thing')}" if len(made.queries) > 1 else ""
        return f"{number} finds something missing, and searches for {quoted(made.queries[0])}{more}"
    if made.ends:
        return (
            f"{number} is the last. {made.ends}"
            if not made.text
            else f"{number} concludes: {quoted(made.text, 120)}"
        )
    guess = " is a guess" if made.guess else ""
    return f"{number}{guess}, and the next search: {quoted(made.text, 110)}"
