"""A graph being built: the triples as they come in, and what became of it all."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import CancelledError

import streamlit as st

from core.knowledge.build.build_reports import BuildProgress, FailedChunk
from core.runs.sources.build_job import BuildJob
from core.runs.workbench import Workbench
from core.ui.fixes.ticking import ticking
from core.ui.knowledge import address
from core.ui.knowledge.building_view import (
    EXAMPLE,
    EXAMPLE_TEXT,
    dropped_lines,
    progress_figures,
    progress_text,
    report_line,
)
from core.ui.knowledge.triples import draw_triples
from core.ui.knowledge.triples_view import latest_column
from core.ui.shell import session
from core.ui.shell.progress import TICK_SECONDS, progress_line
from core.ui.shell.progress import problem as sentence
from core.ui.shell.safe import literal
from core.ui.shell.theme import reading_aid

LATEST_HEIGHT = 430
"""Pixels kept free for the triples as they come in, so that nothing below jumps."""
LISTED = 20
"""Failed chunks that are shown."""
DEMONSTRATION_BADGE = ":orange-badge[:material/science: demonstration]"


@ticking(TICK_SECONDS)
def watch(bench: Workbench, job: BuildJob) -> None:
    """How far it is, and the latest triples, with Stop; the whole page redraws when it has ended."""
    now = job.progress
    line = progress_line(progress_text(now), now.rate, now.left)
    with st.grid(2, min_column_width=400, gap="large"):
        with st.container(key="build-progress"):
            st.markdown(f"### Building “{literal(job.graph)}”")
            st.progress(min(1.0, now.share), text="Stopping" if job.stopping else literal(line))
            if job.owner == session.owner() or session.is_teacher(bench):
                st.button(
                    "Stop",
                    key="build-stop",
                    icon=":material/stop:",
                    on_click=job.stop,
                    disabled=job.stopping,
                )
            _figures(now)
            st.caption("You may leave this page: building goes on.")
        _latest(now, growing=True)
    _dropped(now)
    if job.done:
        st.rerun()


def outcome(job: BuildJob) -> None:
    """What a build did that has ended or was stopped."""
    st.markdown(f"### “{literal(job.graph)}”")
    if error := job.error():
        st.error(literal(sentence(error)), title="The graph could not be built to its end")
    else:
        try:
            report = job.result()
        except CancelledError:
            st.warning("Stopped. What is done stays in the graph. Continue takes up the rest.")
        else:
            badge = f" {DEMONSTRATION_BADGE}" if report.demonstration else ""
            st.success(literal(report_line(report)) + badge, icon=":material/check:")
            if report.nodes:
                st.button(
                    "Explore it",
                    key="build-explore",
                    type="primary",
                    icon=":material/travel_explore:",
                    on_click=address.explore,
                    args=(report.graph,),
                )
    if job.progress.chunks:
        _figures(job.progress)
        _dropped(job.progress)
        _latest(job.progress, growing=False)


def _figures(now: BuildProgress) -> None:
    with st.grid(4, min_column_width=90, gap="small"):
        for name, value, explains in progress_figures(now):
            st.metric(name, value, help=explains)


def _dropped(now: BuildProgress) -> None:
    for line in dropped_lines(now.dropped):
        st.caption(f":material/remove_circle: {literal(line)}")


def _latest(now: BuildProgress, *, growing: bool) -> None:
    with st.container(height=LATEST_HEIGHT, border=True, key="build-latest"):
        if now.latest:
            st.caption("The latest triples with the words that state them, newest first")
        else:
            st.caption("Triples appear here as soon as the first chunk is through.")
        draw_triples([latest_column(now.latest)], "build-latest", growing=growing)


def draw_failures(failed: Sequence[FailedChunk]) -> None:
    """The chunks that gave nothing, with the reasons."""
    if not failed:
        return
    lines = [
        f"- **{literal(one.title, 80)}**, chunk {int(one.chunk.rpartition('-')[2]) + 1}: {literal(one.reason, 400)}"
        for one in failed[:LISTED]
    ]
    if len(failed) > LISTED:
        lines.append(f"- and {len(failed) - LISTED:,} more")
    with st.container(key="build-failures"):
        st.markdown("\n".join(["**Failed**", "", *lines]))


def draw_example() -> None:
    """What comes out of a chunk, before anything is built."""
    st.markdown("### What comes out")
    st.markdown(f"> {literal(EXAMPLE_TEXT)}")
    draw_triples([EXAMPLE], "build-example")
    reading_aid(
        "A dashed box is a hypernode: a whole triple that is a node, so that another triple can be about it."
    )
