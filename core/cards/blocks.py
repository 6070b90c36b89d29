"""Which artefacts of a run are drawn together, in the order of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from core.cards.together import drawn_inside
from core.runs.record import Record, Step
from core.trace.artefacts import Answer, AnyArtefact, Context, Grade, Ranking, SubQuestions

LINKS = frozenset({"ranking", "sub_answer"})
"""Kinds that join the chain which sub-questions have begun."""


@dataclass(frozen=True)
class Block:
    """Artefacts drawn together: rankings of one layer side by side, its grades in one list, a chain of sub-questions
    as one flow, the rest alone."""

    beside: bool
    """Side by side, from the first one on: nothing moves when the others arrive."""
    items: tuple[tuple[Step, AnyArtefact, str], ...]
    """Step, artefact, key."""

    @property
    def chain(self) -> bool:
        """Whether it is a chain of sub-questions."""
        first = self.items[0][1]
        return isinstance(first, SubQuestions) and not first.by_tools

    @property
    def grades(self) -> list[Grade]:
        """Its grades, where it is a list of them; else empty."""
        return [artefact for _, artefact, _ in self.items if isinstance(artefact, Grade)]


def blocks(record: Record) -> Iterator[Block]:
    """Artefacts in the order of the run; answer and evidence have their own place."""
    branches = Counter(step.layer for step in record.steps)
    inside = drawn_inside(record)
    group: list[tuple[Step, AnyArtefact, str]] = []
    for step in record.steps:
        for place, artefact in enumerate(step.artefacts):
            if isinstance(artefact, Context) or (isinstance(artefact, Answer) and artefact.final):
                continue
            if (step.id, place) in inside:
                continue
            alike = group and any(
                isinstance(artefact, kind) and isinstance(group[-1][1], kind) for kind in (Ranking, Grade)
            )
            joins = alike and group[-1][0].layer == step.layer
            joins = joins or (group and isinstance(group[0][1], SubQuestions) and artefact.kind in LINKS)
            if group and not joins:
                yield _block(group, branches)
                group = []
            group.append((step, artefact, f"{step.id}-{place}"))
    if group:
        yield _block(group, branches)


def _block(group: list[tuple[Step, AnyArtefact, str]], branches: Counter[int]) -> Block:
    step, first, _ = group[0]
    return Block(isinstance(first, Ranking) and max(branches[step.layer], len(group)) > 1, tuple(group))
