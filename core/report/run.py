"""The report of one run."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10
from typing import Any

from core.cards.fork import ForkView, fork_view, lines
from core.cards.groups import Row, card_of, rows
from core.cards.kind import Picture, Scene
from core.cards.kinds import KINDS
from core.cards.kinds.evidence import TINY
from core.cards.models import MethodView, PromptView, methods_chosen, model_described, prompts_chosen
from core.cards.outcome import Outcome, outcome
from core.cards.parts import Card, Drawing, Mark, Note, drawings
from core.cards.recorded import answer_mark, call_mark, call_source, origin, tiny_wrote
from core.cards.stage import picture
from core.cards.status import Figure, costs_line, retries, totals_view
from core.cards.texts import QUIET
from core.charts.columns import params_in_words
from core.charts.timeline import Lane, kinds, lanes, reading
from core.corpora.filtering import where_text
from core.drawings.diagram import diagram_svg
from core.errors import StoreError
from core.report.page import Back, page
from core.retrieval.defaults import shared_words
from core.runs.record import Call, Record, Step, record
from core.runs.run_notes import cut_off
from core.runs.store import RunStore
from core.skills import skill_title
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.trace.events import Event, RunPaused, RunResumed, RunStarted
from core.wording import counted

LEAST = 0.4
"""Width of the shortest bar, in percent of the axis."""


@dataclass(frozen=True)
class Bar:
    """A step or a model call; places are in percent of the axis."""

    lane: Lane
    colour: str
    x: float
    width: float
    row: int
    """Row of the bar, from 0."""


@dataclass(frozen=True)
class Tick:
    """A mark of the axis."""

    x: float
    """In percent of the axis."""
    text: str


def bars(record: Record, seconds: float) -> tuple[Bar, ...]:
    """Return a bar per step execution and model call, each in a row of its own, on an axis so many seconds long."""
    return tuple(_bar(lane, seconds, row) for row, lane in enumerate(lanes(record)))


def packed(record: Record, seconds: float) -> tuple[Bar, ...]:
    """The bars in as few rows as were busy at the same time: steps first, model calls below them."""
    packed_bars: list[Bar] = []
    every = list(lanes(record))
    base = 0
    for call in (False, True):
        free: list[float] = []
        for lane in sorted((lane for lane in every if lane.call is call), key=lambda lane: lane.start):
            row = next((i for i, until in enumerate(free) if until <= lane.start + 1e-9), len(free))
            free[row : row + 1] = [lane.start + lane.seconds]
            packed_bars.append(_bar(lane, seconds, base + row))
        base += len(free)
    return tuple(packed_bars)


def _bar(lane: Lane, seconds: float, row: int) -> Bar:
    width = max(LEAST, 100 * lane.seconds / seconds)
    return Bar(lane, lane.colour, min(100 - LEAST, 100 * lane.start / seconds), width, row)


def axis(records: Iterable[Record]) -> float:
    """Length of an axis that holds these runs, in seconds."""
    return max((record.seconds for record in records), default=0.0) or 1.0


def ticks(seconds: float) -> tuple[Tick, ...]:
    """Return marks at round numbers of an axis so many seconds long (more than 0), at most seven."""
    power: float = 10.0 ** floor(log10(seconds / 6))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor * 6 >= seconds)
    digits = max(0, -floor(log10(step)))
    count = int(seconds / step + 1e-9)
    return tuple(
        Tick(100 * place * step / seconds, f"{place * step:.{digits}f} s") for place in range(count + 1)
    )


STATES = {
    "running": ("progress_activity", "This run was still under way when the report was made"),
    "paused": ("pause", "This run waited before its next step when the report was made"),
    "finished": ("check", "Done"),
    "failed": ("error", "This run failed"),
    "stopped": ("stop_circle", "This run was stopped"),
}
"""Icon and words of each state of a run."""


@dataclass(frozen=True)
class CallView:
    """A model call; raw text."""

    call: Call
    title: str
    sampling: str
    """Sampling as it was sent, as JSON; empty: none was sent."""
    source: str
    """Words on whether it was played or kept, to follow on the model's name; may be empty."""


@dataclass(frozen=True)
class ForkPart:
    """The edit at which a run left another one; raw text."""

    kind: str
    """Kind of artefact that was edited, in words."""
    before: Sequence[str]
    after: Sequence[str]
    view: ForkView
    compared: bool
    """True if the run that was left is known, so that `view` says what became of evidence and answer."""


@dataclass(frozen=True)
class RunPart:
    """A run as its report shows it; raw text."""

    key: str
    """Unique among the runs of the report."""
    started: RunStarted
    record: Record
    strategy: AnyStrategy | None
    state: tuple[str, str]
    costs: str
    """Return the costs and the model that answered, in one line."""
    origin: str
    """Where its replies come from, if its model did not give all of them; else empty."""
    outcome: Outcome | None
    """Its outcome; None: it was not measured against anything."""
    baseline: Card | None
    """The finds of plain retrieval in its place."""
    answer: Card | None
    answer_mark: Mark | None
    """The mark of what was recorded of it."""
    tiny: str
    """A remark on an answer of the built-in model; empty: none."""
    cut: str
    """The part of prompts that the server seems not to have read; empty: nothing."""
    evidence: Card | None
    picture: Picture | None
    """The strategy's; None: it has none, there is nothing to draw yet, or the first of the steps draws the same."""
    rows: Sequence[Row]
    way: Sequence[Note]
    """Retries, failed steps and interruptions, in order."""
    fork: ForkPart | None
    diagram: Drawing | None
    facts: Sequence[tuple[str, str]]
    params: Sequence[tuple[str, str]]
    methods: Sequence[MethodView]
    prompts: Sequence[PromptView]
    totals: Sequence[Figure]
    bars: Sequence[Bar]
    ticks: Sequence[Tick]
    calls: Sequence[CallView]


def run_report(events: Sequence[Event], parent: Sequence[Event] = (), back: Back | None = None) -> str:
    """Return a run, as far as its events go, as one HTML text that needs nothing else; `parent` are the events of the
    run that it was forked from, if that is stored, and `back` is where it leads back to, unless it stands alone.

    Raises:
        ValueError: They do not begin with the start of a run.
    """
    part = run_part(events, "run", parent)
    colour = part.strategy.colour if part.strategy else QUIET
    return page(
        "run.html",
        part.started.question,
        {part.key: colour},
        back=back,
        kind="report of a run",
        run=part,
        reading=reading(part.record),
        kinds=kinds([part.record]),
    )


def stored_report(events: Sequence[Event], store: RunStore, back: Back | None = None) -> str:
    """The report of a run; of a fork, with what became of the run that it left, if that is stored; `back` as for
    `run_report`. Blocks."""
    fork = record(events).fork
    try:
        parent = store.events(fork.parent) if fork else ()
    except StoreError:
        parent = ()
    return run_report(events, parent, back)


def run_part(events: Sequence[Event], key: str, parent: Sequence[Event] = ()) -> RunPart:
    """A run made ready for the templates; arguments as for `run_report`, and `key` tells it from others."""
    run = record(events)
    started = run.started
    if started is None:
        raise ValueError("a run begins with run_started")
    strategy = strategies().get(started.strategy)
    colour = strategy.colour if strategy else QUIET
    scene = Scene(run, colour, key)
    seconds = axis([run])
    return RunPart(
        key=key,
        started=started,
        record=run,
        strategy=strategy,
        state=STATES[run.state],
        costs=costs_line(run),
        outcome=(end := outcome(run)),
        baseline=card_of(run.baseline, scene) if run.baseline and end and end.shared is not None else None,
        answer=card_of(run.answer, scene) if run.answer else None,
        origin=origin(run),
        answer_mark=answer_mark(run),
        tiny=TINY if tiny_wrote(run) else "",
        cut=cut_off(run),
        evidence=card_of(run.context, scene) if run.context else None,
        picture=_picture(scene, steps := list(rows(scene))),
        rows=steps,
        way=list(_way(events, run)),
        fork=_fork(run, parent),
        diagram=diagram(strategy, started.params, run.steps, run.next) if strategy else None,
        facts=list(_facts(started)),
        params=params_in_words(started.strategy, started.params),
        methods=methods_chosen(run),
        prompts=list(prompts_chosen(run)),
        totals=totals_view(run),
        bars=bars(run, seconds),
        ticks=ticks(seconds),
        calls=[_call(call, number) for number, call in enumerate(run.calls, 1)],
    )


def _picture(scene: Scene, steps: Sequence[Row]) -> Picture | None:
    view = picture(scene)
    return None if view and steps and drawings(view.parts) & drawings(steps[0].shown[0].card.parts) else view


def diagram(
    strategy: AnyStrategy,
    params: dict[str, Any] | None = None,
    steps: Sequence[Step] = (),
    waiting: Collection[str] = (),
) -> Drawing:
    """Return a strategy's diagram, for both widths of a page, with what these steps have done; `params` are a run's
    (None: the defaults), and `waiting` nodes come next."""
    graph = strategy.diagram(params)
    down, across = (
        diagram_svg(graph, steps, strategy.colour, across=across, waiting=waiting) for across in (False, True)
    )
    return Drawing("diagram", {"down": down, "across": across})


def _facts(started: RunStarted) -> Iterator[tuple[str, str]]:
    """Model, documents and other conditions of the run."""
    model = started.chat_model or "none"
    yield (
        "Model",
        model_described(model, builtin=started.builtin, adapter=started.adapter, recording=started.recording),
    )
    if started.corpus:
        yield "Documents", started.corpus
    if started.where:
        yield "Filter", where_text(started.where)
    if started.corpus and started.retriever:
        yield "Retrieval", started.retriever + shared_words(started.dense_share)
    if started.corpus and started.embedding_model:
        yield "Embeddings", started.embedding_model
    if started.graph:
        yield "Knowledge graph", started.graph
    if started.retrieval_only:
        yield "Answer", "left out: retrieval only"
    yield "Asked", f"{started.created:%-d %B %Y, %H:%M} UTC"
    yield "Run", started.run


def _way(events: Sequence[Event], run: Record) -> Iterator[Note]:
    """Retries, those alike as one, failed steps, interruptions."""
    for text in retries(run):
        yield Note(text, "replay")
    for step in run.executions:
        if step.error and step.error != run.error:
            yield Note(f"A step failed: {step.error}", "error")
    stops = sum(isinstance(event, RunPaused) for event in events)
    if stops:
        yield Note(
            f"It stopped before {counted(stops, 'step')} until it was let go on; no wait is counted.", "pause"
        )
    for before, event in pairwise(events):
        if isinstance(event, RunResumed) and not isinstance(before, RunPaused):
            model = model_described(event.chat_model, recording=event.recording)
            yield Note(
                f"The run was interrupted at {event.at:.2f} s and went on later with {model}.",
                "progress_activity",
            )


def _fork(run: Record, parent: Sequence[Event]) -> ForkPart | None:
    fork = run.fork
    if fork is None:
        return None
    view = fork_view(record(parent) if parent else run, run)
    compared = bool(parent) and run.state == "finished"
    return ForkPart(
        KINDS[fork.after.kind].title.lower(), lines(fork.before), lines(fork.after), view, compared
    )


def _call(call: Call, number: int) -> CallView:
    took = "under way" if call.end is None else f"{call.end - call.start:.2f} s"
    usage = call.usage
    written = "not counted" if usage.output is None else f"{usage.input or 0} → {usage.output} tokens"
    remarks = " · ".join(filter(None, (took, written, call.state, call_mark(call))))
    title = f"{number}. {skill_title(call.skill)} · {remarks}"
    sampling = json.dumps(call.sampling, ensure_ascii=False, indent=1, default=str) if call.sampling else ""
    return CallView(call, title, sampling, call_source(call))
