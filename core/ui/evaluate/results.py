"""The results of an evaluation: the finding, the differences, charts, and where it failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import streamlit as st

from core.charts.evaluation_charts import difference_chart, mean_bars, pareto_chart, type_bars
from core.charts.evaluation_findings import Remark
from core.charts.evaluation_settings import facts, settings_rows
from core.charts.evaluation_table import OVERVIEW, SHARED_AID, EvaluationTable, Look
from core.charts.sweep_chart import is_scale, sweep_chart
from core.evaluation.measures import COSTS, LEADING, metric, present
from core.evaluation.plan import Sweep
from core.evaluation.sweeps import title_of
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate.by_question import draw_failures, draw_tiles, failed_runs
from core.ui.evaluate.cached_results import (
    EvaluationResults,
    OtherValues,
    best_of,
    differences_of,
    means_of,
    results_of,
    sentences_of,
    table_of,
)
from core.ui.shell.assets import drawing
from core.ui.shell.local_time import moment
from core.ui.shell.safe import code, literal
from core.ui.shell.widgets import choice, draw_chart

V = TypeVar("V")
DIFFERENCES_AID = (
    "A dot is the mean difference, its line where it may lie for other questions of this kind (95 %). Filled and off "
    "the dashed line: significant."
)
MEANS_AID = (
    "A bar is the mean over the questions, the thin line its 95 % interval. Intervals may overlap although a "
    "difference is significant: the same questions are compared one by one."
)
VALUES_AID = (
    "The line is the mean, the band its 95 % interval: where it may lie for other questions of this kind. The diamond "
    "is what the others are compared with; a filled circle differs significantly from it, an open one does not."
)
PARETO_AID = (
    " is better, left is cheaper. The dotted line joins the settings that no other one beats in both; an open mark "
    "pays more for less."
)
TYPES_AID = (
    "A group of bars is one type of question, as the data set calls it. Few questions make long intervals, and "
    "one makes none: a difference here is a reason to take a larger sample, not a finding."
)
ORACLE_HELP = (
    "All metrics, and the oracle: the best setting of each question, chosen afterwards with the labels, as an upper "
    "bound."
)
SENTENCES = 3
"""Sentences that are seen at once, the headline among them; the others are folded."""
WEAK = (
    "The tiny built-in model answered: this shows how strategies do with a weak generator, which can hurt a search, "
    "and not how well they can do."
)
ALONE = (
    "Closed book answers without documents. Anything that it gets right, the model knew by heart, as it may know a "
    "public data set; only what goes beyond that is the merit of a search."
)
ICONS: Mapping[Remark, str] = {
    "oracle": "arrow_upward",
    "caution": "groups",
    "apart": "balance",
    "played": "album",
    "replaced": "swap_horiz",
    "unclear": "question_mark",
}


@st.fragment
def draw_results(bench: Workbench, evaluation: str, others: OtherValues | None = None) -> None:
    """Draw the evaluation with this id, or a sweep of its stored runs in its place, in the order of what matters."""
    results = results_of(bench, evaluation, others)
    if results.problem:
        st.warning(literal(results.problem), icon=":material/info:")
    keys = present(results.scores)
    if not keys:
        st.info("Nothing is done yet. Press **Continue** above to begin.", icon=":material/hourglass_empty:")
        failed_runs(results)
        return
    above = st.container(key="evaluation-findings")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        baseline = _compared_with(results)
        all_measures = st.toggle("All measures, and the oracle", key=f"all-{results.name}", help=ORACLE_HELP)
    with above:
        _sentences(results, baseline)
    if not all_measures:
        results = replace(results, best=None)
    costs = [key for key in keys if metric(key).group == COSTS]
    free = [key for key in costs if not _paid(results, key)]
    shown = [key for key in OVERVIEW if key in keys and key not in free]
    shown += [key for key in keys if all_measures and key not in shown]
    table = table_of(results, baseline, tuple(shown))
    draw_table(table, results.look, results.name, "Compared, metric by metric")
    order = [row.strategy for row in table.rows if row.strategy in results.scores]
    results = replace(results, scores=_ordered(results.scores, order), stages=_ordered(results.stages, order))
    failed_runs(results)
    quality = [key for key in keys if key not in costs]
    key = st.selectbox(
        "Look at",
        quality or keys,
        index=next((place for place, name in enumerate(quality) if name in LEADING), 0),
        format_func=lambda name: metric(name).title,
        key=f"metric-{results.name}",
        width=320,
        help="The metric of the charts below.",
    )
    st.caption(literal(metric(key).help))
    _bars(results, baseline, key, order)
    _pareto(results, key, costs, order)
    draw_tiles(bench, results, key)
    _types(results, key)
    draw_failures(bench, results)
    _measured(results)


def _compared_with(results: EvaluationResults) -> str:
    labels = [setting.label for setting in results.evaluation.spec.settings]
    if len(labels) < 2:
        return labels[0]
    return st.selectbox(
        "Compared with",
        labels,
        index=labels.index(results.evaluation.spec.baseline),
        key=f"baseline-{results.name}",
        width=420,
        help="The baseline. Another choice is computed from the same runs.",
    )


def _sentences(results: EvaluationResults, baseline: str) -> None:
    spec = results.evaluation.spec
    sentences, remarks = sentences_of(results, baseline)
    for sentence in sentences[:1]:
        st.subheader(literal(sentence), anchor=False)
    for sentence in sentences[1:SENTENCES]:
        st.markdown(literal(sentence))
    if weak := remarks.get("weak"):
        st.warning(literal(weak), icon=":material/priority_high:")
    known = strategies()
    alone = any(setting.strategy in known and known[setting.strategy].alone for setting in spec.settings)
    with st.expander("Details", icon=":material/notes:", key=f"sentences-{results.name}"):
        for sentence in sentences[SENTENCES:]:
            st.markdown(literal(sentence))
        for kind, text in remarks.items():
            if kind != "weak":
                st.caption(f":material/{ICONS[kind]}: {literal(text)}")
        if spec.builtin and not weak:
            st.caption(f":material/info: {WEAK}")
        if alone:
            st.caption(f":material/psychology: {ALONE}")


def _ordered(values: Mapping[str, V], order: Sequence[str]) -> dict[str, V]:
    """Return the values in the order of the columns of the table."""
    return {name: values[name] for name in order if name in values}


def _bars(results: EvaluationResults, baseline: str, key: str, order: Sequence[str]) -> None:
    against = sorted(differences_of(results, baseline, key), key=lambda row: order.index(row.strategy))
    means = _ordered(means_of(results, key), order)
    sweep = results.evaluation.spec.sweep
    if means and sweep and is_scale(sweep):
        _over_values(results, sweep, baseline, key)
    with st.grid(2 if against else 1, min_column_width=430):
        if against:
            with st.container():
                st.markdown(
                    f"### Differences to {metric(key).against or 'the baseline'}", help=DIFFERENCES_AID
                )
                _chart(results, "differences", difference_chart(against, results.look))
        with st.container():
            st.markdown("### Means", help=MEANS_AID)
            _chart(results, "means", mean_bars(means, key, results.look, best_of(results, key)))


def _over_values(results: EvaluationResults, sweep: Sweep, baseline: str, key: str) -> None:
    settings = results.evaluation.spec.settings
    against = () if metric(key).against else differences_of(results, baseline, key)
    parameter = title_of(settings[0].strategy, sweep.parameter)
    st.markdown(f"### {metric(key).title} over the values of {literal(parameter)}", help=VALUES_AID)
    figure = sweep_chart(sweep, settings, key, means_of(results, key), against, baseline)
    _chart(results, "values", figure)


def _pareto(results: EvaluationResults, key: str, costs: Sequence[str], order: Sequence[str]) -> None:
    paid = [name for name in costs if _paid(results, name)]
    quality = _ordered(means_of(results, key), order)
    if not paid or len(quality) < 2:
        return
    st.markdown(
        "### Quality against cost", help=f"{'Up' if metric(key).good == 'high' else 'Down'}{PARETO_AID}"
    )
    chosen = choice("Cost", {name: metric(name).title for name in paid}, f"cost-{results.name}")
    figure = pareto_chart(quality, means_of(results, chosen), (key, chosen), results.look, results.best)
    _chart(results, "pareto", figure)


def _paid(results: EvaluationResults, key: str) -> bool:
    """True if any run cost anything of this kind."""
    return any(values.get(key) for by in results.scores.values() for values in by.values())


def _types(results: EvaluationResults, key: str) -> None:
    types = {question.id: question.type for question in results.evaluation.questions}
    if len(set(types.values())) < 2:
        return
    fold = st.expander(
        "Per type of question", icon=":material/category:", key=f"by-type-{results.name}", on_change="rerun"
    )
    if fold.open:
        with fold:
            st.caption(TYPES_AID)
            _chart(results, "types", type_bars(results.scores, key, types, results.look))


def _chart(results: EvaluationResults, name: str, figure: object) -> None:
    draw_chart(figure, f"{name}-{results.name}", f"Chart: {name}")


def draw_table(table: EvaluationTable, look: Mapping[str, Look], key: str, title: str) -> None:
    """Draw a column per setting and a row per metric, by a component of our own that never interprets text. The key is
    unique on the page and stable between redraws."""
    st.markdown(f"### {title}", help=table.aid)
    drawing("evaluation")(data=table.data(look), key=f"table-{key}")
    if table.shared:
        st.caption(SHARED_AID.strip())


def _measured(results: EvaluationResults) -> None:
    """Draw what is needed to do it again, folded: seeds, settings, models and versions."""
    with st.expander("How this was measured", icon=":material/science:", key="evaluation-measured"):
        st.markdown(
            "  \n".join(
                f"**{literal(name)}:** {literal(value)}"
                for name, value in facts(results.evaluation, moment(results.evaluation.created))
            )
        )
        # Cells of a data frame are drawn as text, so nothing needs escaping here.
        st.dataframe(
            settings_rows(results.evaluation), hide_index=True, key=f"settings-{results.name}", alt="Settings"
        )
        st.markdown(
            f"Go on with it, or see it again: {code(f'python -m core evaluate --continue {results.evaluation.id}')}"
        )
