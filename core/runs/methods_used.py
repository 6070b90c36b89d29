"""By which methods the skills of a run were done: not always by those that were chosen, since a mark such as “#1” is
filled in by a rule, and the model is then not asked."""

from __future__ import annotations

from collections import defaultdict

from core.runs.record import Record
from core.skills.resolve import RESOLVE
from core.trace.artefacts import SubAnswer

RULE = "rule"


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
            if not isinstance(artefact, SubAnswer):
                continue
            # A mark such as “#1” was filled in; before, where it is answered again.
            filled = artefact.index not in answered and artefact.searched != artefact.question
            if filled and not any(call.skill == RESOLVE.key for call in step.calls):
                found[RESOLVE.key][RULE] = None
            answered.add(artefact.index)
    return {skill: tuple(found[skill]) for skill in chosen if found[skill]}
