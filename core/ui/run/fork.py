"""What a fork changed, above it."""

from __future__ import annotations

import streamlit as st

from core.cards.fork import ForkView, fork_view
from core.cards.kinds import KINDS
from core.runs.record import Record
from core.ui.shell import address
from core.ui.shell.safe import literal


def draw_fork(parent: Record | None, run: Record) -> None:
    """The change, and what became of evidence and answer, if the run that was left is still stored."""
    if run.fork is None:
        return
    with st.container(border=True, key="fork", gap="small"):
        st.markdown(
            f":material/call_split: **Run on from another run, with other {KINDS[run.fork.after.kind].title.lower()}**"
        )
        view = fork_view(parent or run, run)
        if view.recording:
            st.caption(f":material/album: {literal(view.recording)}")
        for change in view.changes:
            mark = ":red-badge[−]" if change.sign == "-" else ":green-badge[+]"
            st.markdown(f"{mark} {literal(change.text, 300)}")
        if parent is None:
            st.caption("The run that it was forked from is not stored here any more.")
            return
        st.page_link(
            "pages/playground.py",
            label="The run before the change",
            icon=":material/arrow_back:",
            query_params={address.RUN: run.fork.parent},
        )
        if run.state == "finished":
            _became(view)


def _became(view: ForkView) -> None:
    """Evidence, passages and answer, before and after."""
    if view.evidence_told:
        st.markdown(f"**{view.evidence_told}**")
    lines = [f":green-badge[+ passage] {literal(title, 80)}" for title in view.came_in]
    lines += [f":red-badge[− passage] {literal(title, 80)}" for title in view.dropped]
    if view.moved:
        lines.append(f"Passages given both times, now at another rank: {view.moved}.")
    if not lines:
        lines.append("The answer was given the same passages in the same order.")
    st.markdown("  \n".join(lines))
    if view.answer_before == view.answer_after:
        st.markdown("**The answer is the same, word for word.**")
        return
    with st.grid(2, min_column_width=300, gap="small"):
        st.markdown(f":gray[Answer before]  \n{literal(view.answer_before, 1200)}")
        st.markdown(f":gray[Answer after]  \n{literal(view.answer_after, 1200)}")
