"""Question by question: tiles and failures; one click leads to the runs of a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from core.cards.texts import doubt
from core.charts.evaluation_grid import failure_chart, failures, gold_kept, heat_map, stages_drawn
from core.charts.evaluation_table import number
from core.errors import InputError
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.failure_stages import STAGES
from core.evaluation.measures import metric
from core.evaluation.plan import Evaluation, Setting
from core.runs.budget import labelled_gold
from core.runs.comparisons import COLUMNS_LEAST, COLUMNS_MOST
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.compare.form import COLUMNS, know_gold
from core.ui.evaluate.cached_results import EvaluationResults
from core.ui.forms.setting import SettingDraft
from core.ui.shell import address, session
from core.ui.shell.listing import listing
from core.ui.shell.navigation import leave_for
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place, scroll_to
from core.ui.shell.widgets import draw_chart

NOTHING_FAILED = (
    "There is no chart of failures: no answer was judged, and no question is known to have lost all of its "
    "gold documents."
)
ACCURACY = "Accuracy counts unsupported answers as right, and leaves out those that are not judged."
RANKS = 5
"""Documents of a ranking that are seen at once."""


def draw_tiles(bench: Workbench, results: EvaluationResults, key: str) -> None:
    """Draw a tile per question and setting; the one that is clicked opens below."""
    texts = {question.id: question.text for question in results.evaluation.questions}
    st.markdown(
        "### Question by question",
        help="A column is one question, hardest on the left; the lighter a tile, the higher the value.",
    )
    event = st.plotly_chart(
        heat_map(results.scores, key, texts, results.look),
        key=f"tiles-{results.name}-{key}",
        config={"displayModeBar": False},
        on_select=partial(scroll_to, f"tiles-{results.name}"),
        selection_mode="points",
        alt="A tile for each question and setting",
    )
    st.caption("Click a tile to see the answers to its question and to open its runs.")
    if cell := _clicked(event["selection"]["points"], results):
        scroll_place(f"tiles-{results.name}")
        _draw_question(bench, results, cell, key, "tile")


def _clicked(points: Sequence[Mapping[str, object]], results: EvaluationResults) -> tuple[str, str] | None:
    """Return the id of the question and the label of the setting that the browser says was clicked, if there is such a
    tile."""
    custom = points[0].get("customdata") if points else None
    if not isinstance(custom, Sequence) or len(custom) != 2:
        return None
    question, label = str(custom[0]), str(custom[1])
    return (question, label) if question in results.scores.get(label, {}) else None


def draw_failures(bench: Workbench, results: EvaluationResults) -> None:
    """Draw the number of questions that were lost at each step, and a table of them."""
    if not any(results.stages.values()):
        return
    if not stages_drawn(results.stages):
        st.caption(f":material/info: {NOTHING_FAILED}")
        return
    st.markdown(
        "### Where it failed",
        help="Each question counts once, at the first step where it went wrong: the search, the choice of the passages "
        "that are given to the answer, their use, the answer itself.",
    )
    draw_chart(
        failure_chart(results.stages, results.look),
        f"stages-{results.name}",
        "How many questions failed at which step",
    )
    if any("accuracy" in values for own in results.scores.values() for values in own.values()):
        st.caption(ACCURACY)
    rows = failures(results.stages, results.evaluation.questions)
    if not rows:
        return
    only = st.pills(
        "Only",
        [stage for stage in STAGES if any(ended.stage == stage for *_, ended in rows)],
        format_func=str.capitalize,
        key=f"stage-{results.name}",
        help="Show only what failed at this step.",
    )
    if only:
        st.caption(STAGES[only])
    listed = [row for row in rows if only in (None, row[2].stage)]
    failed = f"failures-{results.name}-{only}"
    place = listing(
        failed,
        {
            "Question": [question.text for question, *_ in listed],
            "Setting": [label for _, label, _ in listed],
            "Where it failed": [ended.stage for *_, ended in listed],
            "Gold documents": [gold_kept(ended) for *_, ended in listed],
        },
        alt="Questions that failed",
        hint="Click one to see the answers to its question and to open its runs.",
        config={"Question": 400, "Setting": 170, "Where it failed": 190},
        tall=True,
    )
    if place is not None:
        question, label, _ = listed[place]
        scroll_place(failed)
        _draw_question(bench, results, (question.id, label), "", "failure")


def failed_runs(results: EvaluationResults) -> None:
    """Draw the runs that ended with an error; Continue tries them again."""
    failed = results.outcomes.failed
    if not failed:
        return
    texts = {question.id: question.text for question in results.evaluation.questions}
    settings = results.evaluation.spec.settings
    with st.expander(
        f"{len(failed)} failed: no metric counts them until they are tried again", icon=":material/error:"
    ):
        # Cells of a data frame are drawn as text, so nothing needs escaping here.
        st.dataframe(
            [
                {"Setting": settings[place].label, "Question": texts[question], "Why": error}
                for (place, question), error in failed.items()
            ],
            hide_index=True,
            key=f"failed-{results.name}",
            alt="Failed runs",
        )


def _draw_question(
    bench: Workbench, results: EvaluationResults, cell: tuple[str, str], key: str, place: str
) -> None:
    """Draw the question, its labels, and the result of each setting, the chosen one of this cell (id of the question,
    label) first, with the value of the metric with this key; `place` tells this drawing from others on the page."""
    question = next(question for question in results.evaluation.questions if question.id == cell[0])
    settings = results.evaluation.spec.settings
    chosen = next(setting for setting in settings if setting.label == cell[1])
    titles = _titles(bench, results.evaluation)
    gold = ", ".join(titles.get(document, document) for document in question.gold) or "not known"
    answers = ", ".join(question.answers) or "not known"
    kind = f" Type: {literal(question.type.replace('_', ' '))}." if question.type else ""
    with st.container(border=True, key=f"evaluated-question-{place}"):
        st.markdown(f"**{literal(question.text)}**")
        st.caption(f"Right answer: {literal(answers, 200)}. Gold documents: {literal(gold, 300)}.{kind}")
        if question.note:
            st.caption(f":material/info: About this question's labels: {literal(question.note, 400)}")
        _compare(bench, results.evaluation, question, chosen, place)
        ordered = [chosen, *(setting for setting in settings if setting is not chosen)]
        with st.grid(min(3, len(ordered)), min_column_width=270, gap="small"):
            for setting in ordered:
                with st.container(border=True, key=f"outcome-{place}-{settings.index(setting)}", gap="small"):
                    _draw_pair(results, question, setting, key, titles)


def _draw_pair(
    results: EvaluationResults,
    question: LabelledQuestion,
    setting: Setting,
    key: str,
    titles: Mapping[str, str],
) -> None:
    """Draw the result of a question through a setting; `key` is that of a metric."""
    at = results.evaluation.spec.settings.index(setting)
    result = results.outcomes.done.get((at, question.id))
    st.markdown(f"**{results.look[setting.label].mark} · {literal(setting.label)}**")
    values = results.scores.get(setting.label, {}).get(question.id, {})
    ended = results.stages.get(setting.label, {}).get(question.id)
    parts = [f"{metric(key).title} {number(key, values[key])}"] if key in values else []
    parts += [ended.stage] if ended and ended.stage != "not judged" else []
    parts += ["cannot be judged by its words"] if values.get("unclear") else []
    if parts:
        st.caption(literal(", ".join(parts)))
    if result is None:
        st.markdown(literal(results.outcomes.failed.get((at, question.id), "Not tried yet."), 300))
        return
    if result.answer is not None:
        st.markdown(literal(result.answer.text, 400) or "*No answer*")
        if unsure := doubt(result.answer):
            st.caption(unsure.capitalize())
    if result.ranking:
        ranking = [
            f"{rank}. {'★ ' if document in question.gold else ''}{literal(titles.get(document, document), 80)}"
            for rank, document in enumerate(result.ranking[:RANKS], 1)
        ]
        st.caption("  \n".join(ranking), help="The first documents of its ranking; ★ is gold.")
    if result.run:
        st.page_link(
            "pages/runs.py",
            label="Open the run it was recomputed from" if result.recomputed else "Open the stored run",
            icon=":material/open_in_new:",
            query_params={address.RUN: result.run},
        )
    else:
        st.caption("No model was asked, so no run was stored. Compare it to see it run.")


def _compare(
    bench: Workbench, evaluation: Evaluation, question: LabelledQuestion, chosen: Setting, place: str
) -> None:
    """Draw a button that fills the question and settings into Compare, the chosen one and the baseline first."""
    spec = evaluation.spec
    base = [setting for setting in spec.settings if setting.label == spec.baseline]
    by_label = {setting.label: setting for setting in (chosen, *base, *spec.settings)}
    few = list(by_label.values())[:COLUMNS_MOST]
    corpus = spec.corpus_of(chosen).name
    if not any(entry.name == corpus for entry in bench.corpora.catalogue.corpora()):
        st.caption(
            "The documents of this data set are no longer indexed in this app, so nothing can be run again."
        )
        return
    if len(few) < COLUMNS_LEAST or not st.button(
        "Compare on this question",
        key=f"to-compare-{place}",
        icon=":material/compare:",
        help="Opens Compare with this question, these documents and these settings filled in.",
    ):
        return
    COLUMNS.fill([_choice(setting) for setting in few], session.kind(bench))
    know_gold(question.text, corpus, labelled_gold(bench.corpora.catalogue, corpus, question.gold))
    st.session_state["question"] = question.text
    st.session_state["corpus"] = corpus
    address.show(address.COMPARISON, None)
    leave_for("pages/compare.py")


def _choice(setting: Setting) -> SettingDraft:
    fields = strategies()[setting.strategy].params.model_fields
    known = {name: value for name, value in setting.params.items() if name in fields}
    params = {name: value for name, value in known.items() if value != fields[name].default}
    return SettingDraft(setting.strategy, setting.retriever, params, setting.methods)


def _titles(bench: Workbench, evaluation: Evaluation) -> dict[str, str]:
    """Id of a document in the data set -> its title, as far as the documents are still there."""
    catalogue = bench.corpora.catalogue
    try:
        corpus = catalogue.corpus(evaluation.spec.corpus)
    except InputError:
        return {}
    return {entry.key or entry.id: entry.title or entry.name for entry in catalogue.documents(corpus.id)}
