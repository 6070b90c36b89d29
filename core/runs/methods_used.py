"""By which methods the skills of a run were done: not always by those that were chosen, since a rule comes first where
one fits, and the model is then not asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from core.runs.record import Record
from core.skills.by_rule import BY_RULE, RULE
from core.skills.resolve import RESOLVE
from core.trace.artefacts import AnyArtefact, SubAnswer, SubQuestions

_SPLITTING = ("sub_questions", "reduce", "split_question")
_ANSWERING = ("answer_sub",)
"""Skills in whose place the rules for comparisons and chains stand, by what comes of them."""


def methods_used(record: Record) -> dict[str, tuple[str, ...]]:
    """Skill -> the methods that did it, in the order of their first use; skills that the run never came to, and those
    that leave no trace, are left out."""
    chosen = record.started.methods if record.started else {}
    found: dict[str, dict[str, None]] = defaultdict(dict)
    answered: set[int] = set()
    for step in record.steps:
        for call in step.calls:
            found[call.skill][call.method] = None
        for one in step.unusable:  # not every skill leaves an artefact
            found[one.skill][one.method] = None
        for artefact in step.artefacts:
            if artefact.skill in chosen and artefact.method:
                found[artefact.skill][artefact.method] = None
            for skill in _replaced(artefact, answered):
                if not any(call.skill == skill for call in step.calls):
                    found[skill][RULE] = None
            if isinstance(artefact, SubAnswer):
                answered.add(artefact.index)
    return {skill: tuple(found[skill]) for skill in chosen if found[skill]}


def _replaced(artefact: AnyArtefact, answered: Collection[int]) -> tuple[str, ...]:
    """Skills that were not needed for an artefact, since a rule did it."""
    by_rule = artefact.skill == BY_RULE.key and artefact.method == RULE
    if isinstance(artefact, SubQuestions):
        return _SPLITTING if by_rule else ()
    if isinstance(artefact, SubAnswer):
        # A mark such as “#1” was filled in; before, where it is answered again.
        new = artefact.index not in answered
        filled = (RESOLVE.key,) if new and artefact.searched != artefact.question else ()
        return (*filled, *(_ANSWERING if by_rule else ()))
    return ()
