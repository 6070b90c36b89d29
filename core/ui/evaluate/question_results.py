"""One question of an evaluation through every setting, with the ways to its runs and to a comparison."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.cards.doubt import doubt
from core.charts.differences import number
from core.errors import InputError
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.measures import metric
from core.evaluation.plan import Evaluation, Setting
from core.runs.comparisons import COLUMNS_LEAST, COLUMNS_MOST
from core.runs.gold import labelled_gold
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.compare.form import COLUMNS, know_gold
from core.ui.evaluate.cached_results import EvaluationResults
from core.ui.forms.setting import SettingDraft
from core.ui.shell import address, session
from core.ui.shell.navigation import leave_for
from core.ui.shell.safe import literal

RANKS = 5
"""Documents of a ranking that are seen at once."""


def draw_question(
    bench: Workbench, found: EvaluationResults, cell: tuple[str, str], key: str, place: str
) -> None:
    """The question, its labels, and what each setting made of it, the chosen one first.

    Args:
        cell: Id of the question and label of the chosen setting.
        key: Key of a metric to show; empty: none.
        place: Tells this drawing from others on the page.
    """
    question = next(one for one in found.evaluation.questions if one.id == cell[0])
    settings = found.evaluation.spec.settings
    chosen = next(one for one in settings if one.label == cell[1])
    titles = _titles(bench, found.evaluation)
    with st.container(border=True, key=f"evaluated-question-{place}"):
        st.markdown(f"**{literal(question.text)}**")
        _labels(question, titles)
        _compare(bench, found.evaluation, question, chosen, place)
        ordered = [chosen, *(one for one in settings if one is not chosen)]
        with st.grid(min(3, len(ordered)), min_column_width=270, gap="small"):
            for setting in ordered:
                with st.container(border=True, key=f"outcome-{place}-{settings.index(setting)}", gap="small"):
                    _outcome(found, question, setting, key, titles, place)


def _labels(question: LabelledQuestion, titles: Mapping[str, str]) -> None:
    gold = ", ".join(titles.get(one, one) for one in question.gold) or "not known"
    answers = ", ".join(question.answers) or "not known"
    kind = f" Type: {literal(question.type.replace('_', ' '))}." if question.type else ""
    st.caption(f"Right answer: {literal(answers, 200)}. Evidence: {literal(gold, 300)}.{kind}")
    if question.note:
        st.caption(f":material/info: Of this question's labels: {literal(question.note, 400)}")


def _outcome(
    found: EvaluationResults,
    question: LabelledQuestion,
    setting: Setting,
    key: str,
    titles: Mapping[str, str],
    place: str,
) -> None:
    at = found.evaluation.spec.settings.index(setting)
    result = found.outcomes.done.get((at, question.id))
    st.markdown(f"**{found.look[setting.label].mark} · {literal(setting.label)}**")
    value = found.scores.get(setting.label, {}).get(question.id, {}).get(key)
    unclear = found.scores.get(setting.label, {}).get(question.id, {}).get("unclear")
    stage = found.stages.get(setting.label, {}).get(question.id)
    parts = [f"{metric(key).title} {number(key, value)}"] if value is not None else []
    parts += [stage.stage] if stage and stage.stage != "not judged" else []
    parts += ["cannot be judged by its words"] if unclear else []
    if parts:
        st.caption(literal(", ".join(parts)))
    if result is None:
        st.markdown(literal(found.outcomes.failed.get((at, question.id), "Not tried yet."), 300))
    else:
        if result.answer is not None:
            st.markdown(literal(result.answer.text, 400) or "*No answer*")
            if unsure := doubt(result.answer):
                st.caption(unsure.capitalize())
        ranking = [
            f"{rank}. {'★ ' if one in question.gold else ''}{literal(titles.get(one, one), 80)}"
            for rank, one in enumerate(result.ranking[:RANKS], 1)
        ]
        if ranking:
            st.caption("  \n".join(ranking), help="The first documents of its ranking; ★ holds evidence.")
    if result is not None and result.run:
        st.page_link(
            "pages/runs.py",
            label="Open the run it was recomputed from" if result.recomputed else "Open the stored run",
            icon=":material/open_in_new:",
            query_params={address.RUN: result.run},
        )
    elif result is not None:
        st.caption("No model was asked, so no run was stored: compare to see it run.")


def _compare(
    bench: Workbench, evaluation: Evaluation, question: LabelledQuestion, chosen: Setting, place: str
) -> None:
    """Leads to Compare with the question and the settings filled in, the chosen one and the baseline among them."""
    settings = evaluation.spec.settings
    first = {chosen.label: chosen} | {
        one.label: one for one in settings if one.label == evaluation.spec.baseline
    }
    few = list((first | {one.label: one for one in settings}).values())[:COLUMNS_MOST]
    corpus = evaluation.spec.corpus_of(chosen).name
    there = any(one.name == corpus for one in bench.corpora.all())
    if not there:
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
