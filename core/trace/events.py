"""Events: a run is a list of these, and everything on screen is a pure function of that list."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from operator import not_
from typing import Annotated, Any, Literal, Protocol, cast

from pydantic import Field, TypeAdapter
from pydantic_core import PydanticSerializationError

from core.trace.artefacts import AnyArtefact, Artefact
from core.trace.passages import Frozen, is_none
from core.wording import whole_characters

FORMAT_VERSION = 1
"""Version of the event format; raised when a stored run could no longer be read."""
Missing = Literal["", "fail", "ask", "builtin", "endpoint"]
"""Who gives what a recording lacks; empty: none is played."""
MOST_FILTER_CHARS = 50_000
"""Of one condition of a filter."""
EACH_STEP = "each"
"""Where a run stops that is gone through step by step; else the name of a node, or nothing."""


def now() -> datetime:
    """The current time, UTC, as it is noted with runs."""
    return datetime.now(UTC)


class BaseEvent(Frozen):
    """The fields that all events share. `seq` and `at` are filled in by the engine."""

    seq: int = Field(0, ge=0)
    """Position in the run, from 0, without gaps."""
    at: float = Field(0.0, ge=0)
    """Seconds since the run started, monotonic."""
    step: str = ""
    """Id of the step execution it belongs to; names repeat in loops and fan-outs, ids do not."""


class Message(Frozen):
    """One chat message exactly as it was sent."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str


class Usage(Frozen):
    """Tokens of one model call, as the endpoint counted them; None: it did not say."""

    input: int | None = None
    output: int | None = None


class RunStarted(BaseEvent):
    """First event of every run: everything needed to understand and repeat it."""

    type: Literal["run_started"] = "run_started"
    version: int = FORMAT_VERSION
    run: str
    parent: str | None = None
    """Run this one was forked from."""
    created: datetime
    """Wall clock, UTC."""
    question: str
    strategy: str
    params: dict[str, Any]
    corpus: str | None = None
    retriever: str | None = None
    dense_share: Annotated[float | None, Field(ge=0, le=1, exclude_if=is_none)] = None
    """Weight of the dense scores in hybrid search, the rest is that of the keyword scores; None: ranks were fused."""
    where: Annotated[
        tuple[Annotated[str, Field(max_length=MOST_FILTER_CHARS)], ...], Field(max_length=100)
    ] = ()
    """Conditions that documents had to meet to be searched, as they are written; see `core.corpora.filtering`."""
    graph: str | None = None
    """Name of the knowledge graph that was explored."""
    chat_model: str
    builtin: bool
    """Whether the tiny built-in model answered."""
    adapter: bool = False
    """Whether it could use what it was taught; if not, it answered as it came."""
    embedding_model: str = ""
    methods: dict[str, str] = Field(default_factory=dict)
    """Skill key -> method chosen for this run."""
    prompts: dict[str, str] = Field(default_factory=dict)
    """Prompt key -> text used in this run."""
    retrieval_only: bool = False
    """Whether it ends before the step that answers, so that retrieval is judged and no answer paid."""
    recording: str = ""
    """Name of the recording whose replies were played, and in which others may have been kept."""
    missing: Missing = ""
    """Who gives the replies that the recording lacks: nobody, and the run fails or waits until somebody is asked; the
    built-in model; or the endpoint."""
    stop_before: Annotated[str, Field(exclude_if=not_)] = ""
    """Before what it stops until somebody lets it go on: `each` step, or a node of its graph; empty: nothing."""


class StepStarted(BaseEvent):
    """A node of the graph begins."""

    type: Literal["step_started"] = "step_started"
    node: str
    parent: str | None = None
    """The step execution it waited for last; None for the first."""
    layer: int = Field(0, ge=0)
    """LangGraph superstep, from 0: steps of one layer run at the same time."""
    label: str = ""
    """What tells this execution from others of the same node, e.g. the query of a branch."""


class StepFinished(BaseEvent):
    """A node of the graph is done."""

    type: Literal["step_finished"] = "step_finished"


class StepFailed(BaseEvent):
    """A node of the graph failed."""

    type: Literal["step_failed"] = "step_failed"
    error: str


class ModelStarted(BaseEvent):
    """A model call is sent."""

    type: Literal["model_started"] = "model_started"
    call: str
    skill: str
    method: str
    model: str
    messages: tuple[Message, ...]
    sampling: dict[str, Any] = Field(default_factory=dict)
    """Temperature, token limit, grammar or schema, as sent."""
    waited: float = Field(0.0, ge=0)
    """Seconds that it waited for its turn before, while the model answered other calls."""


class ModelFinished(BaseEvent):
    """A model call gave its whole reply."""

    type: Literal["model_finished"] = "model_finished"
    call: str
    output: str
    usage: Usage = Usage()
    seconds: float = Field(ge=0)
    """Those of the pace, where the reply was played."""
    recorded: str = ""
    """Name of the recording that it was played from; empty: the model was asked."""
    kept: str = ""
    """Name of the recording in which it is kept from now on."""
    prompt: str = ""
    """Where a recording is used, a hash of the prompt: a run that goes on counts how often it was asked before."""


class ModelFailed(BaseEvent):
    """A model call failed; what had arrived is kept."""

    type: Literal["model_failed"] = "model_failed"
    call: str
    error: str
    output: str = ""
    seconds: float = Field(ge=0)


class ReplyMissing(BaseEvent):
    """The recording that plays has no reply for what a step asks, and its model is not asked."""

    type: Literal["reply_missing"] = "reply_missing"
    skill: str
    """Skill that asks; another way to do it may follow."""
    reason: str
    """One sentence: which step, and why it is new."""


class ReplyUnusable(BaseEvent):
    """The model gave a step twice in a row what it cannot use; another method of the skill does it, and no other
    model."""

    type: Literal["reply_unusable"] = "reply_unusable"
    skill: str
    """Skill that asked."""
    method: str
    """Its method that does it instead."""
    reason: str
    """What was wrong with the replies, and who did it, in sentences."""


class Retried(BaseEvent):
    """A failed call will be tried again after a wait. The new try is a call of its own."""

    type: Literal["retried"] = "retried"
    call: str
    """The call that failed."""
    attempt: int = Field(ge=2)
    """Number of the coming attempt."""
    wait: float = Field(ge=0)
    """Seconds until then."""
    reason: str


class ArtefactMade(BaseEvent):
    """A step made something worth seeing."""

    type: Literal["artefact"] = "artefact"
    artefact: AnyArtefact


class Token(BaseEvent):
    """A piece of the answer as it arrives. If its call fails, its tokens are void."""

    type: Literal["token"] = "token"
    call: str
    text: str


class RunFinished(BaseEvent):
    """Last event of a run that reached its end."""

    type: Literal["run_finished"] = "run_finished"


class RunFailed(BaseEvent):
    """Last event of a run that failed; everything before it is kept."""

    type: Literal["run_failed"] = "run_failed"
    error: str
    """One sentence: what failed and what to do."""


class RunStopped(BaseEvent):
    """Last event of a run that was stopped, by the user or at its cap on calls."""

    type: Literal["run_stopped"] = "run_stopped"
    reason: str


class RunPaused(BaseEvent):
    """Last event of a run that waits before its next step until it is resumed: as `stop_before` says, or since a
    recording has no reply for that step, see `ReplyMissing`."""

    type: Literal["run_paused"] = "run_paused"
    next: tuple[str, ...] = Field(min_length=1)
    """Nodes that come next, all at the same time: one of several branches stands there once for each."""


class RunResumed(BaseEvent):
    """A run that waited, or was interrupted, stopped or failed, goes on after its last whole step; `at` leaves out the
    pause.

    Steps that had begun and not finished are void; they begin anew, with the same ids.
    """

    type: Literal["run_resumed"] = "run_resumed"
    chat_model: str
    """Model that answers from here on."""
    builtin: bool
    recording: str = ""
    """As of `RunStarted`, from here on."""
    missing: Missing = ""
    stop_before: Annotated[str, Field(exclude_if=not_)] = ""
    """As of `RunStarted`, from here on."""


class RunForked(BaseEvent):
    """A run takes another way from here: what `step` made is replaced, and everything before is its parent's.

    The events between `run_started` and this one are copies of the parent's; what they cost was paid there.
    """

    type: Literal["run_forked"] = "run_forked"
    parent: str
    """Run that it was forked from."""
    place: int = Field(ge=0)
    """Which of the artefacts of the step, from 0."""
    artefact: AnyArtefact
    """What takes its place."""


Event = Annotated[
    RunStarted
    | RunResumed
    | RunForked
    | StepStarted
    | StepFinished
    | StepFailed
    | ModelStarted
    | ModelFinished
    | ModelFailed
    | ReplyMissing
    | ReplyUnusable
    | Retried
    | ArtefactMade
    | Token
    | RunFinished
    | RunFailed
    | RunStopped
    | RunPaused,
    Field(discriminator="type"),
]
"""Every kind of event."""

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
"""Validates and serialises one event."""


def dump(event: Event) -> str:
    """One event as a line of JSON; half a character in it is replaced, so that nothing can cost the run."""
    try:
        return EVENT.dump_json(event).decode()
    except PydanticSerializationError:
        fields = EVENT.dump_python(event, mode="json")
        return whole_characters(json.dumps(fields, ensure_ascii=False, separators=(",", ":")))


def load(line: str | bytes) -> Event:
    """One event from a line of JSON.

    Raises:
        pydantic.ValidationError: The line is not an event of this format version.
    """
    return EVENT.validate_json(line)


class Tracer(Protocol):
    """Receives events from inside a step. `seq`, `at` and `step` are filled in by the tracer."""

    def emit(self, event: BaseEvent) -> None:
        """Take one event, from inside a step; never blocks."""


def emit_artefact(tracer: Tracer, artefact: Artefact) -> None:
    """Report an artefact."""
    tracer.emit(ArtefactMade(artefact=cast("AnyArtefact", artefact)))


class ListTracer:
    """Keeps events in a list, numbered: for tests and for work outside a run."""

    def __init__(self) -> None:
        self.events: list[BaseEvent] = []

    def emit(self, event: BaseEvent) -> None:
        self.events.append(event.model_copy(update={"seq": len(self.events)}))
