"""The page Class: open a class, show it on the projector, see who asked what; and the way in for students."""

from __future__ import annotations

import streamlit as st

from core.classroom.store import CODE_LENGTH, Classroom, UnknownClass
from core.runs.workbench import Workbench
from core.ui.classroom.overview_view import draw_overview
from core.ui.classroom.plan_form import draw_plans
from core.ui.shell import address, session
from core.ui.shell.assets import drawing
from core.ui.shell.changing import change
from core.ui.shell.classes import (
    ONLY_THE_TEACHER,
    join_address,
    open_class,
    projection,
    store,
    whose,
)
from core.ui.shell.listing import listing
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import errors_shown

VIEWS = {"Projector": ":material/present_to_all:", "Overview": ":material/groups:"}
PHASES = {
    "waiting": "not begun",
    "open": "voting",
    "revealed": "revealed",
    "result": "result",
    "ended": "over",
}
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
    teaches = session.user(bench).teacher
    _join(expanded=not teaches)
    if teaches:
        _opened_before(bench)
        if plan := draw_plans(bench):
            address.show(address.CLASS, open_class(bench, plan.name, plan.questions).id)
            st.rerun()
    else:
        st.caption(literal(ONLY_THE_TEACHER))


def _join(*, expanded: bool) -> None:
    """Draw the way into somebody else's class."""
    with st.expander("Join a class", icon=":material/login:", key="join-class", expanded=expanded):
        typed = st.text_input("Code on the projector", key="class-code", max_chars=12)
        code = "".join(typed.split()).upper()
        if code:
            url = join_address(str(st.context.url or ""), code)
            if len(code) == CODE_LENGTH and code.isalnum() and code.isascii():
                st.link_button(f"Open class {code}", url, icon=":material/arrow_forward:")
            else:
                st.caption(f"A code has {CODE_LENGTH} letters and digits.")


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
    key = f"view-{classroom.id}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="class-actions"):
        view = st.segmented_control(
            "View",
            list(VIEWS),
            default="Projector" if key not in st.session_state else None,
            format_func=lambda name: f"{VIEWS[name]} {name}",
            required=True,
            key=key,
            label_visibility="collapsed",
        )
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
