"""The page Compare: the form, what was compared before, and one comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import streamlit as st

from core.cards.replay import QUESTION, Take, narration, takes
from core.charts.columns import MARKS, Column, columns
from core.charts.difference import difference, given_apart, truth
from core.classroom.sources import of_comparison
from core.corpora.filtering import where_text
from core.drawings.presenter import presentation
from core.drawings.side_by_side import live_columns
from core.errors import UnknownRun
from core.runs.comparisons import Comparison
from core.runs.gallery import OWNER
from core.runs.record import Record, record
from core.runs.workbench import Workbench
from core.strategies import node_titles
from core.trace.events import Event
from core.trace.gold import Gold, Known
from core.ui.compare.form import compare_form, take_indexes, take_like
from core.ui.compare.sections import draw_sections
from core.ui.fixes.ticking import ticking
from core.ui.run import citations, scrubber
from core.ui.run.files import take_home
from core.ui.run.live import tick_seconds
from core.ui.run.missed import looked_up_all
from core.ui.run.scrubber import Said
from core.ui.shell import address, session
from core.ui.shell.assets import drawing, redraw
from core.ui.shell.changing import change
from core.ui.shell.classes import offer_class
from core.ui.shell.hand_in import offer_hand_in
from core.ui.shell.hand_out import offer_hand_out
from core.ui.shell.listing import PINNED, listing, pin_mark, pins
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import choice, copy_link, errors_shown

LISTED = 100
DELETED = "The comparison is deleted for good. Its runs stay on the page Runs."
GONE = "This run was deleted."
ELSEWHERE = "Another process is working on some of these columns."
VIEWS = {
    "Side by side": ":material/compare: Side by side",
    "Replay": ":material/history: Replay",
    "Presenter": ":material/present_to_all: Presenter",
}

Columns = Sequence[Sequence[Event] | None]
"""The events of each column so far; None where its run was deleted."""


@errors_shown()
def page() -> None:
    """Draw the form, or the comparison in the address."""
    bench = framed()
    session.demo(bench)
    take_like(bench)
    take_indexes(bench)
    key = address.read_param(address.COMPARISON)
    if key is not None:
        try:
            comparison = bench.comparisons.get(key)
        except UnknownRun:
            st.warning(
                "No comparison with the id in this address is stored on this server. Check the address, or start a new "
                "comparison.",
                title="This comparison is missing",
                icon=":material/search_off:",
            )
            address.show(address.COMPARISON, None)
        else:
            _draw_comparison(bench, comparison)
            return
    st.header("Compare", anchor=False)
    st.markdown("One question, two to four strategies: what each finds, what it costs, why they differ.")
    compare_form(bench)
    session.gallery(bench)
    comparisons = bench.comparisons.list(session.owners(bench), LISTED)
    _list(
        sorted(comparisons, key=lambda comparison: comparison.owner == OWNER)
    )  # one's own before the gallery


def _list(comparisons: Sequence[Comparison]) -> None:
    if not comparisons:
        st.info(
            "Nothing has been compared yet. Write a question or choose an example, then press **Compare**.",
            icon=":material/arrow_upward:",
        )
        return
    st.markdown("### Compared before")
    place = listing(
        "comparisons",
        {
            "Question or name": [comparison.title for comparison in comparisons],
            "Columns": [len(comparison.runs) for comparison in comparisons],
            "Asked": [comparison.created for comparison in comparisons],
            PINNED: pins(comparisons),
        },
        alt="Stored comparisons",
        hint="Click one to open it.",
        config={"Question or name": 600},
    )
    if place is not None:
        address.show(address.COMPARISON, comparisons[place].id)
        st.rerun()


# One comparison


def _draw_comparison(bench: Workbench, comparison: Comparison) -> None:
    scroll_place(address.COMPARISON)
    running = _under_way(bench, comparison)
    view = "" if running else st.session_state.get(f"view-{comparison.id}")
    events = _events(bench, comparison)
    records = [_record(column) for column in events]
    if view == "Presenter":
        # All of the window is the stage's: it has the question, and the rest of what can be done stands below.
        _choose_view(comparison)
        draw_presenter(columns(records), comparison.gold, comparison.question, comparison.id)
        _actions(bench, comparison, events, running=running, views=False)
        return
    st.header(f"{pin_mark(pinned=comparison.pinned)}{literal(comparison.question, 300)}", anchor=False)
    if comparison.name:
        st.caption(literal(comparison.name))
    if view in (None, "Side by side"):  # a class predicts before it sees the rest
        _draw_difference(records, comparison)
    _actions(bench, comparison, events, running=running)
    if view == "Replay":
        key = f"compare-{comparison.id}"
        tick = scrubber.tick(key)
        ticking(tick)(_draw_replay)(bench, comparison, events, key, tick is not None)
    else:
        # One fragment draws both, so that a click made while the last tick gives way to the page still finds it.
        ticking(tick_seconds(bench) if running else None)(_draw_side_by_side)(bench, comparison, running)


def _choose_view(comparison: Comparison) -> None:
    choice(
        "View",
        VIEWS,
        f"view-{comparison.id}",
        wrap=True,
        help="Replay: all columns, scene by scene, with a sentence on each. Presenter: large type for a projector. The "
        "class predicts, then a key reveals one strategy after another; P shows its picture.",
    )


def _actions(
    bench: Workbench, comparison: Comparison, events: Columns, *, running: bool, views: bool = True
) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="comparison-actions"):
        if st.button("New comparison", key="compare-new", icon=":material/add:"):
            address.show(address.COMPARISON, None)
            st.rerun()
        if running:
            if comparison.owner == session.owner():
                args = (bench, comparison)
                st.button("Stop all", key="stop-all", icon=":material/stop:", on_click=_stop, args=args)
            return
        if views:
            _choose_view(comparison)
        else:
            shown = columns([_record(column) for column in events])
            asked = of_comparison(shown, comparison.gold, comparison.question, comparison.id)
            offer_class(bench, list(asked.values())[:1])
        copy_link(address.COMPARISON, comparison.id, "comparison")
        take_home(bench, comparison, events)
        offer_hand_out(bench, comparison=comparison.id)
        offer_hand_in(bench, "comparison", comparison.id, comparison.owner)
        empty = comparison.question
        if change(bench, bench.comparisons, comparison, "compare", "comparison", DELETED, empty=empty):
            address.show(address.COMPARISON, None)
            st.rerun()


def _stop(bench: Workbench, comparison: Comparison) -> None:
    for job in map(bench.launcher.job, comparison.runs):
        if job is not None:
            job.stop()


def _under_way(bench: Workbench, comparison: Comparison) -> bool:
    """Return True if this process works on a column."""
    jobs = map(bench.launcher.job, comparison.runs)
    return any(job is not None and not job.done for job in jobs)


def _events(bench: Workbench, comparison: Comparison) -> list[list[Event] | None]:
    def read(run: str) -> list[Event] | None:
        job = bench.launcher.job(run)
        try:
            return job.events[:] if job is not None else bench.store.events(run)
        except UnknownRun:
            return None

    return [read(run) for run in comparison.runs]


def _record(events: Sequence[Event] | None, now: float = 0.0, ahead: int | None = None) -> Record:
    """Return a column's run; one that was deleted counts as failed, and says why. `now`, `ahead` as for `record`."""
    return Record(state="failed", error=GONE) if events is None else record(events, now, ahead)


def _draw_difference(records: Sequence[Record], comparison: Comparison) -> None:
    """Draw the difference in a sentence; nothing before the runs have ended."""
    shown = columns(records)
    known = truth(shown, comparison.gold)
    sentence = difference(shown, known)
    if not sentence:
        return
    with st.container(gap="xsmall"):
        st.container(key="difference").markdown(literal(sentence))
        if known.answers:
            st.markdown(f":material/check_circle: Right answer: **{literal(known.answers[0], 300)}**")
        if apart := given_apart(shown):
            st.caption(literal(apart))


def _draw_side_by_side(bench: Workbench, comparison: Comparison, running: bool) -> None:
    """Draw all columns, again and again until they have ended; then the whole page redraws."""
    # Asked first: what ends meanwhile is seen by the next tick.
    ended = running and not _under_way(bench, comparison)
    jobs = list(map(bench.launcher.job, comparison.runs))
    clocks = [0.0 if job is None or job.done else job.now for job in jobs]
    queues = [job.ahead if job else None for job in jobs]
    records = [_record(*column) for column in zip(_events(bench, comparison), clocks, queues, strict=True)]
    if not running and any(column.state == "running" for column in records):
        st.info(ELSEWHERE, icon=":material/sync:")
        if st.button("Look again", key="look-again", icon=":material/visibility:"):
            st.rerun()
    _draw_columns(bench, comparison, records)
    if ended:
        st.rerun()


def _draw_replay(bench: Workbench, comparison: Comparison, events: Columns, key: str, ticks: bool) -> None:
    """Draw all columns scene by scene, and the controls docked below them.

    The columns go on together, whatever time their scenes took: the one with fewer is at its end first, which tells
    that it takes fewer steps. In real time the others would stand still while one waits for its model.
    """
    wholes = [_record(column) for column in events]
    scenes = [
        takes(column, node_titles(whole.started), whole) if column else []
        for column, whole in zip(events, wholes, strict=True)
    ]
    count = max(1, *map(len, scenes))
    scene = scrubber.position(count, key, ticks=ticks)
    records: list[Record] = []
    words: list[Said] = []
    for mark, column, whole, own in zip(MARKS, events, wholes, scenes, strict=False):
        if not column:
            records.append(whole)
            continue
        take = own[min(scene, len(own) - 1)]
        records.append(whole if take.count == len(column) else record(column[: take.count]))
        words.append(Said(narration(whole, take), mark))
    for run in comparison.runs:
        citations.close_when_moved(run, scene)
    doing = ["" if scene >= len(own) - 1 else own[scene].title for own in scenes]
    _draw_columns(bench, comparison, records, truth(columns(wholes), comparison.gold), doing)
    scrubber.controls(key, scene, [_scene_title(scenes, place) for place in range(count)], "", words)


def _scene_title(scenes: Sequence[Sequence[Take]], place: int) -> str:
    """Return the steps of the columns in a scene; those that have ended are left out."""
    doing = (
        f"{mark} {own[place].title}" for mark, own in zip(MARKS, scenes, strict=False) if place < len(own)
    )
    return ", ".join(doing) if place else QUESTION


@st.fragment
def draw_presenter(columns: Sequence[Column], gold: Sequence[Gold], question: str, key: str) -> None:
    """Draw question, prediction, one strategy after another, and result, for a projector.

    They are turned by keys, buttons or a clicker. A component of our own draws it, which never interprets text; no key
    asks the server. Without `gold` nobody knows the evidence, and the class judges the answers. By `key`, the id of the
    comparison, this browser keeps the votes.
    """
    looked = looked_up_all(columns, truth(columns, gold).gold)
    data = asdict(presentation(columns, gold, question, looked)) | {"key": key}
    drawing("presenter")(data=data, key=f"presenter-{key}")


def _draw_columns(
    bench: Workbench,
    comparison: Comparison,
    records: Sequence[Record],
    known: Known | None = None,
    replayed: Sequence[str] = (),
) -> None:
    """Draw the columns side by side, and below them what they share and where they differ.

    Evidence and answers of the question are `known`, or else as these records say. In a replay, `replayed` is the step
    of each column in this scene, empty where it is at its end.
    """
    key = comparison.id
    shown = columns(records)
    filters = dict.fromkeys(run.started.where for run in records if run.started and run.started.where)
    if filters:
        words = "; or ".join(map(where_text, filters))
        st.caption(f":material/filter_alt: Only documents where {literal(words, 600)}")
    settings = bench.settings
    known = known or truth(shown, comparison.gold)
    looked = looked_up_all(shown, known.gold)
    data = live_columns(shown, known, settings.model_prices, settings.model_attempts, replayed, looked)
    result = drawing("side_by_side")(data=data, key=f"side-by-side-{key}", on_acted_change=redraw)
    acted = result.acted if isinstance(result.acted, Mapping) else {}
    run, what = acted.get("run"), acted.get("what")
    known_run = str(run) if run in comparison.runs else ""  # the browser may report anything
    job = bench.launcher.job(known_run) if what == "stop" else None
    if job is not None and job.owner == session.owner():
        job.stop()
    draw_sections(shown, known.gold, key, known_run if what == "open" else "")
