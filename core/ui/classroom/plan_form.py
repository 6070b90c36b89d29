"""Plans on the page Class: choose one, change it, and open a class with it.

Each change is saved at once; that of a plan which is somebody else's, or comes with the app, as a copy.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.classroom.plans import MAX_BYTES, Plan, StoredPlan, plan_file, plan_store, read_plan
from core.classroom.questions import Question, Source
from core.classroom.sources import questions_from
from core.classroom.store import MAX_QUESTIONS
from core.runs.gallery import OWNER
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.families import path
from core.ui.run.files import import_form
from core.ui.shell import session
from core.ui.shell.changing import change
from core.ui.shell.classes import class_name, whose
from core.ui.shell.safe import literal
from core.ui.shell.widgets import apart, download, errors_shown, file_name
from core.users import APP
from core.wording import counted, shortened

NEW = ""
"""Stands for a plan that is not saved yet, in the place of an id."""
LISTED = 200
SOURCES: dict[Source, str] = {"comparison": "A comparison", "run": "A run", "lesson": "A lesson"}
DELETED = "It is deleted for good. Classes that were opened with it stay."
_CHOSEN, _NEXT = "plan-chosen", "plan-next"


def draw_plans(bench: Workbench) -> Plan | None:
    """Draw the plans of this browser and of the app, and the chosen one; returns it when a class is to be opened with
    it, else None."""
    plans = plan_store(bench.settings.database)
    entries = {stored.id: stored for stored in plans.list(whose(bench))}
    if (wanted := st.session_state.pop(_NEXT, None)) is not None:
        st.session_state[_CHOSEN] = wanted
    if st.session_state.get(_CHOSEN) not in (*entries, NEW):
        st.session_state[_CHOSEN] = next(reversed(entries), NEW)  # one that comes with the app
    titles = apart({key: _title(stored.plan) for key, stored in entries.items()} | {NEW: "A new plan"})
    chosen = st.selectbox(
        "Plan", list(titles), format_func=titles.__getitem__, key=_CHOSEN, persist_state="session"
    )
    stored = entries.get(chosen)
    plan = stored.plan if stored else Plan(name=class_name())

    with st.container(horizontal=True, gap="small", key="plan-actions"):
        icon = ":material/cast_for_education:"
        opens = st.button("Open a class with this plan", key="plan-open", type="primary", icon=icon)
        download("Export", lambda: plan_file(plan), f"{file_name(plan.name, 'plan')}.json", "plan-export")
        own = stored if stored and stored.owner != APP.owner else None
        if own and change(bench, plans, own, "stored-plan", "plan", DELETED):
            st.rerun()
    if plan.notes:
        with st.expander("Notes for the teacher", icon=":material/sticky_note_2:", key="plan-notes"):
            st.markdown("  \n".join(map(literal, plan.notes.splitlines())))
    questions = None
    for place in range(len(plan.questions)):
        questions = _draw_question(plan.questions, place) or questions
    if len(plan.questions) < MAX_QUESTIONS and (question := _draw_add(bench)):
        questions = (*plan.questions, question)
    with errors_shown():
        if questions is not None:
            changed = plan.model_copy(update={"questions": questions})
            _choose(plans.save(session.owner(), changed, chosen))

    def bring_in(name: str, data: bytes) -> None:
        _choose(plans.save(session.owner(), read_plan(name, data)))

    import_form(bench, "a plan", "import-plan", MAX_BYTES // 2**20, bring_in, "json")
    return plan if opens else None


def _choose(stored: StoredPlan) -> None:
    """Have a plan that was saved just now chosen."""
    st.session_state[_NEXT] = stored.id
    st.rerun()


def _title(plan: Plan) -> str:
    minutes = f", {plan.minutes} min" if plan.minutes else ""
    return f"{plan.name or 'Plan'} ({counted(len(plan.questions), 'question')}{minutes})"


def _draw_question(questions: tuple[Question, ...], place: int) -> tuple[Question, ...] | None:
    """Draw a question of the plan in a line, with details that open on a click; returns the questions as a button
    leaves them, None: no button was pressed."""
    question = questions[place]
    left, right = st.columns([4, 1], vertical_alignment="center")
    minutes = f" :gray[{question.minutes} min]" if question.minutes else ""
    left.markdown(f"**{place + 1}.** {literal(question.text, 140)}{minutes}")
    with right.popover("Details", key=f"plan-question-{place}"):
        _draw_details(question)
        before, after = questions[:place], questions[place + 1 :]
        with st.container(horizontal=True, gap="small"):
            if st.button("Up", key=f"plan-up-{place}", icon=":material/arrow_upward:", disabled=not before):
                return (*before[:-1], question, before[-1], *after)
            if st.button("Take out", key=f"plan-out-{place}", icon=":material/close:"):
                return before + after
    return None


def _draw_details(question: Question) -> None:
    for line in question.about.splitlines():
        st.caption(literal(line))
    for option in question.options:
        tick = ":material/check:" if option.right else ":gray[–]"
        st.markdown(f"{tick} **{option.key}** {literal(option.text)}")
    st.markdown(literal(question.after))
    st.caption("  \n".join(map(literal, question.notes.splitlines())))


# Adding


def _draw_add(bench: Workbench) -> Question | None:
    """Draw the ways to more questions; returns the one that was clicked."""
    # Not a popover, for which there is little room at the end of a list.
    fold = st.expander("Add questions", icon=":material/add:", key="plan-add", on_change="rerun")
    if not fold.open:
        return None
    with fold:
        source: Source | None = st.segmented_control(
            "Questions from",
            list(SOURCES),
            format_func=SOURCES.__getitem__,
            default="comparison",
            key="plan-from",
        )
        if source is None:
            return None
        offered = apart(_offered(bench, source))
        target = st.selectbox(
            SOURCES[source],
            list(offered),
            index=None,
            format_func=offered.__getitem__,
            key=f"plan-from-{source}",
            placeholder="Choose one",
        )
        with errors_shown():
            return _draw_found(bench, source, target) if target is not None else None
    return None


def _offered(bench: Workbench, source: Source) -> Mapping[str, str]:
    """Return what questions can be about, by its id: a title. One's own come before the gallery."""
    if source == "lesson":
        return {lesson.key: lesson.title for lesson in path(strategies().values())}
    session.gallery(bench)
    owners = session.owners(bench)
    if source == "comparison":
        compared = bench.comparisons.list(owners, LISTED)
        titled = {one.id: (one.owner, one.title) for one in compared}
    else:
        runs = bench.store.list(RunFilter(owners=owners, states=("finished",)), LISTED)
        titled = {one.id: (one.owner, f"{shortened(one.title, 100)} · {one.strategy}") for one in runs}
    own_first = sorted(titled, key=lambda key: titled[key][0] == OWNER)
    return {key: shortened(titled[key][1], 130) for key in own_first}


def _draw_found(bench: Workbench, source: Source, target: str) -> Question | None:
    """Draw the questions on one thing; returns the one that was clicked."""
    found = session.recall(
        "plan-found",
        (source, target),
        lambda: questions_from(source, target, bench.store, bench.comparisons),
    )
    if not found:
        st.info("Nothing can be guessed of it: it has not ended, or nobody knows what is right.")
    clicked = None
    for name, question in found.items():
        left, right = st.columns([4, 1], vertical_alignment="center")
        if left.button(literal(question.text, 160), key=f"plan-take-{name}", icon=":material/add:"):
            clicked = question
        with right.popover("Details", key=f"plan-look-{name}"):
            _draw_details(question)
    return clicked
