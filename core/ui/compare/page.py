"""The page Compare: the form, what was compared before, and one comparison."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.errors import UnknownRun
from core.runs.comparisons import Comparison
from core.runs.workbench import Workbench
from core.ui.compare.form import compare_form, take_indexes, take_like
from core.ui.compare.shown import (
    draw_difference,
    draw_presented,
    draw_replay,
    draw_side_by_side,
    events_of,
    under_way,
)
from core.ui.run.files import take_home
from core.ui.shell import address, session
from core.ui.shell.changing import change
from core.ui.shell.copying import copy_link
from core.ui.shell.frame import framed
from core.ui.shell.guard import errors_shown
from core.ui.shell.listing import PIN, PINNED, listing, pin_mark, pins
from core.ui.shell.local_time import column_of, when
from core.ui.shell.safe import literal

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
