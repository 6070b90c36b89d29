"""A scene of a replay in one sentence that says what mattered, worked out from what its steps made.

A question's labels are known from the start, so that the sentences can name the evidence before a live run could. The
modules of this package hold the sentences by what they are about. Where somebody guessed what a step would do, the same
sentence stands beside the guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from core.cards.kinds import KINDS
from core.cards.narration import reasoning, retrieving
from core.cards.narration.words import LETTERS, SceneContext
from core.cards.replay import END, Take
from core.runs.record import Record
from core.skills.sentences import sentences
from core.strategies import strategies
from core.wording import shortened

SAYS: Mapping[str, Callable[[Sequence[Any], SceneContext], str]] = {
    "answer": reasoning.answers,
    "fusion": retrieving.fusion,
    "union": retrieving.union,
    "sub_answer": reasoning.sub_answers,
    "sub_questions": reasoning.sub_questions,
    "thought": reasoning.thoughts,
    "grade": reasoning.grades,
    "rewrite": retrieving.rewrite,
    "refinement": retrieving.refinement,
    "route": reasoning.route,
    "step_back": retrieving.step_back,
    "passages": retrieving.hypothetical,
    "queries": retrieving.queries,
    "critique": reasoning.critique,
    "tool_call": reasoning.tool_calls,
    "plan": reasoning.plan,
    "path": reasoning.path,
    "candidates": reasoning.candidates,
    "walk": retrieving.walk,
    "ranking": retrieving.rankings,
    "context": retrieving.context,
    "baseline": retrieving.baseline,
}
"""Kind -> its sentence, from those that the scene made; of several kinds the first that has something to say speaks."""


def narration(run: Record, take: Take) -> str:
    """The sentence of a scene: raw text, at most `LETTERS` characters.

    Args:
        run: The whole run.
        take: One of its scenes.
    """
    return shortened(_narrated(run, take), LETTERS)


def _narrated(run: Record, take: Take) -> str:
    last = run.steps[-1].id in take.steps if run.steps else take.title == END
    if last and run.state in ("failed", "stopped"):
        return f"The run {'fails' if run.state == 'failed' else 'was stopped'} here: {run.error}"
    if take.title == END and not take.steps:
        return (
            "It waits before its first step." if run.state == "paused" else "It ended before its first step."
        )
    if not take.steps:
        known = strategies().get(run.started.strategy) if run.started else None
        return next(iter(sentences(known.idea)), "") if known else "A question is asked."
    made, first = take.made(run), run.steps[0].start
    first = min((step.start for step in run.steps if step.id in take.steps), default=first)
    before = [artefact for step in run.steps if step.start < first for artefact in step.artefacts]
    text = best_sentence(
        SceneContext(run, made, [one for one in before if not any(one is new for new in made)])
    )
    if run.fork and run.fork.step.id in take.steps:
        return f"Here the run was changed. {text}"
    return text


def best_sentence(scene: SceneContext) -> str:
    """The sentence of the most telling kind; of a kind without one, its name."""
    kinds = {artefact.kind for artefact in scene.made}
    for kind, say in SAYS.items():
        if kind in kinds and (text := say([one for one in scene.made if one.kind == kind], scene)):
            return text
    unknown = next((KINDS[kind].moment for kind in kinds if kind in KINDS), "")
    return f"{unknown}." if unknown else "This step is under way, or made nothing that is shown."


@dataclass(frozen=True)
class Expected:
    """Of the steps that ran at the same time. Raw text."""

    title: str
    """Their name on screen."""
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
