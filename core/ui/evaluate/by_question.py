"""Question by question: tiles and failures; one click leads to the runs of a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from core.ui.shell.widgets import draw_chart, reading_aid

NOTHING_FAILED = (
    "Where it failed is not drawn: no answer was judged, and no question is known to have lost all of its evidence "
    "before one."
)
RANKS = 5
"""Documents of a ranking that are seen at once."""


def draw_tiles(bench: Workbench, found: EvaluationResults, key: str) -> None:
    """A tile per question and setting; the one that is chosen opens below."""
    texts = {question.id: question.text for question in found.evaluation.questions}
    st.markdown("### Question by question")
    event = st.plotly_chart(
        heat_map(found.scores, key, texts, found.look),
        key=f"tiles-{found.name}-{key}",
        config={"displayModeBar": False},
        on_select="rerun",
        selection_mode="points",
        alt="A tile for each question and setting",
    )
    reading_aid(
        "A column is one question, the hardest for all on the left; the lighter a tile, the higher the value. Click a "
        "tile to see what became of the question and to open its runs."
    )
    if cell := _chosen(event["selection"]["points"], found):
        _draw_question(bench, found, cell, key, "tile")


def _chosen(points: Sequence[Mapping[str, object]], found: EvaluationResults) -> tuple[str, str] | None:
    """Id of the question and label of the setting that the browser says was clicked, if there is such a tile."""
    custom = points[0].get("customdata") if points else None
    if not isinstance(custom, Sequence) or len(custom) != 2:
        return None
    question, label = str(custom[0]), str(custom[1])
    return (question, label) if question in found.scores.get(label, {}) else None


def draw_failures(bench: Workbench, found: EvaluationResults) -> None:
    """How many questions were lost at which step, and which ones."""
    if not any(found.stages.values()):
        return
    if not stages_drawn(found.stages):
        st.caption(f":material/info: {NOTHING_FAILED}")
        return
    st.markdown("### Where it failed")
    draw_chart(
        failure_chart(found.stages, found.look),
        f"stages-{found.name}",
        "How many questions failed at which step",
        "Each question counts once, at the first step where it went wrong: the search, the choice of what is given to "
        "the answer, its use, the answer itself.",
    )
    rows = failures(found.stages, found.evaluation.questions)
    if not rows:
        return
    wanted = st.pills(
        "Only",
        [stage for stage in STAGES if any(ended.stage == stage for *_, ended in rows)],
        format_func=str.capitalize,
        key=f"stage-{found.name}",
        help="Show only what failed at this step.",
    )
    if wanted:
        st.caption(STAGES[wanted])
    shown = [row for row in rows if wanted in (None, row[2].stage)]
    place = listing(
        f"failures-{found.name}-{wanted}",
        {
            "Question": [question.text for question, *_ in shown],
            "Setting": [label for _, label, _ in shown],
            "Where it failed": [ended.stage for *_, ended in shown],
            "Gold documents": [gold_kept(ended) for *_, ended in shown],
        },
        alt="Questions that failed",
        hint="Click one to see what became of it and to open its runs.",
        config={
            "Question": st.column_config.Column(width=430),
            "Setting": st.column_config.Column(width=170),
            "Where it failed": st.column_config.Column(width=190),
        },
    )
    if place is not None:
        question, label, _ = shown[place]
        _draw_question(bench, found, (question.id, label), "", "failure")


def failed_runs(found: EvaluationResults) -> None:
    """Runs that ended with an error; they are tried again with Continue."""
    failed = found.outcomes.failed
    if not failed:
        return
    texts = {question.id: question.text for question in found.evaluation.questions}
    settings = found.evaluation.spec.settings
    with st.expander(
        f"{len(failed)} failed: they count in no metric until they are tried again", icon=":material/error:"
    ):
        # Cells of a data frame are drawn as text, so nothing needs escaping here.
        st.dataframe(
            [
                {"Setting": settings[place].label, "Question": texts[question], "Why": error}
                for (place, question), error in failed.items()
            ],
            hide_index=True,
            key=f"failed-{found.name}",
            alt="Failed runs",
        )


def _draw_question(
    bench: Workbench, found: EvaluationResults, cell: tuple[str, str], key: str, place: str
) -> None:
    """The question, its labels, and what each setting made of it, the chosen one of this cell (id of the question,
    label) first, with the value of the metric with this key; `place` tells this drawing from others on the page."""
    question = next(one for one in found.evaluation.questions if one.id == cell[0])
    settings = found.evaluation.spec.settings
    chosen = next(one for one in settings if one.label == cell[1])
    titles = _titles(bench, found.evaluation)
    gold = ", ".join(titles.get(one, one) for one in question.gold) or "not known"
    answers = ", ".join(question.answers) or "not known"
    kind = f" Type: {literal(question.type.replace('_', ' '))}." if question.type else ""
    with st.container(border=True, key=f"evaluated-question-{place}"):
        st.markdown(f"**{literal(question.text)}**")
        st.caption(f"Right answer: {literal(answers, 200)}. Evidence: {literal(gold, 300)}.{kind}")
        if question.note:
            st.caption(f":material/info: Of this question's labels: {literal(question.note, 400)}")
        _compare(bench, found.evaluation, question, chosen, place)
        ordered = [chosen, *(one for one in settings if one is not chosen)]
        with st.grid(min(3, len(ordered)), min_column_width=270, gap="small"):
            for setting in ordered:
                with st.container(border=True, key=f"outcome-{place}-{settings.index(setting)}", gap="small"):
                    _draw_pair(found, question, setting, key, titles)


def _draw_pair(
    found: EvaluationResults,
    question: LabelledQuestion,
    setting: Setting,
    key: str,
    titles: Mapping[str, str],
) -> None:
    """Draw the result of a question through a setting; `key` is that of a metric."""
    at = found.evaluation.spec.settings.index(setting)
    result = found.outcomes.done.get((at, question.id))
    st.markdown(f"**{found.look[setting.label].mark} · {literal(setting.label)}**")
    values = found.scores.get(setting.label, {}).get(question.id, {})
    ended = found.stages.get(setting.label, {}).get(question.id)
    parts = [f"{metric(key).title} {number(key, values[key])}"] if key in values else []
    parts += [ended.stage] if ended and ended.stage != "not judged" else []
    parts += ["cannot be judged by its words"] if values.get("unclear") else []
    if parts:
        st.caption(literal(", ".join(parts)))
    if result is None:
        st.markdown(literal(found.outcomes.failed.get((at, question.id), "Not tried yet."), 300))
        return
    if result.answer is not None:
        st.markdown(literal(result.answer.text, 400) or "*No answer*")
        if unsure := doubt(result.answer):
            st.caption(unsure.capitalize())
    if result.ranking:
        ranking = [
            f"{rank}. {'★ ' if one in question.gold else ''}{literal(titles.get(one, one), 80)}"
            for rank, one in enumerate(result.ranking[:RANKS], 1)
        ]
        st.caption("  \n".join(ranking), help="The first documents of its ranking; ★ holds evidence.")
    if result.run:
        st.page_link(
            "pages/runs.py",
            label="Open the run it was recomputed from" if result.recomputed else "Open the stored run",
            icon=":material/open_in_new:",
            query_params={address.RUN: result.run},
        )
    else:
        st.caption("No model was asked, so no run was stored: compare to see it run.")


def _compare(
    bench: Workbench, evaluation: Evaluation, question: LabelledQuestion, chosen: Setting, place: str
) -> None:
    """Leads to Compare with the question and the settings filled in, the chosen one and the baseline among them."""
    spec = evaluation.spec
    base = [one for one in spec.settings if one.label == spec.baseline]
    few = list({one.label: one for one in (chosen, *base, *spec.settings)}.values())[:COLUMNS_MOST]
    corpus = spec.corpus_of(chosen).name
    if not any(one.name == corpus for one in bench.corpora.catalogue.corpora()):
        st.caption(
            "The documents of this data set are not indexed here any more, so nothing can be run again."
        )
        return
    if len(few) < COLUMNS_LEAST or not st.button(
        "Compare on this question",
        key=f"to-compare-{place}",
        icon=":material/compare:",
        help="Opens Compare with this question, these documents and these settings filled in.",
    ):
        return
    COLUMNS.fill([_choice(one) for one in few], session.kind(bench))
    know_gold(question.text, corpus, labelled_gold(bench.corpora.catalogue, corpus, question.gold))
    st.session_state["question"] = question.text
    st.session_state["corpus"] = corpus
    address.show(address.COMPARISON, None)
    leave_for("pages/compare.py")


def _choice(setting: Setting) -> SettingDraft:
    known = strategies()[setting.strategy].params.model_fields
    params = {
        name: value
        for name, value in setting.params.items()
        if name in known and value != known[name].default
    }
    return SettingDraft(setting.strategy, setting.retriever, params, setting.methods)


def _titles(bench: Workbench, evaluation: Evaluation) -> dict[str, str]:
    """Id of a document in the data set -> its title, as far as the documents are still there."""
    catalogue = bench.corpora.catalogue
    try:
        corpus = catalogue.corpus(evaluation.spec.corpus)
    except InputError:
        return {}
    return {entry.key or entry.id: entry.title or entry.name for entry in catalogue.documents(corpus.id)}
