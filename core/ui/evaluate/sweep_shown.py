"""The results of a sweep: a sentence, a chart and a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.cards.texts import named
from core.charts.evaluation_csv import questions_csv
from core.charts.sweep_chart import sweep_chart
from core.charts.sweep_table import RECOMPUTED, REMARKS, SweepView, sweep_table, sweep_view
from core.errors import LoupeError
from core.evaluation.evaluations import evaluations_of
from core.evaluation.measures import Scores, metric, present
from core.evaluation.plan import Evaluation, Outcomes, Sweep
from core.evaluation.results import scores
from core.evaluation.sweep_results import SweepResult, open_sweep
from core.evaluation.sweeps import parameters
from core.evaluation.unjudged import unjudged, unjudged_sentence
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate.jobs import continue_button
from core.ui.evaluate.noted import draw_noted
from core.ui.shell.downloads import download
from core.ui.shell.safe import literal
from core.ui.shell.theme import draw_chart
from core.wording import counted

FIRST = ("R@10", "nDCG@10", "F1")
"""Metrics that are shown first, where there are any."""
KEPT = 8
GO_ON_HELP = "Failed questions are tried again; nothing that is done is asked twice."
SHOWN = ("Mean", "Difference")
LINE_AID = (
    "The line is the mean, the band its 95 % interval: where it may lie for other questions of this kind. A filled "
    "circle differs significantly from the default, an open one does not."
)
BAR_AID = (
    "A bar is the mean, the thin line its 95 % interval: where it may lie for other questions of this kind."
)
PAIRED = "Whether two values differ is judged question by question: it may be clear although their intervals overlap."
CAUTION = "Whoever picks the best of several values by these questions should expect a little less from it on others."


def parameter_title(bench: Workbench, evaluation: Evaluation) -> str:
    """Title of the parameter of a sweep; raw text."""
    sweep, key = evaluation.spec.sweep, evaluation.spec.settings[0].strategy
    if sweep is None:
        return ""
    most = bench.backends.embedder.max_tokens
    known = parameters(strategies()[key], most) if key in strategies() else {}
    return known[sweep.parameter].title if sweep.parameter in known else sweep.parameter


def draw_stored(bench: Workbench, evaluation: Evaluation, *, mine: bool) -> None:
    """A sweep that was begun as one: what is left to do, and what came of it so far."""
    store = evaluations_of(bench).store
    outcomes = store.outcomes(evaluation.id)
    _left(bench, evaluation, outcomes, mine=mine)
    if evaluation.spec.sweep and outcomes.done:
        draw_sweep(bench, evaluation, evaluation.spec.settings[0].label, evaluation.spec.sweep)


def _left(bench: Workbench, evaluation: Evaluation, outcomes: Outcomes, *, mine: bool) -> None:
    left = evaluation.total - len(outcomes.done)
    if not left or evaluation.state == "running":
        return
    failed = f" {len(outcomes.failed)} of these failed." if outcomes.failed else ""
    st.warning(
        f"{left:,} of {counted(evaluation.total, 'question')} {'is' if left == 1 else 'are'} left to ask.{failed} "
        "What is shown is what is done.",
        icon=":material/pause:",
    )
    for (place, _), error in list(outcomes.failed.items())[:3]:
        st.caption(f"{literal(evaluation.spec.settings[place].label)}: {literal(error, 300)}")
    if mine:
        continue_button(bench, evaluation.id, "Go on", "sweep-go-on", GO_ON_HELP)
    draw_noted()


@st.cache_resource(max_entries=KEPT, show_spinner="Recomputing from stored runs")
def _read(
    _bench: Workbench, evaluation: str, label: str, sweep: str, done: int, failed: int
) -> tuple[SweepResult, Scores]:
    """A sweep and its scores; kept as long as nothing more is done."""
    store = evaluations_of(_bench).store
    found = store.get(evaluation)
    base = next(one for one in found.spec.settings if one.label == label)
    swept = open_sweep(_bench, found, store.outcomes(evaluation), base, Sweep.model_validate_json(sweep))
    return swept, scores(swept.evaluation, swept.outcomes, _bench.settings.model_prices)


def draw_sweep(bench: Workbench, evaluation: Evaluation, label: str, sweep: Sweep) -> None:
    """A sweep of one setting of an evaluation."""
    counts = evaluations_of(bench).store.counts([evaluation.id])[evaluation.id]
    try:
        found, judged = _read(bench, evaluation.id, label, sweep.model_dump_json(), *counts)
    except LoupeError as error:
        st.warning(literal(str(error)), icon=":material/info:")
        return
    _about(evaluation, found)
    keys = present(judged)
    if not keys:
        st.info("None of the questions done so far can be judged.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="sweep-looks"):
        first = next((keys.index(key) for key in FIRST if key in keys), 0)
        key = st.selectbox(
            "Metric",
            keys,
            index=first,
            format_func=lambda key: metric(key).title,
            key="sweep-metric",
            width=300,
        )
        shown = st.segmented_control(
            "Chart",
            SHOWN,
            default="Mean",
            required=True,
            key="sweep-chart-shows",
            label_visibility="collapsed",
        )
    view = sweep_view(found, judged, key, found.evaluation.spec.looks)
    st.markdown(f"### {literal(view.reading)}")
    if view.means:
        _chart(found, view, difference=shown == "Difference")
    # Cells of a data frame are drawn as text, so nothing needs escaping here.
    st.dataframe(
        pd.DataFrame(sweep_table(found, view, judged)),
        hide_index=True,
        key="sweep-table",
        column_config={found.parameter.title: st.column_config.Column(width=150)},
        alt="Every value with its difference to the default",
    )
    aid = "In brackets 95 % intervals. Calls, tokens and seconds are means per question."
    if found.recomputed:
        aid += (
            f" {RECOMPUTED} recomputed from stored runs; its cost is that of the runs it was recomputed from."
        )
    st.caption(aid)
    if unclear := unjudged_sentence(unjudged(judged)):
        st.caption(f":material/question_mark: {literal(unclear)}")
    download(
        "All scores as CSV",
        lambda: questions_csv(found.evaluation, found.outcomes, judged, {}),
        "sweep.csv",
        "sweep-csv",
    )


def _about(evaluation: Evaluation, found: SweepResult) -> None:
    spec = found.evaluation.spec
    parts = [
        counted(len(evaluation.questions), "question"),
        "evidence only" if spec.retrieval_only else f"answers by {literal(named(spec.model))}",
    ]
    if found.recomputed:
        count = f"{len(found.recomputed)} of {len(found.values)} values"
        parts.append(f":green-badge[:material/recycling: {count} recomputed from stored runs, no model call]")
    st.markdown(" · ".join(parts))


def _chart(found: SweepResult, view: SweepView, *, difference: bool) -> None:
    aid = LINE_AID if found.parameter.numeric else BAR_AID
    draw_chart(
        sweep_chart(found, view, difference=difference),
        "sweep-chart",
        f"{metric(view.metric).title} for each value of {found.parameter.title}",
        f"{aid} {PAIRED}" + (f" {CAUTION}" if view.best != found.baseline else ""),
    )
    st.caption(f"{metric(view.metric).title}: {metric(view.metric).help}")
    if remark := REMARKS.get(found.parameter.key):
        st.caption(remark)
