"""Plans on the page Class: choose one, change it, add questions to it, save it, and open a class with it.

A plan that is changed is a draft of this session. Each plan has its own, so that looking at another loses nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from string import ascii_uppercase
from typing import Any

import streamlit as st

from core.classroom.plans import MAX_BYTES, Plan, StoredPlan, checked, plan_file, plan_store, read_plan
from core.classroom.questions import MAX_MINUTES, MAX_OPTION, MAX_TEXT, OPTIONS_MOST, Question, Source
from core.classroom.sources import questions_from
from core.owned import MAX_NAME
from core.runs.gallery import OWNER
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.families import path
from core.ui.run.files import import_form
from core.ui.shell import session
from core.ui.shell.changing import change, done
from core.ui.shell.classes import class_name
from core.ui.shell.safe import literal
from core.ui.shell.widgets import download, errors_shown, file_name
from core.users import APP
from core.wording import counted, shortened

NEW = ""
"""Stands for a plan that is not saved yet, in the place of an id."""
LISTED = 200
SOURCES: dict[Source, str] = {
    "comparison": "A comparison",
    "run": "A run",
    "lesson": "A lesson",
    "written": "Write one",
}
DELETED = "It is deleted for good. Classes that were opened with it stay."
_CHOSEN, _NEXT, _DRAFTS, _WRITTEN = "plan-chosen", "plan-next", "plan-drafts", "plan-written"
_NUMBERS = count()


@dataclass
class Draft:
    """A plan as it stands on the page."""

    name: str = ""
    minutes: int = 0
    notes: str = ""
    questions: dict[str, Question] = field(default_factory=dict)
    """In order, by the keys of their widgets."""
    number: int = field(default_factory=lambda: next(_NUMBERS))
    """Ends the keys of its other widgets."""

    def add(self, *questions: Question) -> None:
        """Add questions at the end; also a callback."""
        self.questions |= {f"plan-question-{next(_NUMBERS)}": question for question in questions}

    def move(self, key: str, by: int) -> None:
        """Move a question up or down; a callback."""
        keys = list(self.questions)
        keys.insert(keys.index(key) + by, keys.pop(keys.index(key)))
        self.questions = {key: self.questions[key] for key in keys}

    def plan(self) -> Plan:
        """The plan. Raises InputError: it has no name, or too many questions."""
        values = {"name": self.name, "minutes": self.minutes, "notes": self.notes}
        values["questions"] = tuple(self.questions.values())
        return checked(Plan, values, "The plan cannot be kept like this")


def draw_plans(bench: Workbench) -> Plan | None:
    """Draw the plans of this browser and of the app, and the chosen one; returns it when a class is to be opened with
    it, else None."""
    plans = plan_store(bench.settings.database)
    listed = {stored.id: stored for stored in plans.list(session.owners(bench))}
    if (wanted := st.session_state.pop(_NEXT, None)) is not None:
        st.session_state[_CHOSEN] = wanted
    if st.session_state.get(_CHOSEN) not in (*listed, NEW):
        st.session_state[_CHOSEN] = next(reversed(listed), NEW)  # one that comes with the app
    titles = _apart({key: _title(stored) for key, stored in listed.items()} | {NEW: "A new plan"})
    chosen = st.selectbox(
        "Plan",
        list(titles),
        format_func=titles.__getitem__,
        key=_CHOSEN,
        persist_state="session",
    )
    draft = _draft(chosen, listed.get(chosen))
    actions = st.container(
        horizontal=True, gap="small", key="plan-actions"
    )  # in sight however long the plan is
    _draw_head(draft)
    for place, key in enumerate(list(draft.questions)):
        _draw_question(draft, key, place)
    with st.expander(
        "Add questions", icon=":material/add:", key="plan-add", on_change="rerun"
    ) as adding:  # not a popover, for which there is little room at the end of a list
        if adding.open:
            _draw_add(bench, draft)
    opened = None
    with errors_shown(), actions:
        begin, icon = "Open a class with this plan", ":material/cast_for_education:"
        if st.button(begin, key="plan-open", type="primary", icon=icon):
            draft.name = draft.name.strip() or class_name()
            opened = draft.plan()
        if st.button("Save", key="plan-save", icon=":material/save:"):
            _choose(plans.save(session.owner(), draft.plan(), chosen), chosen)
        if draft.questions and draft.name.strip():
            file = f"{file_name(draft.name, 'plan')}.json"
            download("Export", lambda: plan_file(draft.plan()), file, "plan-export")
        stored = listed.get(chosen)
        if (
            stored
            and stored.owner != APP.owner
            and change(bench, plans, stored, "stored-plan", "plan", DELETED)
        ):
            st.session_state[_DRAFTS].pop(chosen, None)
            st.rerun()

    def bring_in(name: str, data: bytes) -> None:
        _choose(plans.save(session.owner(), read_plan(name, data)))

    import_form(bench, "a plan", "import-plan", MAX_BYTES // 2**20, bring_in, "json")
    return opened


def _draft(chosen: str, stored: StoredPlan | None) -> Draft:
    """Return the draft of a plan; one that was given another name in the menu has it, too."""
    drafts: dict[str, tuple[str, Draft]] = st.session_state.setdefault(_DRAFTS, {})
    name = stored.name if stored else ""
    if chosen not in drafts:
        draft = Draft(name, stored.plan.minutes, stored.plan.notes) if stored else Draft()
        draft.add(*(stored.plan.questions if stored else ()))
        drafts[chosen] = name, draft
    before, draft = drafts[chosen]
    if before != name:
        draft.name, draft.number = name, next(_NUMBERS)
        drafts[chosen] = name, draft
    return draft


def _choose(stored: StoredPlan, saved: str | None = None) -> None:
    """Have a plan that was saved just now chosen; the draft that it was saved from is done with."""
    st.session_state[_DRAFTS].pop(saved, None)
    st.session_state[_NEXT] = stored.id
    st.rerun()


def _title(stored: StoredPlan) -> str:
    minutes = stored.plan.minutes or stored.plan.planned
    size = counted(len(stored.plan.questions), "question") + (f", {minutes} min" if minutes else "")
    return f"{stored.name} ({size})"


def _apart(titles: Mapping[str, str]) -> dict[str, str]:
    """Return titles by their ids, in which the beginning of the id tells those alike apart: the browser sends a title
    back."""
    known = Counter(titles.values())
    return {key: f"{title} · {key[:4]}" if known[title] > 1 else title for key, title in titles.items()}


def _draw_head(draft: Draft) -> None:
    """Draw what a plan has beside its questions."""
    left, right = st.columns([5, 1])
    end = draft.number
    draft.name = left.text_input("Name", draft.name, MAX_NAME, key=f"plan-name-{end}")
    draft.minutes = right.number_input(
        "Minutes in all", 0, MAX_MINUTES, draft.minutes, key=f"plan-minutes-{end}"
    )
    with st.expander("Notes for the teacher", icon=":material/sticky_note_2:", key=f"plan-notes-open-{end}"):
        draft.notes = st.text_area(
            "Notes", draft.notes, height=300, max_chars=MAX_TEXT, key=f"plan-notes-{end}"
        )
    planned = sum(question.minutes for question in draft.questions.values())
    st.caption(f"{counted(len(draft.questions), 'question')}, {planned} min planned for them.")


def _draw_question(draft: Draft, key: str, place: int) -> None:
    """Draw a question of the plan in a line; options, notes and changes open on a click."""
    question, last = draft.questions[key], len(draft.questions) - 1
    left, right = st.columns([4, 1], vertical_alignment="center")
    minutes = f" :gray[{question.minutes} min]" if question.minutes else ""
    left.markdown(f"**{place + 1}.** {literal(question.text, 140)}{minutes}")
    with right.popover("Details", key=f"{key}-open"):
        for line in question.about.splitlines():
            st.caption(literal(line))
        for option in question.options:
            tick = ":material/check:" if option.right else ":gray[–]"
            st.markdown(f"{tick} **{option.key}** {literal(option.text)}")
        st.markdown(literal(question.after))
        own: dict[str, Any] = {
            "minutes": st.number_input("Minutes", 0, MAX_MINUTES, question.minutes, key=f"{key}-minutes"),
            "notes": st.text_area(
                "Notes", question.notes, height=240, max_chars=MAX_TEXT, key=f"{key}-notes"
            ),
        }
        draft.questions[key] = question.model_copy(update=own)
        with st.container(horizontal=True, gap="small"):
            for label, icon, by, off in (("Up", "up", -1, place == 0), ("Down", "down", 1, place == last)):
                move: dict[str, Any] = {"on_click": draft.move, "args": (key, by), "disabled": off}
                st.button(label, key=f"{key}-{icon}", icon=f":material/arrow_{icon}ward:", **move)
            out: dict[str, Any] = {"on_click": draft.questions.pop, "args": (key,)}
            st.button("Take out", key=f"{key}-out", icon=":material/close:", **out)


# Adding


def _draw_add(bench: Workbench, draft: Draft) -> None:
    """Draw the ways to more questions."""
    source: Source | None = st.segmented_control(
        "Questions from",
        list(SOURCES),
        format_func=SOURCES.__getitem__,
        default="comparison",
        key="plan-from",
    )
    if source == "written":
        _draw_writing(draft)
    elif source:
        offered = _apart(_offered(bench, source))
        target = st.selectbox(
            SOURCES[source],
            list(offered),
            index=None,
            format_func=offered.__getitem__,
            key=f"plan-from-{source}",
            placeholder="Choose one",
        )
        if target is not None:
            _draw_found(bench, draft, source, target)


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


def _draw_found(bench: Workbench, draft: Draft, source: Source, target: str) -> None:
    """Draw the questions on one thing; a click adds one."""
    with errors_shown():
        found = session.recall(
            "plan-found",
            (source, target),
            lambda: questions_from(source, target, bench.store, bench.comparisons),
        )
        if not found:
            st.info("Nothing can be guessed of it: it has not ended, or nobody knows what is right.")
        for name, question in found.items():
            options = literal("; ".join(option.text for option in question.options), 400)
            add: dict[str, Any] = {"on_click": draft.add, "args": (question,), "help": options}
            st.button(literal(question.text, 160), key=f"plan-take-{name}", icon=":material/add:", **add)


def _draw_writing(draft: Draft) -> None:
    """Draw the form for a question of one's own; what is typed stays until it was added."""
    number = st.session_state.setdefault(_WRITTEN, 0)
    with st.form(f"plan-write-{number}", border=False):
        typed: dict[str, Any] = {
            name: st.text_area(label, max_chars=MAX_TEXT, height=80, key=f"plan-{name}-{number}")
            for name, label in (("text", "Question"), ("about", "The case, if there is one"))
        }
        options: list[dict[str, Any]] = []
        for letter in ascii_uppercase[:OPTIONS_MOST]:
            left, right = st.columns([4, 1], vertical_alignment="bottom")
            key = f"plan-option-{letter}-{number}"
            option = left.text_input(f"Option {letter}", max_chars=MAX_OPTION, key=key)
            ticked = right.checkbox("Right", key=f"{key}-right")
            if option.strip():
                options.append({"key": ascii_uppercase[len(options)], "text": option, "right": ticked})
        typed["after"] = st.text_area(
            "Said after the reveal", max_chars=MAX_TEXT, height=80, key=f"plan-after-{number}"
        )
        values = typed | {"options": options}
        if st.form_submit_button("Add this question", key=f"plan-write-add-{number}") and done(
            lambda: draft.add(checked(Question, values, "It cannot be asked like this"))
        ):
            st.session_state[_WRITTEN] = number + 1
            st.rerun()
