"""What somebody expected of the steps of a run that they went through, beside what came."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby

from core.cards.narration import narration
from core.cards.replay import Take
from core.runs.record import Record


@dataclass(frozen=True)
class Expected:
    """Of the steps that ran at the same time. Raw text."""

    title: str
    """What they are called on screen."""
    guess: str
    came: str
    """In one sentence."""


def next_layer(record: Record) -> int:
    """Number of the steps that come next, as `Step.layer` will have it."""
    return max((step.layer for step in record.steps), default=-1) + 1


def expected(record: Record, titles: Mapping[str, str], guess: Callable[[int], str]) -> list[Expected]:
    """The guesses whose steps are done, in order.

    Args:
        record: The run so far.
        titles: Node -> what it is called on screen.
        guess: What was expected of the steps of a layer; empty: nothing was.
    """
    found = []
    for layer, steps in groupby(record.steps, key=lambda step: step.layer):
        group = list(steps)
        if (text := guess(layer).strip()) and all(step.state == "finished" for step in group):
            title = " and ".join(dict.fromkeys(titles.get(step.node, step.node) for step in group))
            take = Take(1, title, tuple(step.id for step in group), "")
            found.append(Expected(title, text, narration(record, take)))
    return found
