"""Making a sub-question searchable by itself: "When was he born?" finds nothing until "he" has a name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import framed_pairs
from core.skills.names import lacks_name, names_in
from core.skills.variants import question_in
from core.trace.artefacts import Pair

NOT_AT_ALL = "none"

RESOLVE = Skill.of(
    "resolve",
    "Fill in references",
    Method(
        MODEL,
        "The model rewrites the sub-question",
        "One call; the model puts the names from the earlier answers in the place of words that point at them, and "
        "asks for the step that is left. It is searched with; what is answered stays the question.",
        slots=("question", "pairs"),
    ),
    Method(
        NOT_AT_ALL,
        "Not at all",
        "No model call: the sub-question is searched as it stands; only marks such as “#1” are filled in.",
    ),
    Method(
        "rule",
        "A rule fills in the last name",
        "No model call: words such as “he”, “it” or “the director” give way to the main name of the last answer: "
        "the first name in it that its question does not have. English only; often it takes the wrong one.",
    ),
    builtin=NOT_AT_ALL,
)

_ROLE = (
    r"(?:director|author|writer|composer|performer|singer|actor|actress|founder|inventor|person|man|woman|film|"
    r"movie|book|novel|song|album|city|town|country|company|place)"
)
_OWNER = re.compile(rf"\b(?:his|their|its|her(?= \w)|(?:the|this|that) {_ROLE}['’]s)\b", re.IGNORECASE)
_SELF = re.compile(
    rf"\b(?:he|she|they|it|him|them|her|(?:the|this|that) {_ROLE}(?!['’]s)(?! (?:of|by|from|in|who|that|which)\b))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Resolved:
    """A sub-question fit to be searched with."""

    text: str
    method: str
    note: str
    queries: tuple[str, ...] = ()
    """What is searched with in the place of `text`, where a mark in it stands for several answers: one for each."""


@task(RESOLVE)
async def resolve(context: SkillContext, question: str, pairs: Sequence[Pair]) -> Resolved:
    """The query for a sub-question, its references filled in from the earlier answers; unchanged if there are
    none.
    """
    method = context.method(RESOLVE)
    if not pairs or method == NOT_AT_ALL:
        return Resolved(question, method, "")
    if method == "rule":
        return by_rule(question, pairs)
    reply = await context.text(
        RESOLVE,
        method,
        Sampling(temperature=0.0, max_tokens=150),
        question=question,
        pairs=framed_pairs(pairs),
        language=context.searched_language,
    )
    text = question_in(reply)
    note = "" if text else "The model gave no question back, so the search is made as it stands."
    return Resolved(text or question, method, note)


def by_rule(question: str, pairs: Sequence[Pair]) -> Resolved:
    """The last answer's main name in the place of pronouns and of roles such as “the director”."""
    name, text = main_name(pairs[-1]), question
    if not points_back(question):
        note = "The rule found no reference to fill in."
    elif not name:
        note = "The rule found no name in the last answer, so nothing was filled in."
    else:
        text = _SELF.sub(lambda _: name, _OWNER.sub(lambda _: f"{name}'s", question))
        note = f"A rule filled in “{name}”, the first new name of the last answer."
    return Resolved(text, "rule", note)


def points_back(question: str) -> bool:
    """True if words such as “he” or “the director” of an English question seem to point at something before it."""
    return bool(_OWNER.search(question) or _SELF.search(question))


def main_name(pair: Pair) -> str:
    """The first name of an answer that its question lacks, names of several words before others; or nothing."""
    names = [
        name
        for name in names_in(pair.answer)
        if lacks_name(name, pair.question)
        and not re.search(r"\d", name)
        # “It”, at the beginning of a sentence, only looks like a name.
        and not (_SELF.fullmatch(name) or _OWNER.fullmatch(name))
    ]
    return next((name for name in names if " " in name), names[0] if names else "")
