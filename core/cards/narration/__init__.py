"""What happens in a scene of a replay, in one sentence that says what mattered; worked out from what its steps made.

A question's labels are known from the start, so that the sentences can name the evidence before a live run could. The
modules of this package hold the sentences by what they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.cards.kinds import KINDS
from core.cards.narration import answering, exploring, finding, judging, merging, searching, splitting
from core.cards.narration.told import Told
from core.cards.narration.words import LETTERS
from core.cards.replay import END, Take
from core.runs.record import Record
from core.skills.sentences import sentences
from core.strategies import strategies
from core.wording import shortened

SAYS: Mapping[str, Callable[[Sequence[Any], Told], str]] = {
    "answer": answering.answers,
    "fusion": merging.fusion,
    "union": merging.union,
    "sub_answer": splitting.sub_answers,
    "sub_questions": splitting.sub_questions,
    "thought": splitting.thoughts,
    "grade": judging.grades,
    "rewrite": searching.rewrite,
    "refinement": merging.refinement,
    "route": judging.route,
    "step_back": searching.step_back,
    "passages": searching.hypothetical,
    "queries": searching.queries,
    "critique": judging.critique,
    "tool_call": exploring.tool_calls,
    "plan": exploring.plan,
    "path": exploring.path,
    "candidates": exploring.candidates,
    "walk": merging.walk,
    "ranking": finding.rankings,
    "context": merging.context,
    "baseline": merging.baseline,
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
    text = _told(Told(run, made, [one for one in before if not any(one is new for new in made)]))
    if run.fork and run.fork.step.id in take.steps:
        return f"Here the run was changed. {text}"
    return text


def _told(told: Told) -> str:
    """What the most telling kind says; of a kind without a sentence, what it is."""
    kinds = {artefact.kind for artefact in told.made}
    for kind, say in SAYS.items():
        if kind in kinds and (text := say([one for one in told.made if one.kind == kind], told)):
            return text
    unknown = next((KINDS[kind].moment for kind in kinds if kind in KINDS), "")
    return f"{unknown}." if unknown else "This step is under way, or made nothing that is shown."
