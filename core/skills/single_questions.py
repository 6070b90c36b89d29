"""Questions that ask for one thing each: taking a question apart, and filling in what earlier answers gave."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import framed_pairs
from core.skills.references import MARK, asked_for, referenced, value_of
from core.skills.variants import question_in, usable
from core.trace.artefacts import Pair, SubQuestions

MOST_QUESTIONS = 6
_JOINT = re.compile(
    r"(?:,\s+|(?<![,\s])\s+)and\s+(?=(?:who|whom|whose|what|which|when|where|how|why|in which|in what)\b)"
    r"|(?<=[?])\s+(?=\w)",
    re.IGNORECASE,
)


class Parts(BaseModel):
    """The form of the reply: questions that ask for one thing each."""

    questions: list[str] = Field(min_length=1, max_length=20)


SPLIT_QUESTION = Skill.of(
    "split_question",
    "Take the question apart",
    Method(
        MODEL,
        "The model takes it apart",
        "One call; the model lists questions that ask for one thing each, and marks where one needs an earlier "
        "answer.",
        slots=("question",),
    ),
    Method(
        "rule",
        "A rule cuts at “and who”, “and when”",
        "No model call: it cuts where “and” stands before a question word. English only; it does not see a "
        "question that hides another one.",
    ),
    builtin="rule",
)

UPDATE_QUESTION = Skill.of(
    "update_question",
    "Fill in earlier answers",
    Method(
        MODEL,
        "The model fills them in",
        "One call for each question that points at an earlier answer; one value for “#1” "
        "is filled in by code.",
        slots=("question", "pairs"),
    ),
    Method(
        "rule",
        "A rule fills in names",
        "No model call: “#1” becomes the first answer, or its main name if it is long; “he” or “she” the last one; "
        "“it” what the question before was about. English only; often it takes the wrong name.",
    ),
    builtin="rule",
)


_LISTED = re.compile(r"[,;/·]|\b(?:and|or)\b")


@dataclass(frozen=True)
class Updated:
    """A question ready to be asked."""

    text: str
    note: str = ""


@task(SPLIT_QUESTION)
async def split_question(context: SkillContext, question: str) -> SubQuestions:
    """The question as questions that ask for one thing each, at most `MOST_QUESTIONS`."""
    method, note = context.method(SPLIT_QUESTION), ""
    if method == MODEL:
        sampling = Sampling(temperature=0.0, max_tokens=500)
        parts = (
            await context.structured(SPLIT_QUESTION, method, Parts, sampling, question=question)
        ).questions
    else:
        parts = _JOINT.split(question)
    questions = usable(parts)
    if len(questions) > MOST_QUESTIONS:
        note = f"{len(questions)} questions came; the first {MOST_QUESTIONS} are asked."
    if method != MODEL:
        several = len(questions) > 1
        questions = [text[:1].upper() + text[1:].rstrip("?. ") + "?" for text in questions if several]
    return SubQuestions(
        questions=tuple(questions[:MOST_QUESTIONS]) or (question,),
        by_tools=True,
        skill=SPLIT_QUESTION.key,
        method=method,
        note=note,
    )


def _replaced(question: str, places: Sequence[tuple[int, int]], by: Callable[[str], str]) -> str:
    """A question with other words at some places."""
    for start, end in reversed(places):
        question = question[:start] + by(question[start:end].lower()) + question[end:]
    return question


@task(UPDATE_QUESTION)
async def update_question(context: SkillContext, question: str, pairs: Sequence[Pair]) -> Updated:
    """A question with the earlier answers that it points at filled in.

    Args:
        question: One thing; it may hold marks such as `#1`.
        pairs: All earlier questions and answers, in order: `#1` is the first.
    """
    if not pairs or not depends(question):
        return Updated(question)
    if context.method(UPDATE_QUESTION) != MODEL:
        return _by_rule(question, pairs)
    question, note = _without_answer(question, pairs)
    question, filled = _with_values(question, pairs)
    note = " ".join(filter(None, (note, filled)))
    if not depends(question):
        return Updated(question, note)
    sampling = Sampling(temperature=0.0, max_tokens=200)
    shown = framed_pairs(pairs)
    text = question_in(await context.text(UPDATE_QUESTION, MODEL, sampling, question=question, pairs=shown))
    return Updated(text, note) if text else _by_rule(question, pairs)


def _with_values(question: str, pairs: Sequence[Pair]) -> tuple[str, str]:
    """A question in which marks give way to single values, where there is nothing else to fill in: that takes no model.

    A list is left to the model, which words the question for several.
    """
    values = [pairs[place].short for place in referenced(question, pairs)]
    if not values or not all(values) or any(_LISTED.search(value) for value in values) or pointing(question):
        return question, ""
    text = MARK.sub(lambda mark: pairs[int(mark[1]) - 1].short, question)
    return text, f"Filled in without a call: {', '.join(f'“{value}”' for value in dict.fromkeys(values))}."


def _without_answer(question: str, pairs: Sequence[Pair]) -> tuple[str, str]:
    """A question in which each mark of an earlier one that has no answer gives way to the words that asked for it.

    An entity that no look-up found may still be found in the documents, together with what is asked about it.
    """
    open_ = [f"#{place + 1}" for place in referenced(question, pairs) if not pairs[place].answer]
    if not open_:
        return question, ""
    text = MARK.sub(
        lambda mark: asked_for(pairs[int(mark[1]) - 1].question) if mark[0] in open_ else mark[0], question
    )
    return text, f"No answer was found for {' and '.join(open_)}, so the words that ask for it stand there."


def _by_rule(question: str, pairs: Sequence[Pair]) -> Updated:
    filled: list[str] = []

    def name_of(pair: Pair) -> str:
        name = value_of(pair)
        filled.append(name)
        return name

    def mark(match: re.Match[str]) -> str:
        place = int(match[1])
        known = 1 <= place <= len(pairs) and pairs[place - 1].answer
        return name_of(pairs[place - 1]) if known else match[0]

    text = MARK.sub(mark, question)
    before = pairs[-1]
    about = re.findall(r"(?:[A-Z][\w'’-]*\s+)*[A-Z][\w'’-]*", before.question[1:])

    def thing(word: str) -> str:
        filled.append(about[-1])
        return f"{about[-1]}'s" if word == "its" else about[-1]

    places = pointing(question)
    things = [place for place in places if question[slice(*place)].lower() in THINGS]
    if text == question and about:
        text = _replaced(question, things, thing)
    if text == question and before.answer and places:
        name = name_of(before)
        text = _replaced(
            question, places, lambda word: f"{name}'s" if word in ("his", "her", "their") else name
        )
    note = f"A rule filled in {', '.join(f'“{name}”' for name in filled)}." if filled else ""
    return Updated(text, note or "The rule found nothing to fill in.")


# Words of a question that point at what was said before it: “When was he born?”, but not “Who wrote and who sang it?”
# English only. In doubt a word points: then somebody is asked what it stands for, and nothing is lost but a call.

THINGS = ("it", "its", "this", "that")
_POINTS = re.compile(
    r"\b(he|she|him|his|hers?|it|its|this)\b"
    # “That” also begins a relative clause, as in “films that he did not direct”.
    r"|(?:^\W*|\b(?:of|in|on|at|by|for|from|to|with|after|before|about|like)\s+)(that)\b|\b(that)(?=\W*$)"
    # “They” may be those that the question asks for, as in “who acted in films they directed?”.
    r"|(?:^\W*|\b(?:do|did|are|were|have|had|can|could|will|would)\s+)(they)\b",
    re.IGNORECASE,
)
"""Words that point at what was said before the question; the last group is the word."""
_THEIRS = re.compile(r"\b(them|theirs?)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:which|what|how many|all|the|name|list)\s+(?:[\w-]+\s+){0,2}?[\w-]+s\b", re.IGNORECASE
)
"""Several things named in the question itself, which “their” may point at."""
_SECOND_HALF = re.compile(
    r"\w\W*\sand\s+((?:(?:in|on|at|by|for|from|to|with|of)\s+)?(?:who|whom|whose|what|which|when|where|how|why)\b)",
    re.IGNORECASE,
)
"""“When was the tower built, and who designed it?”: the second half speaks of the first."""
_AT_ITS = re.compile(
    r"\b(?i:do|does|did|is|was|has|had|have|will|would)\s+(?:"
    r"the\s+[A-Z][^?;]{0,200}?\s(?:in|on|at|according to)\s+(its)"
    r"|[A-Z][^?;]{0,200}?\s(?:in|on|at|according to)\s+(his|her))\s"
)
"""“What did the Board decide at its meeting?”: whose it is has a name in the question."""


def depends(question: str) -> bool:
    """True if a question points at the answer to an earlier one."""
    return bool(MARK.search(question) or pointing(question))


def pointing(question: str) -> list[tuple[int, int]]:
    """Find the places of the pronouns in a question that point at what was said before it."""
    matches = [*_POINTS.finditer(question)]
    matches += [
        match for match in _THEIRS.finditer(question) if not _SEVERAL.search(question[: match.start()])
    ]
    places = sorted(match.span(match.lastindex or 0) for match in matches)
    own = {match.span(match.lastindex or 0) for match in _AT_ITS.finditer(question)}
    half = _SECOND_HALF.search(question)
    if half and all(place[0] > half.start(1) for place in places):
        kinds = {question[slice(*place)].lower() in THINGS for place in places}
        own |= set(places) if len(kinds) == 1 else set()
    return [place for place in places if place not in own]
