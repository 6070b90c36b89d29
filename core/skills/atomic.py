"""Questions that ask for one thing each: taking a question apart, and filling in what earlier answers gave."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from core.errors import UnusableReply
from core.models.chat import Sampling
from core.skills.answer_sub import listed
from core.skills.base import MODEL, Method, Skill, SkillContext
from core.skills.marks import MARK, gist
from core.skills.variants import MAX_CHARS, tidy
from core.trace.artefacts import Pair, SubQuestions
from core.trace.events import Message

MOST_QUESTIONS = 6
_POINTS = re.compile(r"\b(?:he|she|they|him|them|his|her|their|it|its|this|that)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:it|its|this|that)\b", re.IGNORECASE)
_JOINT = re.compile(
    r",?\s+and\s+(?=(?:who|whom|whose|what|which|when|where|how|why|in which|in what)\b)|(?<=[?])\s+(?=\w)",
    re.IGNORECASE,
)


class Parts(BaseModel):
    """What the model is asked for."""

    questions: list[str] = Field(min_length=1, max_length=20)


SPLIT_QUESTION = Skill(
    "split_question",
    "Take the question apart",
    (
        Method(
            MODEL,
            "The model takes it apart",
            "One call; the model lists questions that ask for one thing each, and marks where one needs an earlier "
            "answer.",
            calls=1,
            slots=("question",),
        ),
        Method(
            "rule",
            "A rule cuts at “and who”, “and when”",
            "No model call: it cuts where “and” stands before a question word. English only; it does not see a "
            "question that hides another one.",
            calls=0,
        ),
    ),
    builtin="rule",
)

UPDATE_QUESTION = Skill(
    "update_question",
    "Fill in earlier answers",
    (
        Method(
            MODEL,
            "The model fills them in",
            "One call for each question that points at an earlier answer.",
            calls=1,
            slots=("question", "pairs"),
        ),
        Method(
            "rule",
            "A rule fills in names",
            "No model call: “#1” becomes the first answer, or its main name if it is long; “he” or “she” the last one; "
            "“it” what the question before was about. English only; often it takes the wrong name.",
            calls=0,
        ),
    ),
    builtin="rule",
)


@dataclass(frozen=True)
class Updated:
    """A question ready to be asked."""

    text: str
    note: str = ""


async def split_question(context: SkillContext, question: str) -> SubQuestions:
    """The question as one or more that ask for one thing each; at most `MOST_QUESTIONS`.

    Raises:
        ModelError: The endpoint failed. A reply without the form asked for leaves the question whole.
    """
    method, note = context.method(SPLIT_QUESTION), ""
    parts: Sequence[str] = [question]
    if method == MODEL:
        prompt = context.fill(SPLIT_QUESTION, method, question=question)
        try:
            reply = await context.chat.structured(
                (Message(role="user", content=prompt),),
                Parts,
                skill=SPLIT_QUESTION.key,
                method=method,
                sampling=Sampling(temperature=0.0, max_tokens=500),
            )
            parts = reply.questions
        except UnusableReply:
            note = "The reply could not be read, even at the second try, so the question is asked as a whole."
    else:
        parts = [part.strip() for part in _JOINT.split(question)]
    kept = [text for text in dict.fromkeys(map(tidy, parts)) if text and len(text) <= MAX_CHARS]
    if len(kept) > MOST_QUESTIONS:
        note = f"{len(kept)} questions came; the first {MOST_QUESTIONS} are asked."
    if method != MODEL:
        kept = [text[:1].upper() + text[1:].rstrip("?. ") + "?" for text in kept] if len(kept) > 1 else []
    return SubQuestions(
        questions=tuple(kept[:MOST_QUESTIONS]) or (question,),
        by_tools=True,
        skill=SPLIT_QUESTION.key,
        method=method,
        note=note,
    )


def depends(question: str) -> bool:
    """Whether a question points at the answer to an earlier one."""
    return bool(MARK.search(question) or _POINTS.search(question))


async def update_question(context: SkillContext, question: str, pairs: Sequence[Pair]) -> Updated:
    """A question with the earlier answers that it points at filled in.

    Args:
        context: What the skill works with.
        question: One thing; it may hold marks such as `#1`.
        pairs: All earlier questions and answers, in order: `#1` is the first.

    Raises:
        ModelError: The endpoint failed.
    """
    if not pairs or not depends(question):
        return Updated(question)
    if context.method(UPDATE_QUESTION) != MODEL:
        return _by_rule(question, pairs)
    reply = await context.chat.text(
        (
            Message(
                role="user",
                content=context.fill(UPDATE_QUESTION, MODEL, question=question, pairs=listed(pairs)),
            ),
        ),
        skill=UPDATE_QUESTION.key,
        method=MODEL,
        sampling=Sampling(temperature=0.0, max_tokens=200),
    )
    text = re.sub(r"^question:\s*", "", tidy(reply), flags=re.IGNORECASE)
    if not text or len(text) > MAX_CHARS:
        return _by_rule(question, pairs)
    return Updated(text)


def _by_rule(question: str, pairs: Sequence[Pair]) -> Updated:
    filled: list[str] = []

    def name_of(pair: Pair) -> str:
        name = gist(pair)
        filled.append(name)
        return name

    def mark(match: re.Match[str]) -> str:
        place = int(match[1])
        known = 1 <= place <= len(pairs) and pairs[place - 1].answer
        return name_of(pairs[place - 1]) if known else match[0]

    text = MARK.sub(mark, question)
    before = pairs[-1]
    about = re.findall(r"(?:[A-Z][\w'’-]*\s+)*[A-Z][\w'’-]*", before.question[1:])

    def thing(match: re.Match[str]) -> str:
        if not about:
            return match[0]
        filled.append(about[-1])
        return f"{about[-1]}'s" if match[0].lower() == "its" else about[-1]

    if text == question:
        text = _THING.sub(thing, question)
    if text == question and before.answer:
        name = name_of(before)
        text = _POINTS.sub(
            lambda m: f"{name}'s" if m[0].lower() in ("his", "her", "their") else name, question
        )
    note = f"A rule filled in {', '.join(f'“{name}”' for name in filled)}." if filled else ""
    return Updated(text, note or "The rule found nothing to fill in.")
