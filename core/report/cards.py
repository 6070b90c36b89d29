"""Each kind of artefact as a card of a report, made of the same views, words and drawings as on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.cards.blocks import Block, blocks
from core.report import exploring, reasoning, searching
from core.report.parts import Card
from core.report.scene import Scene
from core.runs.record import Step
from core.trace.artefacts import AnyArtefact

CARDS: dict[str, Callable[[Any, Scene], Card]] = {
    "queries": searching.queries,
    "ranking": searching.ranking,
    "union": searching.union,
    "fusion": searching.fusion,
    "sub_questions": reasoning.sub_questions,
    "sub_answer": reasoning.sub_answer,
    "step_back": reasoning.step_back,
    "passages": reasoning.hypothetical,
    "thought": reasoning.thought,
    "grade": reasoning.grade,
    "rewrite": reasoning.rewrite,
    "plan": exploring.plan,
    "candidates": exploring.candidates,
    "path": exploring.path,
    "tool_call": exploring.decisions,
    "critique": exploring.decisions,
    "context": searching.context,
    "answer": searching.answer,
}
"""The card of each kind; a test checks that none is missing."""

TOGETHER = frozenset({"tool_call", "critique", "thought"})
"""Kinds whose card is about the whole run, so that no one step's seconds belong to it."""


@dataclass(frozen=True)
class Row:
    """Cards of one block."""

    beside: bool
    """Side by side, where there is room."""
    cards: Sequence[Card]


def rows(scene: Scene) -> Iterator[Row]:
    """The steps of a run as cards, in their order; answer and evidence have their own place."""
    for block in blocks(scene.record):
        yield Row(block.beside, _cards(block, scene))


def _cards(block: Block, scene: Scene) -> list[Card]:
    if block.chain or block.grades:
        step = block.items[0][0]
        if block.chain:
            card = reasoning.chain([(step.label, made) for step, made, _ in block.items], scene)
        else:
            card = _timed(reasoning.grades(block.grades, scene), step)
        return [replace(card, edited=any(_edited(made, scene) for _, made, _ in block.items))]
    return [card_of(made, scene, step) for step, made, _ in block.items]


def card_of(artefact: AnyArtefact, scene: Scene, step: Step | None = None) -> Card:
    """The card of any artefact.

    Args:
        artefact: What to show.
        scene: The run that it belongs to.
        step: The step that made it; None: how long it took is not said.
    """
    card = CARDS[artefact.kind](artefact, scene)
    if step is not None and artefact.kind not in TOGETHER:
        card = _timed(card, step)
    return replace(card, edited=_edited(artefact, scene))


def _timed(card: Card, step: Step) -> Card:
    return card if step.end is None or step.inherited else replace(card, seconds=step.end - step.start)


def _edited(artefact: AnyArtefact, scene: Scene) -> bool:
    fork = scene.record.fork
    if fork is None:
        return False
    together = artefact.kind in TOGETHER and artefact.kind == fork.after.kind
    return together or artefact is fork.after
