"""The page Class: open a class, show it on the projector, see who asked what; and the way in for students."""

from __future__ import annotations

import streamlit as st

from core.classroom.store import Classroom, UnknownClass
from core.runs.workbench import Workbench
from core.ui.classroom.overview_view import draw_overview
from core.ui.classroom.plan_form import draw_plans
from core.ui.shell import address, session
from core.ui.shell.assets import drawing
from core.ui.shell.changing import change
from core.ui.shell.classes import join_address, projection, store, whose
from core.ui.shell.listing import listing
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import choice, errors_shown

VIEWS = {"Projector": ":material/present_to_all: Projector", "Overview": ":material/groups: Overview"}
PHASES = {
    "waiting": "not begun",
    "open": "voting",
    "revealed": "revealed",
    "result": "result",
    "ended": "over",
}
ONLY_THE_TEACHER = (
    "On this server only the teacher opens classes: sign in under “Teacher”, behind the model's name in the "
    "sidebar."
)
DELETED = "Its questions, votes, nicknames and hand-ins are deleted for good. The runs of its members stay."


@errors_shown()
def page() -> None:
    """Draw the class in the address, or the ways into one."""
    bench = framed()
    scroll_place(address.CLASS)
    key = address.read_param(address.CLASS)
    if key is not None:
        try:
            classroom = store(bench).get(key)
        except UnknownClass:
            st.warning("This class was deleted, or its address is wrong.", icon=":material/search_off:")
            address.show(address.CLASS, None)
        else:
            if session.user(bench).may_change(classroom.owner):
                _draw_class(bench, classroom)
                return
            st.warning(
                "Only its teacher opens this class: sign in as the teacher. Students join it with its code.",
                icon=":material/lock:",
            )
            address.show(address.CLASS, None)
    st.header("Class", anchor=False)
    st.markdown("Students join by phone, predict what a strategy will do, then see what it did.")
    st.link_button("Join a class", join_address(str(st.context.url or "")), icon=":material/login:")
    if not session.user(bench).teacher:
        st.caption(ONLY_THE_TEACHER)
        return
    _opened_before(bench)
    if plan := draw_plans(bench):
        opened = store(bench).open(session.owner(), plan.name, plan.questions)
        address.show(address.CLASS, opened.id)
        st.rerun()


def _opened_before(bench: Workbench) -> None:
    """Draw the classes that were opened."""
    classes = store(bench).list(whose(bench))
    if not classes:
        return
    st.markdown("### Opened before")
    place = listing(
        "classes",
        {
            "Class": [one.name for one in classes],
            "Code": [one.code for one in classes],
            "State": [PHASES[one.phase] for one in classes],
            "Opened": [one.created for one in classes],
        },
        alt="Classes that were opened",
        hint="Click one to open it.",
    )
    if place is not None:
        address.show(address.CLASS, classes[place].id)
        st.rerun()


def _draw_class(bench: Workbench, classroom: Classroom) -> None:
    """Draw a class for its teacher."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="class-actions"):
        view = choice("View", VIEWS, f"view-{classroom.id}")
        st.button("All classes", key="all-classes", icon=":material/arrow_back:", on_click=_leave)
        if change(bench, store(bench), classroom, "class", "class", DELETED):
            _leave()
            st.rerun()
    if view == "Projector":
        data = projection(classroom, str(st.context.url or ""))
        drawing("projector")(data=data, key=f"projector-{classroom.id}")
    else:
        draw_overview(bench, classroom)


def _leave() -> None:
    address.show(address.CLASS, None)
