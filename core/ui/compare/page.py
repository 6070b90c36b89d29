"""The page Compare: the form, what was compared before, and one comparison."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.errors import InputError, UnknownRun
from core.runs.comparisons import Comparison
from core.runs.workbench import Workbench
from core.ui import session, theme
from core.ui.compare.form import compare_form
from core.ui.compare.shown import draw_live, draw_presented, draw_replay, draw_still, events_of, under_way
from core.ui.guard import errors_shown
from core.ui.run_files import take_home
from core.ui.safe import literal
from core.ui.sidebar import sidebar

LISTED = 100
VIEWS = {
    "Side by side": ":material/compare:",
    "Replay": ":material/history:",
    "Presenter": ":material/present_to_all:",
}


@errors_shown()
def page() -> None:
    """Draw the form, or the comparison in the address."""
    bench = session.workbench()
    theme.apply()
    sidebar(bench)
    session.demo(bench)
    comparison = session.shown_comparison()
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
        session.show_comparison(None)
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
    st.markdown("##### Compared before")
    # Cells of a data frame are drawn as text, so nothing needs escaping here.
    table = pd.DataFrame(
        {
            "": ["📌" if one.pinned else "" for one in found],
            "Question or name": [one.title for one in found],
            "Columns": [len(one.runs) for one in found],
            "Asked (UTC)": [one.created for one in found],
        }
    )
    chosen = st.dataframe(
        table,
        hide_index=True,
        key="comparisons",
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "": st.column_config.Column(width=40, help="Pinned: shown to everybody."),
            "Question or name": st.column_config.Column(width="large"),
            "Asked (UTC)": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm", width=150),
        },
        alt="Stored comparisons",
    )["selection"]["cells"]
    st.caption("Click one to open it.")
    if chosen and chosen[0][0] < len(found):
        session.show_comparison(found[chosen[0][0]].id)
        st.rerun()


# One comparison


def _one(bench: Workbench, comparison: Comparison) -> None:
    running = under_way(bench, comparison)
    st.header(f"{'📌 ' if comparison.pinned else ''}{literal(comparison.question, 300)}", anchor=False)
    if comparison.name:
        st.caption(literal(comparison.name))
    _actions(bench, comparison, running=running)
    view = st.session_state.get(_view(comparison))
    if running:
        draw_live(bench, comparison)
    elif view == "Replay":
        draw_replay(bench, comparison)
    elif view == "Presenter":
        draw_presented(bench, comparison)
    else:
        draw_still(bench, comparison)


def _view(comparison: Comparison) -> str:
    return f"view-{comparison.id}"


def _actions(bench: Workbench, comparison: Comparison, *, running: bool) -> None:
    mine, teacher = comparison.owner in session.owners(bench), session.is_teacher(bench)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="comparison-actions"):
        if st.button("New comparison", key="compare-new", icon=":material/add:"):
            session.show_comparison(None)
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
        st.segmented_control(
            "View", list(VIEWS), default="Side by side" if _view(comparison) not in st.session_state else None,
            format_func=lambda name: f"{VIEWS[name]} {name}", required=True, key=_view(comparison),
            label_visibility="collapsed",
            help="Replay: all columns at any moment, with one scrubber. Presenter: large type for a projector, the "
            "class predicts, then one strategy after another is revealed by key.",
        )  # fmt: skip
        take_home(bench, comparison, events_of(bench, comparison))
        if mine or teacher:
            _rename(bench, comparison)
        if teacher:
            st.button(
                "Unpin" if comparison.pinned else "Pin", key="compare-pin", icon=":material/keep:",
                on_click=bench.comparisons.pin, args=(comparison.id, not comparison.pinned),
                help="A pinned comparison is listed for everybody.",
            )  # fmt: skip
        if mine or teacher:
            _delete(bench, comparison)


def _stop(bench: Workbench, comparison: Comparison) -> None:
    for run in comparison.runs:
        job = bench.job(run)
        if job is not None:
            job.stop()


def _rename(bench: Workbench, comparison: Comparison) -> None:
    with (
        st.popover("Rename", icon=":material/edit:", key="compare-rename"),
        st.form("rename-comparison", border=False),
    ):
        name = st.text_input("Name", comparison.name, placeholder=comparison.question[:80])
        if st.form_submit_button("Save", key="compare-rename-save"):
            try:
                bench.comparisons.rename(comparison.id, name)
            except InputError as error:
                st.error(literal(str(error)))
                return
            st.rerun()


def _delete(bench: Workbench, comparison: Comparison) -> None:
    with st.popover("Delete", icon=":material/delete:", key="compare-delete"):
        st.markdown("The comparison is deleted for good. Its runs stay on the page Runs.")
        if st.button("Delete this comparison", key="compare-delete-sure", type="primary"):
            bench.comparisons.delete(comparison.id)
            session.show_comparison(None)
            st.rerun()
