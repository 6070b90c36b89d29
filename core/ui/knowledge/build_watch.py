"""A graph being built: the triples as they come in, and the outcome; and building in words: what it will take, how far
it is, what it did."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain, count

import streamlit as st

from core.knowledge.build.graph_building import BuildProgress, BuildReport, FailedChunk
from core.knowledge.store.graph_catalogue import MAX_NAME
from core.runs.sources.builds import BuildForecast, BuildJob, BuildStatus
from core.runs.workbench import Workbench
from core.skills import extract
from core.ui.fixes.ticking import ticking
from core.ui.knowledge import address
from core.ui.knowledge.triples import Arrow, End, TripleColumn, TripleLine, draw_triples, latest_column
from core.ui.shell import session
from core.ui.shell.progress import TICK_SECONDS, progress_line, result_of
from core.ui.shell.safe import literal
from core.ui.shell.widgets import reading_aid
from core.wording import counted, duration

# In words. All text is raw

EXAMPLE_TEXT = "Larry Cohen directed Full Moon High. The film was released in 1981."
_DIRECTED = Arrow(End("Larry Cohen"), "directed", End("Full Moon High"))
_RELEASED = Arrow(End("Full Moon High"), "was", End("released"))
EXAMPLE = TripleColumn(
    (
        TripleLine(_DIRECTED, "Larry Cohen directed Full Moon High."),
        TripleLine(
            Arrow(End("(Full Moon High)-[was]->(released)", _RELEASED, hyper=True), "in", End("1981")),
            "The film was released in 1981.",
        ),
    )
)
"""The triples that a good model makes of the text."""
WHY_DROPPED = {
    extract.NO_QUOTE: "The model must quote the chunk. Where it quotes other words, the triple is dropped.",
    extract.NO_NAME: "“He” or “it” names nobody outside its chunk.",
    extract.NOT_STATED: "The model wrote a name that the sentence does not hold.",
}
"""More about some reasons for which triples are dropped."""
STOPPED = "Stopped. What is done stays in the graph. Continue takes up the rest."


def forecast_line(forecast: BuildForecast) -> str:
    """Return the calls and the time that a build will take."""
    calls = f"about {counted(forecast.calls, 'model call')}"
    if forecast.seconds is None:
        time = "time: this model has not done a chunk yet, so nobody can tell"
    else:
        time = f"about {duration(forecast.seconds)}, judged from chunks that this model did before"
    return f"{counted(forecast.chunks, 'chunk')}; {calls}; {time}."


def free_name(corpus: str, taken: Collection[str]) -> str:
    """Return a name for a new graph: that of its corpus, with a number where it is taken."""
    names = (f"{corpus[: MAX_NAME - 4]} {number}" for number in count(2))
    return next(name for name in chain([corpus], names) if name not in taken)


def standing_line(standing: BuildStatus) -> str:
    """Return the progress of a graph over all its builds."""
    text = f"{standing.done:,} of {counted(standing.chunks, 'chunk')} done"
    if standing.failed:
        text += f", {len(standing.failed):,} failed"
    return text + (f", {standing.open:,} open." if standing.open else ".")


def go_on_line(standing: BuildStatus, *, whole: bool) -> str:
    """Return the work that building on will do; `whole`: the last build of the graph came to its end."""
    if standing.open or not whole:
        return "What is done is not sent to the model again: building goes on from there."
    if standing.failed:
        return "Nothing is left to do but the chunks that failed."
    return "All chunks are done. Add documents to the corpus, and it can go on."


def progress_text(now: BuildProgress) -> str:
    """Return the progress of a build."""
    if not now.chunks_total:
        return "Getting ready"
    return f"{now.chunks:,} of {counted(now.chunks_total, 'chunk')}"


def progress_figures(now: BuildProgress) -> list[tuple[str, str, str]]:
    """Return the numbers of a build so far: each number with its name before it, and behind it how it comes about."""
    dropped = f"{sum(now.dropped.values()):,}"
    through = now.chunks - now.failed
    each = f"{now.triples / through:.1f}" if through else "–"
    return [
        ("Triples", f"{now.triples:,}", "Triples written into the graph this time."),
        ("Per chunk", each, "Triples divided by the chunks that are through, failed ones left out."),
        ("Dropped", dropped, "Triples that the model gave and that were not taken over; see below why."),
        ("Failed", f"{now.failed:,}", "Chunks that gave nothing. They can be tried again afterwards."),
    ]


def dropped_lines(dropped: Mapping[str, int]) -> tuple[str, ...]:
    """Return the reasons for which triples were dropped, the most frequent reason first."""
    ordered = sorted(dropped.items(), key=lambda item: (-item[1], item[0]))
    return tuple(f"{count:,} × {reason}. {WHY_DROPPED.get(reason, '')}".strip() for reason, count in ordered)


def report_line(report: BuildReport) -> str:
    """Return the outcome of a build."""
    took = f"{report.seconds:.1f} s" if report.seconds < 60 else duration(report.seconds)
    before = f", {report.before:,} done before" if report.before else ""
    left = f", {report.open:,} left for another time" if report.open else ""
    return (
        f"{counted(report.chunks, 'chunk')} done in {took}{before}{left}. "
        f"{counted(report.triples, 'triple')} written; the graph has {counted(report.nodes, 'node')} and "
        f"{counted(report.edges, 'edge')} now."
    )


# On the page

LATEST_HEIGHT = 430
"""Pixels kept free for the triples as they come in, so that nothing below jumps."""
LISTED = 20
"""Failed chunks that are shown."""
DEMONSTRATION_BADGE = ":orange-badge[:material/science: demonstration]"


@ticking(TICK_SECONDS)
def watch(bench: Workbench, job: BuildJob) -> None:
    """Draw the progress and the latest triples, with Stop; the whole page redraws when it has ended."""
    now = job.progress
    line = progress_line(progress_text(now), now.rate, now.left)
    with st.grid(2, min_column_width=400, gap="large"):
        with st.container(key="build-progress"):
            st.markdown(f"### Building “{literal(job.graph)}”")
            st.progress(min(1.0, now.share), text="Stopping" if job.stopping else literal(line))
            if job.owner == session.owner() or session.user(bench).teacher:
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
    """Draw the outcome of a build that has ended or was stopped."""
    st.markdown(f"### “{literal(job.graph)}”")
    if report := result_of(job, "The graph could not be built to its end", STOPPED):
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
    """Draw the chunks that gave nothing, with the reasons."""
    if not failed:
        return
    lines = [
        f"- **{literal(note.title, 80)}**, chunk {int(note.chunk.rpartition('-')[2]) + 1}: {literal(note.reason, 400)}"
        for note in failed[:LISTED]
    ]
    if len(failed) > LISTED:
        lines.append(f"- and {len(failed) - LISTED:,} more")
    with st.container(key="build-failures"):
        st.markdown("\n".join(["**Failed**", "", *lines]))


def draw_example() -> None:
    """Draw an example of the triples of a chunk, before anything is built."""
    st.markdown("### What comes out")
    st.markdown(f"> {literal(EXAMPLE_TEXT)}")
    draw_triples([EXAMPLE], "build-example")
    reading_aid(
        "A dashed box is a hypernode: a whole triple that is a node, so that another triple can be about it."
    )
