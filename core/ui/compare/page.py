"""The page Compare: the form, what was compared before, and one comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

import streamlit as st

from core.cards.narration import narration
from core.cards.replay import QUESTION, Take, takes
from core.charts.columns import MARKS, Column, columns
from core.charts.difference import difference, given_apart, truth
from core.corpora.filtering import in_words
from core.drawings.presenter import presentation
from core.drawings.side_by_side import live_columns
from core.errors import UnknownRun
from core.runs.comparisons import Comparison
from core.runs.gold import Gold, Known
from core.runs.record import Record, record
from core.runs.workbench import Workbench
from core.strategies import node_titles
from core.trace.events import Event
from core.ui.compare.form import compare_form, take_indexes, take_like
from core.ui.compare.sections import draw_sections, open_whole
from core.ui.fixes.ticking import ticking
from core.ui.run import citations, scrubber
from core.ui.run.files import take_home
from core.ui.run.live import tick_seconds
from core.ui.run.scrubber import Said
from core.ui.shell import address, session
from core.ui.shell.assets import drawing, redraw
from core.ui.shell.changing import change
from core.ui.shell.listing import PIN, PINNED, listing, pin_mark, pins
from core.ui.shell.local_time import column_of, when
from core.ui.shell.safe import literal
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import copy_link, errors_shown

LISTED = 100
DELETED = "The comparison is deleted for good. Its runs stay on the page Runs."
VIEWS = {
    "Side by side": ":material/compare:",
    "Replay": ":material/history:",
    "Presenter": ":material/present_to_all:",
}


@errors_shown()
def page() -> None:
    """Draw the form, or the comparison in the address."""
    bench = framed()
    session.demo(bench)
    take_like(bench)
    take_indexes(bench)
    comparison = address.shown(address.COMPARISON)
    if comparison is None:
        _compose(bench)
        return
    try:
        found = bench.comparisons.get(comparison)
    except UnknownRun:
        st.warning(
            "No comparison with the id in this address is stored on this server. Check the address, or compare anew.",
            title="This comparison is not here",
            icon=":material/search_off:",
        )
        address.show(address.COMPARISON, None)
        _compose(bench)
        return
    _one(bench, found)


# Before


def _compose(bench: Workbench) -> None:
    st.header("Compare", anchor=False)
    st.markdown(
        "One question, two to four strategies at once: what each finds, what it costs, and why the answers differ."
    )
    compare_form(bench)
    session.gallery(bench)
    _list(bench, bench.comparisons.list(session.owners(bench), LISTED))


def _list(bench: Workbench, found: Sequence[Comparison]) -> None:
    if not found:
        st.info(
            "Nothing has been compared yet. Write a question or choose an example, then press **Compare**.",
            icon=":material/arrow_upward:",
        )
        return
    st.markdown("### Compared before")
    asked = column_of("Asked")
    place = listing(
        "comparisons",
        {
            PINNED: pins(found),
            "Question or name": [one.title for one in found],
            "Columns": [len(one.runs) for one in found],
            asked: [one.created for one in found],
        },
        alt="Stored comparisons",
        hint="Click one to open it.",
        config={PINNED: PIN, "Question or name": st.column_config.Column(width="large"), asked: when()},
    )
    if place is not None:
        address.show(address.COMPARISON, found[place].id)
        st.rerun()


# One comparison


def _one(bench: Workbench, comparison: Comparison) -> None:
    running = under_way(bench, comparison)
    view = st.session_state.get(_view(comparison))
    if view == "Presenter" and not running:
        # All of the window is the stage's: it has the question, and the rest of what can be done stands below.
        _views(comparison)
        draw_presented(bench, comparison)
        _actions(bench, comparison, running=running, views=False)
        return
    st.header(f"{pin_mark(pinned=comparison.pinned)}{literal(comparison.question, 300)}", anchor=False)
    if comparison.name:
        st.caption(literal(comparison.name))
    if not running and view in (None, "Side by side"):  # a class predicts before it sees the rest
        draw_difference(bench, comparison)
    _actions(bench, comparison, running=running)
    if view == "Replay" and not running:
        draw_replay(bench, comparison)
    else:
        draw_side_by_side(bench, comparison, running=running)


def _view(comparison: Comparison) -> str:
    return f"view-{comparison.id}"


def _views(comparison: Comparison) -> None:
    st.segmented_control(
        "View",
        list(VIEWS),
        default="Side by side" if _view(comparison) not in st.session_state else None,
        format_func=lambda name: f"{VIEWS[name]} {name}",
        required=True,
        key=_view(comparison),
        label_visibility="collapsed",
        help="Replay: all columns, scene by scene, told in words. Presenter: large type for a projector, the "
        "class predicts, then one strategy after another is revealed by key; P shows its picture.",
    )


def _actions(bench: Workbench, comparison: Comparison, *, running: bool, views: bool = True) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="comparison-actions"):
        if st.button("New comparison", key="compare-new", icon=":material/add:"):
            address.show(address.COMPARISON, None)
            st.rerun()
        if running:
            if comparison.owner == session.owner():
                st.button(
                    "Stop all",
                    key="stop-all",
                    icon=":material/stop:",
                    on_click=_stop,
                    args=(bench, comparison),
                )
            return
        if views:
            _views(comparison)
        copy_link(address.COMPARISON, comparison.id, "comparison")
        take_home(bench, comparison, events_of(bench, comparison))
        empty = comparison.question
        if change(bench, bench.comparisons, comparison, "compare", "comparison", DELETED, empty=empty):
            address.show(address.COMPARISON, None)
            st.rerun()


def _stop(bench: Workbench, comparison: Comparison) -> None:
    for run in comparison.runs:
        job = bench.launcher.job(run)
        if job is not None:
            job.stop()


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
    known: Known | None = None,
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
    result = drawing("side_by_side")(data=data, key=f"side-by-side-{key}", on_acted_change=redraw)
    acted = result.acted if isinstance(result.acted, Mapping) else {}
    if (run := acted.get("run")) in comparison.runs:  # the browser may report anything
        job = bench.launcher.job(run)
        if acted.get("what") == "open":
            open_whole(run, key)
        elif acted.get("what") == "stop" and job is not None and job.owner == session.owner():
            job.stop()
    draw_sections(bench, shown, known.gold, key)
