"""The change of a fork: the artefact, and what became of evidence and answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from core.cards.kinds import KINDS
from core.cards.models import answer_by
from core.cards.passages import STAR, names
from core.cards.texts import doubted
from core.runs.budget import given_passages
from core.runs.record import Record
from core.trace.artefacts import AnyArtefact
from core.trace.gold import Gold, holds_evidence, pieces_held
from core.trace.passages import Passage


@dataclass(frozen=True)
class Change:
    """One line that was taken away or added; raw text."""

    sign: Literal["-", "+"]
    text: str


@dataclass(frozen=True)
class ForkView:
    """A fork beside its parent; raw text."""

    changes: tuple[Change, ...]
    came_in: tuple[str, ...]
    """Names of passages that only the fork gave to its answer, with a star where they hold evidence."""
    dropped: tuple[str, ...]
    """Names of passages that only the parent did, in the same way."""
    moved: int
    """Passages given by both, at another rank."""
    evidence: str
    """The effect of the change on the evidence, in words; empty where nobody knows."""
    answer_before: str
    answer_after: str
    by_before: str
    """Name of the model that wrote the answer before; empty: no model did."""
    by_after: str


def fork_view(parent: Record, run: Record) -> ForkView:
    """Compare a fork with the run that it left."""
    fork = run.fork
    before, after = _given_passages(parent), _given_passages(run)
    gold = run.baseline.gold if run.baseline else ()
    # Named among one another: a passage that came in and one that went may be of one page.
    called = {
        chunk: f"{STAR} {name}" if holds_evidence(gold, (after.get(chunk) or before[chunk])) else name
        for chunk, name in names((before | after).values()).items()
    }
    common = [chunk for chunk in after if chunk in before]
    moved = sum(list(before).index(chunk) != list(after).index(chunk) for chunk in common)
    return ForkView(
        changes=changes(lines(fork.before), lines(fork.after)) if fork else (),
        came_in=tuple(called[chunk] for chunk in after if chunk not in before),
        dropped=tuple(called[chunk] for chunk in before if chunk not in after),
        moved=moved,
        evidence=_evidence(parent, run, gold),
        answer_before=doubted(parent.answer.text, parent.answer) if parent.answer else "",
        answer_after=doubted(run.answer.text, run.answer) if run.answer else "",
        by_before=answer_by(parent),
        by_after=answer_by(run),
    )


def _evidence(parent: Record, run: Record, gold: Sequence[Gold]) -> str:
    if not gold:
        return ""
    before, after = (pieces_held(gold, given_passages(each)) for each in (parent, run))
    change = f"{before} → {after} of {len(gold)}"
    return f"Evidence: {change if before != after else f'{after} of {len(gold)}, as before'}"


def _given_passages(run: Record) -> dict[str, Passage]:
    """Chunk -> passage that the answer was given, in order."""
    return {passage.chunk: passage for passage in run.context.given_passages} if run.context else {}


def lines(artefact: AnyArtefact) -> list[str]:
    """An artefact as lines of text, as far as it can be edited."""
    edit = KINDS[artefact.kind].edit
    return list(edit.lines(artefact)) if edit else []


def changes(before: list[str], after: list[str]) -> tuple[Change, ...]:
    """Lines taken away and added, in order; lines that stay are left out."""
    edits: list[Change] = []
    for kind, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            edits += [Change("-", text) for text in before[i:j]]
            edits += [Change("+", text) for text in after[k:m]]
    return tuple(edits)
