"""A comparison on the page: all columns as they run, as they ended, or at any scene in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import streamlit as st

from core.cards.narration import narration
from core.cards.replay import QUESTION, Take, takes
from core.charts.columns import MARKS, Column, columns
from core.charts.difference import Truth, difference, given_apart, truth
from core.corpora.filtering import in_words
from core.drawings.presenter import presentation
from core.drawings.side_by_side import live_columns
from core.errors import UnknownRun
from core.runs.comparisons import Comparison
from core.runs.gold import Gold
from core.runs.record import Record, record
from core.runs.workbench import Workbench
from core.strategies import node_titles
from core.trace.events import Event
from core.ui.compare.sections import draw_sections, open_whole
from core.ui.fixes.ticking import ticking
from core.ui.run import citations, scrubber
from core.ui.run.live import tick_seconds
from core.ui.run.scrubber import Said
from core.ui.shell import session
from core.ui.shell.assets import drawing
from core.ui.shell.safe import literal

GONE = "This run was deleted, so there is nothing to show of it."
ELSEWHERE = "Another process is working on some of these columns."


def events_of(bench: Workbench, comparison: Comparison) -> list[list[Event] | None]:
    """The events of each column so far; None where its run was deleted."""
    return [_events(bench, run) for run in comparison.runs]


def _events(bench: Workbench, run: str) -> list[Event] | None:
    job = bench.launcher.job(run)
    if job is not None:
        return job.events[:]
    try:
        return bench.store.events(run)
    except UnknownRun:
        return None


def _now(bench: Workbench, run: str) -> float:
    """The clock of a run that this process works on; 0: it does not."""
    job = bench.launcher.job(run)
    return 0.0 if job is None or job.done else job.now


def under_way(bench: Workbench, comparison: Comparison) -> bool:
    """True if this process works on a column."""
    jobs = (bench.launcher.job(run) for run in comparison.runs)
    return any(job is not None and not job.done for job in jobs)


def draw_difference(bench: Workbench, comparison: Comparison) -> None:
    """Draw the difference in a sentence; nothing before the runs have ended."""
    shown = columns([recorded(own) for own in events_of(bench, comparison)])
    known = truth(shown, comparison.gold)
    said = difference(shown, known)
    if not said:
        return
    with st.container(gap="xsmall"):
        st.container(key="difference").markdown(literal(said))
        if known.answers:
            st.markdown(f":material/check_circle: Right answer: **{literal(known.answers[0], 300)}**")
        if apart := given_apart(shown):
            st.caption(literal(apart))


def draw_side_by_side(bench: Workbench, comparison: Comparison, *, running: bool) -> None:
    """Draw all columns, again and again until they have ended; then the whole page redraws.

    One fragment draws both, so that a click made while the last tick gives way to the page still finds it.
    """
    ticking(tick_seconds(bench) if running else None)(_side_by_side)(bench, comparison, running)


def _side_by_side(bench: Workbench, comparison: Comparison, running: bool) -> None:
    # Asked first: what ends meanwhile is seen by the next tick.
    ended = running and not under_way(bench, comparison)
    clocks = [_now(bench, run) for run in comparison.runs]
    every = zip(events_of(bench, comparison), clocks, strict=True)
    records = [recorded(own, now) for own, now in every]
    if not running and any(one.state == "running" for one in records):
        st.info(ELSEWHERE, icon=":material/sync:")
        if st.button("Look again", key="look-again", icon=":material/visibility:"):
            st.rerun()
    draw_columns(bench, comparison, records)
    if ended:
        st.rerun()


def draw_replay(bench: Workbench, comparison: Comparison) -> None:
    """All columns scene by scene, and the controls docked below them.

    The columns go on together, whatever time their scenes took: who has fewer is at its end first, which tells that it
    takes fewer steps. In real time the others would stand still while one waits for its model.
    """
    key = f"compare-{comparison.id}"
    events = events_of(bench, comparison)
    tick = scrubber.tick(key)
    ticking(tick)(_replay)(bench, comparison, events, key, tick is not None)


def _replay(
    bench: Workbench,
    comparison: Comparison,
    events: Sequence[Sequence[Event] | None],
    key: str,
    ticks: bool,
) -> None:
    wholes = [recorded(own) for own in events]
    found = [
        takes(own, node_titles(whole.started), whole) if own else []
        for own, whole in zip(events, wholes, strict=True)
    ]
    count = max(1, *map(len, found))
    scene = scrubber.position(count, key, ticks=ticks)
    shown: list[Record] = []
    said: list[Said] = []
    for mark, own, whole, scenes in zip(MARKS, events, wholes, found, strict=False):
        if not own:
            shown.append(whole)
            continue
        take = scenes[min(scene, len(scenes) - 1)]
        shown.append(whole if take.count == len(own) else record(own[: take.count]))
        said.append(Said(narration(whole, take), mark))
    for run in comparison.runs:
        citations.close_when_moved(run, scene)
    doing = ["" if scene >= len(one) - 1 else one[scene].title for one in found]
    draw_columns(bench, comparison, shown, truth(columns(wholes), comparison.gold), doing)
    scrubber.controls(key, scene, [_titles(found, place) for place in range(count)], "", said)


def _titles(found: Sequence[Sequence[Take]], scene: int) -> str:
    """The steps of the columns in a scene; those that have ended are left out."""
    doing = (
        f"{mark} {scenes[scene].title}"
        for mark, scenes in zip(MARKS, found, strict=False)
        if scene < len(scenes)
    )
    return ", ".join(doing) if scene else QUESTION


def recorded(events: Sequence[Event] | None, now: float = 0.0) -> Record:
    """A column's run; one that was deleted counts as failed, and says why. `now` as for `record`."""
    return Record(state="failed", error=GONE) if events is None else record(events, now)


@st.fragment
def draw_presented(bench: Workbench, comparison: Comparison) -> None:
    """For a projector: large, one column after another."""
    shown = columns([recorded(own) for own in events_of(bench, comparison)])
    draw_presenter(shown, comparison.gold, comparison.question, comparison.id)


def draw_presenter(
    columns: Sequence[Column],
    gold: Sequence[Gold],
    question: str,
    key: str,
) -> None:
    """Question, prediction, one strategy after another, result: turned by keys, buttons or a clicker.

    A component of our own draws it, which never interprets text; no key asks the server.

    Args:
        gold: The evidence; empty: nobody knows, and the class judges the answers.
        key: Id of the comparison, by which this browser keeps the votes.
    """
    data = asdict(presentation(columns, gold, question)) | {"key": key}
    drawing("presenter")(data=data, key=f"presenter-{key}")


def draw_columns(
    bench: Workbench,
    comparison: Comparison,
    records: Sequence[Record],
    known: Truth | None = None,
    replayed: Sequence[str] = (),
) -> None:
    """The columns side by side, and below them what they share and where they differ.

    Args:
        records: Of the columns, as far as they are.
        known: What is known of the question; None: what these records say.
        replayed: What each column does in the scene of a replay, empty where it is at its end; none: it is no replay.
    """
    key = comparison.id
    shown = columns(records)
    if filters := dict.fromkeys(one.started.where for one in records if one.started and one.started.where):
        said = "; or ".join(map(in_words, filters))
        st.caption(f":material/filter_alt: Only documents where {literal(said, 600)}")
    settings = bench.settings
    known = known or truth(shown, comparison.gold)
    data = live_columns(shown, known, settings.model_prices, settings.model_attempts, replayed)
    # A click is read from the result; it only has to cause a redraw.
    result = drawing("side_by_side")(data=data, key=f"side-by-side-{key}", on_acted_change=lambda: None)
    acted = result.acted if isinstance(result.acted, Mapping) else {}
    if (run := acted.get("run")) in comparison.runs:  # the browser may report anything
        job = bench.launcher.job(run)
        if acted.get("what") == "open":
            open_whole(run, key)
        elif acted.get("what") == "stop" and job is not None and job.owner == session.owner():
            job.stop()
    draw_sections(bench, shown, known.gold, key)
