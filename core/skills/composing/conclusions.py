"""The conclusion from sub-answers: each fact as a step, then what follows from them; or which fact is missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.skills.composing.asked import Asked, asked_of
from core.skills.composing.chains import MARK, Phrase
from core.skills.composing.comparisons import Comparison
from core.skills.composing.facts import fact, same
from core.skills.composing.holders import held_by
from core.skills.composing.subjects import Fact, sentence_for, short_answer
from core.skills.composing.values import Amount, When
from core.skills.references import asked_for
from core.trace.artefacts import SubAnswer
from core.trace.passages import Passage


@dataclass(frozen=True)
class Step:
    """One sentence of the conclusion, with what it rests on."""

    text: str
    chunk: str = ""
    """Of the passage; empty: the step follows from the ones before."""
    quote: str = ""


@dataclass(frozen=True)
class Conclusion:
    """What follows from the facts that were found."""

    steps: tuple[Step, ...]
    short: str = ""
    """The answer; empty: none follows."""
    missing: tuple[str, ...] = ()
    """What is not known: questions that are open, or why what is known decides nothing."""
    ends: bool = False
    """Of a chain, whether its last step answers the question, in short or in a sentence; or lacks only that step."""


def conclude(asked: Comparison, answers: Sequence[SubAnswer], passages: Sequence[Passage]) -> Conclusion:
    """What follows for a comparison.

    Args:
        asked: The question.
        answers: To its sub-questions, however these were made; may be none.
        passages: All evidence.
    """
    steps: list[Step] = []
    facts: list[Fact] = []
    missing: list[str] = []
    for side in asked.sides:
        found, said, lacks = _side(asked.asked, side, answers, passages)
        steps += said
        if found is None:
            missing.append(lacks)
        else:
            facts.append(found)
    if missing:
        return Conclusion(tuple(steps), missing=tuple(dict.fromkeys(missing)))
    text, short = _compared(asked, facts)
    if not short:
        return Conclusion(tuple(steps), missing=(text,))
    return Conclusion((*steps, Step(text)), short)


def follow(questions: Sequence[str], answers: Sequence[SubAnswer], passages: Sequence[Passage]) -> Conclusion:
    """The end of a chain: each answer is filled into the next question, and the last one is the answer.

    Args:
        questions: Of `core.skills.composing.chains.chain`; at least two.
        answers: To them, however they were searched; may be none.
        passages: All evidence.
    """
    given: list[str] = []
    steps: list[Step] = []
    for question in questions:
        text = MARK.sub(lambda mark: given[int(mark[1]) - 1], question)
        of = asked_of(text)
        found = looked_up(text, answers, passages) or short_answer(question, text, answers)
        last = len(given) + 1 == len(questions)
        if found is None and last and (said := sentence_for(question, text, answers)):
            return Conclusion((*steps, Step(said.quote, said.chunk, said.quote)), ends=True)
        if found is None:
            return Conclusion(tuple(steps), missing=(text,), ends=last)
        given.append(as_answer(text, found))
        shown = Step(f"{_first_capital(asked_for(text))}: {given[-1]}.", found.chunk, found.quote)
        steps.append(_step(*of, found) if of else shown)
    return Conclusion(tuple(steps), given[-1], ends=True)


def looked_up(question: str, answers: Sequence[SubAnswer], passages: Sequence[Passage]) -> Fact | None:
    """The fact that answers a question for one thing: “When was X born?”, “Who is the director of X?”."""
    of = asked_of(question)
    return fact(*of, answers, passages) if of else held_by(question, answers, passages)


def as_answer(question: str, found: Fact) -> str:
    """A fact in the form that is asked for: a country by its name, with the passage's word for it where it has another;
    a nationality as the passage has it."""
    if isinstance(found.value, frozenset) and "countr" in question:
        names = " and ".join(sorted(found.value))
        return names if names == found.words else f"{names} ({found.words})"
    return found.value if isinstance(found.value, str) else found.words


def _side(
    asked: Asked, side: Phrase, answers: Sequence[SubAnswer], passages: Sequence[Passage]
) -> tuple[Fact | None, list[Step], str]:
    """The fact of one side, the steps that lead to it, and the question that is open where there is none."""
    subject, steps, given = side.words, list[Step](), list[str]()
    for question in side.questions:
        text = MARK.sub(lambda mark: given[int(mark[1]) - 1], question)
        holder = held_by(text, answers, passages)
        if holder is None:
            return None, steps, text
        subject = str(holder.value)
        given.append(subject)
        steps.append(Step(f"{_first_capital(asked_for(text))}: {subject}.", holder.chunk, holder.quote))
    question = asked.question.format(subject)
    by_name = asked.value == "name"
    found = held_by(question, answers, passages) if by_name else fact(asked, subject, answers, passages)
    if found is None:
        return None, steps, question
    steps.append(_step(asked, subject, found))
    return found, steps, ""


def _step(asked: Asked, subject: str, found: Fact) -> Step:
    says = " ".join(filter(None, (asked.says, found.words)))
    return Step(f"{_first_capital(subject)}: {says}.", found.chunk, found.quote)


def _first_capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _compared(asked: Comparison, facts: Sequence[Fact]) -> tuple[str, str]:
    """The last step and the answer; no answer, and why, where the facts leave it open."""
    values = [one.value for one in facts]
    if asked.kind == "same":
        return _same(asked, facts)
    if all(isinstance(one, When) for one in values):
        dates = [one for one in values if isinstance(one, When)]
        if asked.kind == "difference":
            return _years(dates)
        return _ordered(asked, dates)
    amounts = [one for one in values if isinstance(one, Amount)]
    if len(amounts) == len(values):
        return _sized(asked, amounts)
    return "the facts found are of different kinds", ""


def _same(asked: Comparison, facts: Sequence[Fact]) -> tuple[str, str]:
    first, second = facts[0], facts[1]
    alike = same(asked.asked, first.value, second.value)
    if alike is None:
        return f"“{first.words}” and “{second.words}” leave open whether they are the same", ""
    if alike:
        return f"Both: {_common(first, second)}. So the answer is yes.", "yes"
    return f"{_first_capital(first.words)} and {second.words} are not the same. So the answer is no.", "no"


def _common(first: Fact, second: Fact) -> str:
    if isinstance(first.value, frozenset) and isinstance(second.value, frozenset):
        return ", ".join(sorted(first.value & second.value))
    return first.words


def _ordered(asked: Comparison, dates: Sequence[When]) -> tuple[str, str]:
    """By time: the first or the last of some things, or whether one is before another."""
    best = 0
    for place, date in enumerate(dates):
        if place and (date.before(dates[best]) is (not asked.greatest)):
            best = place
    others = [date for place, date in enumerate(dates) if place != best]
    relation = "later" if asked.greatest else "earlier"
    if any(dates[best].before(other) is not (not asked.greatest) for other in others):
        return f"“{dates[0].words}” and “{dates[1].words}” leave open which is {relation}", ""
    by = "; ".join(
        f"{_told_apart(dates[best], other)} is {relation} than {_told_apart(other, dates[best])}"
        for other in others
    )
    if asked.kind == "order":
        return f"{by}. So the answer is {'yes' if best == 0 else 'no'}.", "yes" if best == 0 else "no"
    return f"{by}: {asked.things[best]}.", asked.things[best]


def _told_apart(date: When, other: When) -> str:
    """Its year, or the whole date where the years are the same."""
    return date.words if date.first[0] == other.first[0] else date.short


def _years(dates: Sequence[When]) -> tuple[str, str]:
    first, second = dates[0].first[0], dates[1].first[0]
    if any(date.first[0] != date.last[0] for date in dates):
        return f"“{dates[0].words}” and “{dates[1].words}” leave open how many years lie between them", ""
    high, low = max(first, second), min(first, second)
    return f"{high} − {low} = {high - low} years.", f"{high - low} years"


def _sized(asked: Comparison, amounts: Sequence[Amount]) -> tuple[str, str]:
    if len({one.kind for one in amounts}) > 1:
        return f"“{amounts[0].words}” and “{amounts[1].words}” cannot be compared", ""
    pick = max if asked.greatest else min
    best = pick(range(len(amounts)), key=lambda place: amounts[place].value)
    if sum(one.value == amounts[best].value for one in amounts) > 1:
        return f"“{amounts[0].words}” and “{amounts[1].words}” are the same", ""
    relation = "more" if asked.greatest else "less"
    others = " and ".join(one.words for place, one in enumerate(amounts) if place != best)
    by = f"{_first_capital(amounts[best].words)} is {relation} than {others}"
    if asked.kind == "order":
        return f"{by}. So the answer is {'yes' if best == 0 else 'no'}.", "yes" if best == 0 else "no"
    return f"{by}: {asked.things[best]}.", asked.things[best]
