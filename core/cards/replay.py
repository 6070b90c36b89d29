"""The scenes of a run, which a replay shows for the same time each: the question, its steps, the end; and what happens
in each, in one sentence, worked out from what its steps made.

Where somebody guessed what a step would do, the same sentence stands beside the guess.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from core.cards.kinds import KINDS
from core.cards.narration import LETTERS, SceneContext
from core.corpora.sentence_spans import sentences
from core.runs.record import Call, Record, Step, record
from core.strategies import strategies
from core.trace.artefacts import AnyArtefact
from core.trace.events import Event, StepStarted
from core.wording import shortened

QUESTION = "The question"
END = "The end"
UNTOLD = 1000
"""Order of a kind without a sentence: see `core.cards.narration.Sentence`."""


@dataclass(frozen=True)
class Take:
    """A scene of a replay: steps that ran at the same time, as they have just ended."""

    count: int
    """How many events had happened by then, at least 1."""
    title: str
    """What its steps are called; raw text."""
    steps: tuple[str, ...]
    """Ids; empty: the question, before any of them."""
    took: str
    """How long it took as recorded, and who worked; empty: nothing happened yet."""

    def artefacts(self, run: Record) -> list[AnyArtefact]:
        """The artefacts of its steps, in order."""
        return [artefact for step in run.steps if step.id in self.steps for artefact in step.artefacts]


def takes(events: Sequence[Event], titles: Mapping[str, str], run: Record | None = None) -> list[Take]:
    """Return the scenes of a run, in order: first the question; the last one is its end, or how far it is. Steps of
    one layer are one scene. Calls and tokens are none, and neither is a step that made nothing to be seen: it
    belongs to the next scene. Steps that a run began anew when it was resumed count as they were done in the end.
    `titles` are the names of nodes on screen; `run` is worked out from the events where it is not given."""
    run = run or record(events)
    begun = {event.step: count for count, event in enumerate(events) if isinstance(event, StepStarted)}
    groups = list(_groups(run.steps))
    starts = [min(begun[step.id] for step in group) for group in groups]
    scenes = [Take(starts[0] if starts else 1, QUESTION, (), "")]
    for group, count in zip(groups, [*starts[1:], len(events)], strict=bool(groups)):
        ids = tuple(step.id for step in group)
        scenes.append(Take(count, _title(group, titles), ids, _took(group)))
    if not groups and len(events) > 1:
        scenes.append(Take(len(events), END, (), ""))
    return scenes


def _groups(steps: Iterable[Step]) -> Iterable[list[Step]]:
    """Steps of one layer each, after those before them that made nothing."""
    waiting: list[Step] = []
    for _, layer in groupby(steps, key=lambda step: step.layer):
        waiting += layer
        if any(step.artefacts for step in waiting):
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _title(group: Sequence[Step], titles: Mapping[str, str]) -> str:
    """Its steps by name, without those that made nothing, unless none did."""
    steps = [step for step in group if step.artefacts] or group
    return ", ".join(dict.fromkeys(titles.get(step.node, step.node) for step in steps))


def _took(group: Sequence[Step]) -> str:
    if all(step.inherited for step in group):
        return "taken over from the run before the change"
    ends = [step.end if step.end is not None else step.start for step in group]
    seconds = max(ends) - min(step.start for step in group)
    return f"{seconds:.2f} s, {_worked([call for step in group for call in step.calls])}"


def _worked(calls: Sequence[Call]) -> str:
    """The models that gave these replies, in words."""
    if not calls:
        return "no model call"
    if all(call.recorded for call in calls):
        return "a recorded reply" if len(calls) == 1 else f"{len(calls)} recorded replies"
    model = "the built-in model" if any(call.builtin for call in calls) else "the model"
    return f"written by {model}" if len(calls) == 1 else f"{len(calls)} calls of {model}"


def narration(run: Record, take: Take) -> str:
    """Return the sentence of one of a whole run's scenes: raw text, at most `LETTERS` characters."""
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
    first = min((step.start for step in run.steps if step.id in take.steps), default=0.0)
    before = [artefact for step in run.steps if step.start < first for artefact in step.artefacts]
    text = best_sentence(SceneContext(run, take.artefacts(run), before))
    if run.fork and run.fork.step.id in take.steps:
        return f"Here the run was changed. {text}"
    return text


def best_sentence(scene: SceneContext) -> str:
    """The sentence of the most telling kind; of a kind without one, its name."""
    kinds = [KINDS[key] for key in dict.fromkeys(artefact.kind for artefact in scene.artefacts)]
    for kind in sorted(kinds, key=lambda kind: kind.sentence.order if kind.sentence else UNTOLD):
        own = [artefact for artefact in scene.artefacts if artefact.kind == kind.key]
        if kind.sentence and (text := kind.sentence.says(own, scene)):
            return text
    return f"{kinds[0].title}." if kinds else "This step is under way, or made nothing that is shown."


@dataclass(frozen=True)
class Expected:
    """A guess at what the steps of one layer would do, and what they did; raw text."""

    title: str
    """Their name on screen."""
    guess: str
    outcome: str
    """In one sentence."""


def next_layer(record: Record) -> int:
    """Number of the steps that come next, as `Step.layer` will have it."""
    return max((step.layer for step in record.steps), default=-1) + 1


def expected(record: Record, titles: Mapping[str, str], guess: Callable[[int], str]) -> list[Expected]:
    """Return the guesses whose steps are done, in order; `guess` gives what was expected of the steps of a layer, or
    an empty text, and `titles` are the names of nodes on screen."""
    guesses = []
    for layer, steps in groupby(record.steps, key=lambda step: step.layer):
        group = list(steps)
        if (text := guess(layer).strip()) and all(step.state == "finished" for step in group):
            title = " and ".join(dict.fromkeys(titles.get(step.node, step.node) for step in group))
            take = Take(1, title, tuple(step.id for step in group), "")
            guesses.append(Expected(title, text, narration(record, take)))
    return guesses
