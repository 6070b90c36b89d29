"""One parameter over a range of values: a new sweep, one recomputed from stored runs, and those made before."""

from __future__ import annotations

import streamlit as st

from core.evaluation.evaluations import evaluations_of
from core.evaluation.plan import Evaluation
from core.evaluation.sweeps import format_value
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate.evaluations import STATES
from core.ui.evaluate.jobs import SWEEP, begun, in_address, problem
from core.ui.evaluate.noted import note
from core.ui.evaluate.progress import draw_elsewhere, watch
from core.ui.evaluate.sweep_form import sweep_form
from core.ui.evaluate.sweep_shown import draw_stored, parameter_title
from core.ui.evaluate.sweep_stored import stored_form
from core.ui.shell import address, session
from core.ui.shell.listing import listing
from core.ui.shell.local_time import column_of, when
from core.ui.shell.safe import literal

SECTION = "section"
"""Key of the choice of the page's sections, and name of the query parameter that keeps it over a reload."""
LISTED = 100
WAYS = {
    "Ask": ":material/play_arrow: Run a new sweep",
    "Stored": ":material/history: Recompute from stored runs",
}


def show(bench: Workbench) -> None:
    """Draw the sweep in the address, or what one is made from."""
    job = begun(bench, SWEEP)
    if job is not None and not job.id and not job.done:
        watch(job, mine=True)
        return
    if job is not None:
        del st.session_state[SWEEP]
        if job.id:
            address.show(address.SWEEP, job.id)
        else:
            note(problem(job) or "Stopped before the first question.")
    if found := in_address(bench, address.SWEEP, "sweep"):
        _one(bench, found)
    else:
        _compose(bench)


def _compose(bench: Workbench) -> None:
    st.markdown("How much does one setting matter? The same questions, with one parameter at several values.")
    way = st.segmented_control(
        "How",
        list(WAYS),
        default="Ask",
        format_func=WAYS.__getitem__,
        required=True,
        key="sweep-way",
        label_visibility="collapsed",
    )
    if way == "Stored":
        stored_form(bench)
        return
    sweep_form(bench)
    _list(bench)


def _list(bench: Workbench) -> None:
    mine = evaluations_of(bench).store.list(session.owners(bench), LISTED)
    found = [(one, one.spec.sweep) for one in mine if one.spec.sweep]
    if not found:
        return
    st.markdown("### Sweeps made before")
    begun = column_of("Begun")
    place = listing(
        "sweeps",
        {
            "Parameter": [parameter_title(bench, one) for one, _ in found],
            "Values": [", ".join(map(format_value, sweep.values)) for _, sweep in found],
            "Strategy": [_strategy(one) for one, _ in found],
            "Data set": [one.spec.dataset for one, _ in found],
            "Questions": [len(one.questions) for one, _ in found],
            "State": [STATES[one.state] for one, _ in found],
            begun: [one.created for one, _ in found],
        },
        alt="Stored sweeps",
        hint="Click one to open it.",
        config={begun: when()},
    )
    if place is not None:
        address.show(address.SWEEP, found[place][0].id)
        st.rerun()


def _strategy(evaluation: Evaluation) -> str:
    key = evaluation.spec.settings[0].strategy
    return strategies()[key].title if key in strategies() else key


def _one(bench: Workbench, evaluation: Evaluation) -> None:
    title = f"{parameter_title(bench, evaluation)}: {_strategy(evaluation)} on {evaluation.spec.dataset}"
    mine = evaluation.owner in session.owners(bench) or session.is_teacher(bench)
    with st.container(horizontal=True, vertical_alignment="center", key="sweep-title"):
        st.subheader(literal(title), anchor=False, width="stretch")
        with st.container(horizontal=True, gap="small", width="content"):
            if st.button("New sweep", key="sweep-new", icon=":material/add:"):
                address.show(address.SWEEP, None)
                st.rerun()
            st.button(
                "Its evaluation",
                key="sweep-evaluation",
                icon=":material/leaderboard:",
                on_click=_to_evaluation,
                args=(evaluation.id,),
                help="Its table, where each value failed, and every run, one click from its question.",
            )
    job = evaluations_of(bench).job(evaluation.id)
    if job is not None and not job.done:
        watch(job, mine=mine)
        return
    if job is not None and (said_why := problem(job)):
        st.error(literal(said_why), icon=":material/error:")
    if evaluation.state == "running":
        draw_elsewhere(bench, evaluation)
    draw_stored(bench, evaluation, mine=mine)


def _to_evaluation(evaluation: str) -> None:
    st.session_state[SECTION] = "Evaluations"
    address.show(address.SWEEP, None)
    address.show(address.EVALUATION, evaluation)
