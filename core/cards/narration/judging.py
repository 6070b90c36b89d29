"""Judgements, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.cards.kinds.grades import OUT_OF
from core.cards.kinds.grades import WAYS as SEARCH_WAYS
from core.cards.kinds.route import WAYS
from core.cards.narration.told import Told
from core.cards.narration.words import quoted
from core.trace.artefacts import Critique, Grade, Route
from core.wording import counted, shortened


def grades(found: Sequence[Grade], told: Told) -> str:
    for what, say in _JUDGED.items():
        if grades := [grade for grade in found if grade.what == what]:
            return say(grades, found)
    return ""


def _relevance(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    out = sum(not grade.passes for grade in grades)
    if not out:
        return (
            f"All {len(grades)} passages count as relevant."
            if len(grades) > 1
            else "The passage counts as relevant."
        )
    if out == len(grades):
        return f"None of {counted(out, 'passage')} counts as relevant."
    return f"{out} of {len(grades)} passages {'is' if out == 1 else 'are'} thrown out as not relevant."


def _holds(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    full, part = (sum(grade.verdict == one for grade in grades) for one in ("yes", "partly"))
    if not full + part:
        return f"None of {counted(len(grades), 'passage')} is judged to hold the answer."
    partly = f", {part} a part of it" if part else ""
    judged = "is judged" if full <= 1 else "are judged"
    return f"{full or 'None'} of {counted(len(grades), 'passage')} {judged} to hold the answer{partly}."


def _search(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    return f"The search is judged {grades[-1].verdict}: {SEARCH_WAYS.get(grades[-1].verdict, 'it goes on')}."


def _support(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    words = {"fully": "supported", "partially": "supported only in part", "no": "not supported"}
    text = f"The draft is {words.get(grades[-1].verdict, grades[-1].verdict)} by its passages"
    useful = [grade for grade in every if grade.what == "IsUse"]
    if useful:
        text += f", and its use for the question is {useful[-1].verdict}{OUT_OF['IsUse']}"
    good = "it is good enough"
    if grades[-1].verdict == "partially":
        good += ", unless it can be put right"
    return f"{text}: {good if all(one.passes for one in every) else 'not good enough'}."


def _use(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    good = "good enough" if grades[-1].passes else "not good enough"
    return f"The draft's use for the question is {grades[-1].verdict}{OUT_OF['IsUse']}: {good}."


def _need(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    return f"The question {'needs' if grades[-1].passes else 'does not need'} documents."


_JUDGED: Mapping[str, Callable[[Sequence[Grade], Sequence[Grade]], str]] = {
    "IsSup": _support,
    "IsUse": _use,
    "IsRel": _relevance,
    "Holds": _holds,
    "Search": _search,
    "Retrieve": _need,
}
"""What is judged -> its sentence, from its own grades and from all of the scene; the most telling first."""


def route(found: Sequence[Route], told: Told) -> str:
    made = found[-1]
    way = WAYS[made.way][0].lower()
    votes = sum(vote.way == made.way for vote in made.votes)
    if made.votes:
        return f"The way taken is “{way}”: {votes} of the {len(made.votes)} questions most like it took it."
    return f"The way taken is “{way}”{f': {shortened(made.reason, 110)}' if made.reason else '.'}"


def critique(found: Sequence[Critique], told: Told) -> str:
    made = found[-1]
    if made.complete:
        return "The critique: enough is known to answer."
    if made.questions:
        return f"The critique: something is missing. Asked next: {quoted(made.questions[0])}"
    return f"Something is missing, but the loop ends. {made.ends}"
