"""A sweep of what was evaluated before, at once: recomputed from the stored runs, with no model call."""

from __future__ import annotations

import streamlit as st

from core.errors import LoupeError
from core.evaluation.evaluations import evaluations_of
from core.evaluation.plan import Evaluation, Sweep
from core.evaluation.recomputation import recomputable
from core.evaluation.sweep_results import sweepable
from core.evaluation.sweeps import check_values, parameter_of, with_value
from core.runs.workbench import Workbench
from core.strategies import get_strategy, strategies
from core.ui.evaluate.sweep_form import values_choice
from core.ui.evaluate.sweep_shown import draw_sweep
from core.ui.shell import session
from core.ui.shell.local_time import moment
from core.ui.shell.safe import literal
from core.wording import counted

LISTED = 50


def stored_form(bench: Workbench) -> None:
    """Choose an evaluation, a setting of it and a parameter; what comes of it is drawn below."""
    listed = evaluations_of(bench).store.list(session.owners(bench), LISTED)
    found = [(one, swept) for one in listed if (swept := sweepable(one))]
    if not found:
        *others, last = (one.title for one in strategies().values() if one.recomputation)
        st.info(
            "No evaluation of yours has runs that tell what another value would give. Evaluate "
            f"{literal(', '.join(others))} or {literal(last)}, or run a new sweep.",
            icon=":material/info:",
        )
        return
    names = {one.id: _name(one) for one, _ in found}
    with st.container(border=True, key="sweep-stored"):
        with st.grid(3, min_column_width=240, vertical_alignment="bottom"):
            chosen = st.selectbox(
                "Evaluation", list(names), format_func=names.__getitem__, key="stored-evaluation"
            )
            evaluation, swept = next(pair for pair in found if pair[0].id == chosen)
            label = st.selectbox("Setting", list(swept), key=f"stored-setting-{chosen}")
            base = next(one for one in evaluation.spec.settings if one.label == label)
            strategy, most = get_strategy(base.strategy), bench.backends.embedder.max_tokens
            titles = {key: parameter_of(strategy, key, most).title for key in swept[label]}
            key = st.selectbox(
                "Parameter",
                list(titles),
                format_func=titles.__getitem__,
                key=f"stored-parameter-{chosen}-{label}",
            )
        parameter = parameter_of(strategy, key, most)
        known = tuple(
            value for value in parameter.suggested if recomputable(base, with_value(base, key, value))
        )
        st.caption(literal(parameter.help))
        values = values_choice(parameter, known, f"stored-values-{chosen}-{label}-{key}")
        try:
            sweep = Sweep(parameter=key, values=check_values(base, key, values, most))
        except LoupeError as error:
            st.warning(literal(str(error)), icon=":material/info:")
            return
    draw_sweep(bench, evaluation, label, sweep)


def _name(evaluation: Evaluation) -> str:
    """As the list of evaluations has it, and when."""
    return (
        f"{evaluation.title} ({counted(len(evaluation.questions), 'question')}, {moment(evaluation.created)})"
    )
