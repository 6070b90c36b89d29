"""Building a graph in words: what it will take, how far it is, what it did. All text is raw."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain, count

from core.knowledge.build.build_reports import BuildProgress, BuildReport
from core.knowledge.store.graph_catalogue import MAX_NAME
from core.runs.sources.builds import BuildForecast, Standing
from core.skills import extract
from core.ui.knowledge.triples_view import Arrow, End, TripleColumn, TripleLine
from core.wording import counted, duration

EXAMPLE_TEXT = "Larry Cohen directed Full Moon High. The film was released in 1981."
_MADE = Arrow(End("Larry Cohen"), "directed", End("Full Moon High"))
_CAME = Arrow(End("Full Moon High"), "was", End("released"))
EXAMPLE = TripleColumn(
    (
        TripleLine(_MADE, "Larry Cohen directed Full Moon High."),
        TripleLine(
            Arrow(End("(Full Moon High)-[was]->(released)", _CAME, hyper=True), "in", End("1981")),
            "The film was released in 1981.",
        ),
    )
)
"""What a good model makes of the text."""
WHY_DROPPED = {
    extract.NO_QUOTE: "The model must quote the chunk. Where it quotes other words, the triple is dropped.",
    extract.NO_NAME: "“He” or “it” names nobody outside its chunk.",
    extract.NOT_STATED: "The model wrote a name that the sentence does not hold.",
}
"""More about some reasons for which triples are dropped."""


def forecast_line(forecast: BuildForecast) -> str:
    """What a build will take."""
    calls = f"about {counted(forecast.calls, 'model call')}"
    if forecast.seconds is None:
        time = "time: this model has not done a chunk yet, so nobody can tell"
    else:
        time = f"about {duration(forecast.seconds)}, judged from chunks that this model did before"
    return f"{counted(forecast.chunks, 'chunk')}; {calls}; {time}."


def free_name(corpus: str, taken: Collection[str]) -> str:
    """A name for a new graph: that of its corpus, with a number where it is taken."""
    names = (f"{corpus[: MAX_NAME - 4]} {number}" for number in count(2))
    return next(name for name in chain([corpus], names) if name not in taken)


def standing_line(standing: Standing) -> str:
    """How far a graph is."""
    text = f"{standing.done:,} of {counted(standing.chunks, 'chunk')} done"
    if standing.failed:
        text += f", {len(standing.failed):,} failed"
    return text + (f", {standing.open:,} open." if standing.open else ".")


def go_on_line(standing: Standing, *, whole: bool) -> str:
    """What building on will do; `whole`: whether the last build of the graph came to its end."""
    if standing.open or not whole:
        return "What is done is not sent to the model again: building goes on from there."
    if standing.failed:
        return "Nothing is left to do but the chunks that failed."
    return "All chunks are done. Add documents to the corpus, and it can go on."


def progress_text(now: BuildProgress) -> str:
    """How far a build is."""
    if not now.chunks_total:
        return "Getting ready"
    return f"{now.chunks:,} of {counted(now.chunks_total, 'chunk')}"


def progress_figures(now: BuildProgress) -> list[tuple[str, str, str]]:
    """What a build has found so far: each number with its name before it, and behind it how it comes about."""
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
    """Why triples were dropped, the most frequent reason first."""
    ordered = sorted(dropped.items(), key=lambda item: (-item[1], item[0]))
    return tuple(f"{count:,} × {reason}. {WHY_DROPPED.get(reason, '')}".strip() for reason, count in ordered)


def report_line(report: BuildReport) -> str:
    """What a build did."""
    took = f"{report.seconds:.1f} s" if report.seconds < 60 else duration(report.seconds)
    before = f", {report.before:,} done before" if report.before else ""
    left = f", {report.open:,} left for another time" if report.open else ""
    return (
        f"{counted(report.chunks, 'chunk')} done in {took}{before}{left}. "
        f"{counted(report.triples, 'triple')} written; the graph has {counted(report.nodes, 'node')} and "
        f"{counted(report.edges, 'edge')} now."
    )
