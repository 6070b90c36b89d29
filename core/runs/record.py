"""The fold of a run's events into what is shown: steps, calls, answer, totals.

A pure function of the event list, so that live, stored and imported runs are drawn by the same code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal, TypeVar

from core.models.timing import covered
from core.services.chat import MODEL
from core.trace.artefacts import Answer, AnyArtefact, Artefact, Baseline, Context, Ranking
from core.trace.events import (
    ArtefactMade,
    Event,
    Message,
    Missing,
    ModelFailed,
    ModelFinished,
    ModelStarted,
    ReplyMissing,
    ReplyUnusable,
    Retried,
    RunFailed,
    RunFinished,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
    RunStopped,
    StepFailed,
    StepFinished,
    StepStarted,
    Token,
    Usage,
)

State = Literal["running", "paused", "finished", "failed", "stopped"]
A = TypeVar("A", bound=Artefact)


@dataclass
class Call:
    """One model call."""

    id: str
    step: str
    skill: str
    method: str
    model: str
    messages: tuple[Message, ...]
    sampling: dict[str, Any]
    start: float
    """Seconds since the run started."""
    waited: float = 0.0
    """Seconds before that, for its turn at the model."""
    end: float | None = None
    output: str = ""
    usage: Usage = field(default_factory=Usage)
    state: State = "running"
    error: str = ""
    retry: Retried | None = None
    """Set when this call failed and was tried again."""
    inherited: bool = False
    """Whether it was made, and paid, by the run that this one was forked from."""
    builtin: bool = False
    """Whether the built-in model was asked."""
    recorded: str = ""
    """Name of the recording that the reply was played from; empty: a model was asked."""
    kept: str = ""
    """Name of the recording in which the reply is kept."""


@dataclass
class Step:
    """One execution of a node."""

    id: str
    node: str
    label: str
    parent: str | None
    layer: int
    start: float
    end: float | None = None
    state: State = "running"
    error: str = ""
    calls: list[Call] = field(default_factory=list)
    artefacts: list[AnyArtefact] = field(default_factory=list)
    inherited: bool = False
    """Whether it was done by the run that this one was forked from."""
    missing: list[ReplyMissing] = field(default_factory=list)
    """What the recording had no reply for; its model was not asked."""
    unusable: list[ReplyUnusable] = field(default_factory=list)
    """What other methods did, since the model's replies could not be used."""


@dataclass(frozen=True)
class Fork:
    """Where and how a run left its parent."""

    parent: str
    step: Step
    before: AnyArtefact
    after: AnyArtefact
    at: float
    """Seconds of the parent's run that came before."""


@dataclass
class Record:
    """A run as far as its events go."""

    started: RunStarted | None = None
    steps: list[Step] = field(default_factory=list)
    abandoned: list[Step] = field(default_factory=list)
    """Steps cut off before the run was resumed; what they had made is void, what their calls cost is not."""
    state: State = "running"
    error: str = ""
    """Why it failed or stopped: one sentence."""
    seconds: float = 0.0
    """Time of the last event; where it is `live`, now."""
    live: bool = False
    """Whether it goes on as it is drawn, and its clock with it."""
    ahead: int | None = None
    """Number of calls that the model takes before the run's own; None: none of its own waits."""
    fork: Fork | None = None
    """Set where the run was forked from another; the last fork of several."""
    draft: str = ""
    """The answer as far as it has streamed; empty again if its call failed."""
    recording: str = ""
    """Name of the recording that plays, or played last; empty: none."""
    missing: Missing = ""
    """Who gives, or gave last, what it lacks."""
    who: RunStarted | RunResumed | None = None
    """The event that said last which model answers."""
    stop_before: str = ""
    """Before what it stops from now on; as of `RunStarted`."""
    next: tuple[str, ...] = ()
    """Nodes that a paused run waits before, with one of several branches once for each; else empty."""

    @property
    def question(self) -> str:
        """The question; empty before the run has begun."""
        return self.started.question if self.started else ""

    @property
    def lacking(self) -> list[ReplyMissing]:
        """The steps at which a run ended or waits, for which a recording has no reply; else empty."""
        if self.state not in ("failed", "paused"):
            return []
        return [reply for step in self.steps if step.state != "finished" for reply in step.missing]

    @property
    def under_way(self) -> bool:
        """True if more will come by itself, or as soon as somebody lets it go on."""
        return self.state in ("running", "paused")

    @property
    def step_by_step(self) -> bool:
        """True if somebody may still guess what comes: nothing is then shown that no step has made."""
        return self.under_way and bool(self.stop_before or self.state == "paused")

    @property
    def calls(self) -> list[Call]:
        """All model calls in the order they were sent."""
        return sorted((call for step in self.executions for call in step.calls), key=lambda call: call.start)

    @property
    def executions(self) -> list[Step]:
        """Every step that ran, abandoned ones included, in the order they began."""
        return sorted([*self.steps, *self.abandoned], key=lambda step: step.start)

    @property
    def artefacts(self) -> Iterator[tuple[Step, AnyArtefact]]:
        """Every artefact with the step that made it, in order."""
        return ((step, artefact) for step in self.steps for artefact in step.artefacts)

    def find(self, kind: type[A]) -> list[A]:
        """All artefacts of one kind, in order."""
        return [artefact for _, artefact in self.artefacts if isinstance(artefact, kind)]

    def rankings(self, node: str, label: str = "") -> list[Ranking]:
        """The rankings that the first step of a node with this label made."""
        step = next((step for step in self.steps if (step.node, step.label) == (node, label)), None)
        return [artefact for artefact in step.artefacts if isinstance(artefact, Ranking)] if step else []

    @property
    def answer(self) -> Answer | None:
        """The final answer, once it is there."""
        return next((answer for answer in reversed(self.find(Answer)) if answer.final), None)

    @property
    def context(self) -> Context | None:
        """The evidence in the strategy's final order."""
        return next(reversed(self.find(Context)), None)

    @property
    def baseline(self) -> Baseline | None:
        """The baseline that the run is measured against, once it has ended."""
        return next(reversed(self.find(Baseline)), None)

    @property
    def totals(self) -> Totals:
        """Calls, rounds, tokens and seconds as far as its events go."""
        calls = [call for call in self.calls if not call.inherited]
        usages = [call.usage for call in calls if call.state == "finished"]
        return Totals(
            calls=len(calls),
            played=sum(bool(call.recorded) for call in calls),
            replaced=sum(len(step.unusable) for step in self.steps if not step.inherited),
            rounds=_rounds(self.executions),
            tokens_in=sum(usage.input or 0 for usage in usages),
            tokens_out=sum(usage.output or 0 for usage in usages),
            tokens_known=all(usage.input is not None for usage in usages)
            and all(call.state != "stopped" for call in calls),
            seconds=self.seconds - (self.fork.at if self.fork else 0.0),
            model_seconds=covered(
                (call.start, self.seconds if call.end is None else call.end) for call in calls
            ),
        )


def record(events: Iterable[Event], now: float = 0.0, ahead: int | None = None) -> Record:
    """Fold events, in order, into a record, at any moment of a run; `now`: the seconds since it started, 0: as of its
    last event; `ahead`: as of `Record`."""
    result = Record(ahead=ahead)
    # A run whose store lost some events can still be drawn: what belongs to an unknown step or call is left out.
    steps: dict[str, Step] = defaultdict(lambda: Step("", "", "", None, 0, 0.0))
    calls: dict[str, Call] = defaultdict(lambda: Call("", "", "", "", "", (), {}, 0.0))
    drafting = ""
    for event in events:
        result.seconds = max(result.seconds, event.at)
        _follow_run(result, event)
        _follow_step(result, steps, event)
        _follow_call(result, steps, calls, event)
        if isinstance(event, Token):
            result.draft = event.text if drafting != event.call else result.draft + event.text
            drafting = event.call
        elif isinstance(event, ModelFailed) and drafting == event.call:
            result.draft = ""
    if result.state != "running":
        _close(result)
    elif now:
        result.live, result.seconds = True, max(result.seconds, now)
    return result


def _follow_run(result: Record, event: Event) -> None:
    match event:
        case RunStarted() | RunResumed():
            result.who, result.stop_before = event, event.stop_before
            if event.recording:
                result.recording, result.missing = event.recording, event.missing
            if isinstance(event, RunStarted):
                result.started = event
            else:
                _resume(result)
        case RunForked():
            _fork(result, event)
        case RunFinished():
            result.state = "finished"
        case RunFailed():
            result.state, result.error = "failed", event.error
        case RunStopped():
            result.state, result.error = "stopped", event.reason
        case RunPaused():
            result.state, result.next = "paused", event.next


def _follow_step(result: Record, steps: dict[str, Step], event: Event) -> None:
    match event:
        case StepStarted():
            steps[event.step] = Step(event.step, event.node, event.label, event.parent, event.layer, event.at)
            result.steps.append(steps[event.step])
        case StepFinished() | StepFailed():
            step = steps[event.step]
            step.end = event.at
            step.state = "failed" if isinstance(event, StepFailed) else "finished"
            step.error = event.error if isinstance(event, StepFailed) else ""
        case ReplyMissing():
            steps[event.step].missing.append(event)
        case ReplyUnusable():
            steps[event.step].unusable.append(event)
        case ArtefactMade():
            step = steps[event.step]
            step.artefacts.append(_with_reason(event.artefact, step.unusable))


def _follow_call(result: Record, steps: dict[str, Step], calls: dict[str, Call], event: Event) -> None:
    match event:
        case ModelStarted(call=key, step=step, skill=skill, method=method, model=model):
            sent = event.messages, event.sampling, event.at, event.waited
            call = Call(key, step, skill, method, model, *sent)
            who = result.who or RunResumed(chat_model="", builtin=False)
            # Before the reply is there: an endpoint is asked only where it may be. Beside a recording, the built-in
            # model is known by its name alone.
            call.builtin = who.builtin or (bool(who.recording) and model == MODEL)
            if who.missing in ("fail", "ask", "builtin") and not call.builtin:
                call.recorded = who.recording
            calls[call.id] = call
            steps[step].calls.append(call)
        case ModelFinished():
            call = calls[event.call]
            call.end, call.state = event.at, "finished"
            call.output, call.usage = event.output, event.usage
            call.recorded, call.kept = event.recorded, event.kept
            call.builtin = call.builtin and not event.recorded
        case ModelFailed():
            call = calls[event.call]
            call.end, call.output, call.error, call.state = event.at, event.output, event.error, "failed"
        case Retried():
            calls[event.call].retry = event


def _with_reason(artefact: AnyArtefact, unusable: Sequence[ReplyUnusable]) -> AnyArtefact:
    """An artefact that another method made since the model's replies could not be used, with a note that says so."""
    for reply in unusable:
        if (reply.skill, reply.method) == (artefact.skill, artefact.method):
            return artefact.model_copy(update={"note": f"{reply.reason} {artefact.note}".strip()})
    return artefact


def _close(result: Record) -> None:
    """End with the run all that was under way when it ended."""
    for step in result.steps:
        items: tuple[Step | Call, ...] = (step, *step.calls)
        for item in items:
            if item.state == "running":
                item.state = result.state if result.state in ("failed", "stopped") else "stopped"
                item.end = result.seconds


def _fork(result: Record, event: RunForked) -> None:
    """Put the edited artefact in its place; all steps and calls so far are the parent's."""
    parents: list[Step | Call] = [*result.executions, *result.calls]
    for item in parents:
        item.inherited = True
    step = next((step for step in result.steps if step.id == event.step), None)
    if step is None or event.place >= len(step.artefacts):
        return  # a file that somebody made
    before = step.artefacts[event.place]
    step.artefacts[event.place] = event.artefact
    result.fork = Fork(event.parent, step, before, event.artefact, event.at)


def _resume(result: Record) -> None:
    """Go on with a run: all that had not finished is void."""
    result.state = "stopped"
    _close(result)
    result.abandoned += [step for step in result.steps if step.state != "finished"]
    result.steps = [step for step in result.steps if step.state == "finished"]
    for step in result.abandoned:
        step.artefacts.clear()
    result.state, result.error, result.draft, result.next = "running", "", "", ()


@dataclass(frozen=True)
class Totals:
    """The cost of a run; what its parent paid is left out."""

    calls: int
    """Model calls sent, failed ones included, and those whose replies were played."""
    played: int
    """Calls whose replies were played from a recording: nobody was asked, and their seconds are those of the pace."""
    replaced: int
    """Uses of skills that another method did, since the model's replies could not be used."""
    rounds: int
    """Model calls that had to wait for one another: the longest chain."""
    tokens_in: int
    tokens_out: int
    tokens_known: bool
    """Whether every finished call came with a count from its endpoint, and none was cut off by a stop."""
    seconds: float
    model_seconds: float
    """Time during which at least one model call was under way."""


def _rounds(steps: Sequence[Step]) -> int:
    """Layers wait for one another, and steps of one run at once: the sum over layers of the longest chain in a step."""
    longest: dict[int, int] = {}
    for step in steps:
        own = _chain([call for call in step.calls if not call.inherited])
        longest[step.layer] = max(longest.get(step.layer, 0), own)
    return sum(longest.values())


def _chain(calls: Sequence[Call]) -> int:
    """Largest number of calls of one step that came strictly one after another."""
    count, free_from = 0, -1.0
    spans = ((inf if call.end is None else call.end, call.start - call.waited) for call in calls)
    for end, start in sorted(spans):
        if start >= free_from:
            count, free_from = count + 1, end
    return count
