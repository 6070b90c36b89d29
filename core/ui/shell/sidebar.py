"""The sidebar: which model answers, whether it is ready, and how to use another one."""

from __future__ import annotations

import time
from collections.abc import Sequence

import streamlit as st

from core.models.choice import BUILTIN, ChatChoice
from core.runs.backends import ChatStatus
from core.runs.workbench import Workbench
from core.services.chat import has_adapter
from core.ui.fixes.ticking import ticking, watch_ticks
from core.ui.shell import models, session
from core.ui.shell.another_model import another_model, how_played
from core.ui.shell.keeping import keeping, kept_line
from core.ui.shell.model_check import model_check
from core.ui.shell.safe import literal

STATES = {
    "ready": ("green", ":material/check_circle:", "ready"),
    "starting": ("orange", ":material/hourglass_top:", "starting"),
    "stopped": ("gray", ":material/pause_circle:", "not started"),
    "failed": ("red", ":material/error:", "not working"),
}
RECORDED = ("violet", ":material/album:", "recorded")
RESTART_SECONDS = 3.0
"""For so long after a click, services that have not begun to start count as starting."""
TINY = (
    "A tiny model, so that everything works offline and for free. It shows how a strategy works, not "
    "how well: where it cannot do a task, an honest simpler method does it, and says so."
)


def sidebar(bench: Workbench) -> None:
    """Draw it; the model and the local services are watched while they start."""
    with st.sidebar:
        models.refresh(bench, session.owners(bench))
        if _waits(bench):
            _watched(bench, [])
        else:
            _model(bench)
        _taught(bench)
        how_played(bench)
        keeping(bench)
        another_model(bench)
        model_check(bench, session.chat(bench))
        _teacher(bench)
        session.keep_owner()
        session.keep_told()
        watch_ticks()


def _waits(bench: Workbench) -> bool:
    """Whether what is shown may change by itself."""
    if any(one.state in ("starting", "stopped") for one in _statuses(bench)):
        return True
    if time.monotonic() < st.session_state.get("restarted", -RESTART_SECONDS) + RESTART_SECONDS:
        return True
    return bool(bench.backends.starting())


def _statuses(bench: Workbench) -> list[ChatStatus]:
    """Of what answers; for a recording, also of who answers what it does not know."""
    chat = session.chat(bench)
    new = _answers_new(chat)
    return [bench.backends.chat_status(one) for one in (chat, new) if one]


def _answers_new(chat: ChatChoice) -> ChatChoice | None:
    """Who answers what a recording lacks; None: nobody, or none plays."""
    if chat.play is None or chat.play.keeps:
        return None
    return ChatChoice(model=BUILTIN) if chat.play.missing == "builtin" else chat.asked


def _model(bench: Workbench) -> None:
    chat = session.chat(bench)
    status, *new = _statuses(bench)
    problems = bench.backends.problems()
    colour, icon, word = RECORDED if status.recorded else STATES[status.state]
    with st.container(border=True, gap="small", key="model"):
        st.caption("Model that answers")
        st.markdown(f"**{literal(status.name)}** :{colour}-badge[{icon} {word}]")
        if status.message:
            st.caption(literal(status.message))
        if status.builtin:
            st.caption(TINY)
        if chat.play:
            st.caption(kept_line(bench, chat.play.recording) if chat.play.keeps else _new_line(new))
        for title in bench.backends.starting():
            st.caption(f"The {title} is starting.")
        for problem in problems:
            st.error(literal(problem), icon=":material/error:")
        if problems or any(one.state in ("failed", "stopped") for one in (status, *new)):
            st.button(
                "Start again",
                key="start-again",
                icon=":material/restart_alt:",
                on_click=_restart,
                args=(bench,),
            )


def _new_line(new: Sequence[ChatStatus]) -> str:
    """Who answers what the recording does not know, and whether they are ready."""
    if not new:
        return "What it does not know is not answered: the page says which step is new."
    (status,) = new
    _, icon, word = STATES[status.state]
    said = f"What it does not know, {literal(status.name)} answers ({icon} {word})."
    return f"{said} {literal(status.message)}" if status.state == "failed" else said


def _restart(bench: Workbench) -> None:
    st.session_state["restarted"] = time.monotonic()
    bench.backends.restart(session.chat(bench))


@ticking(1.0)
def _watched(bench: Workbench, drawn: list[bool]) -> None:
    """The model until nothing is awaited any more.

    Args:
        bench: What there is.
        drawn: Empty when it is drawn with the whole page, which is not begun anew then: a click would be lost with it.
    """
    waits = _waits(bench)  # asked first: what ends meanwhile is seen by the next tick
    _model(bench)
    if drawn and not waits:
        st.rerun()
    drawn.append(True)


def _taught(bench: Workbench) -> None:
    """The built-in model's adapter on or off; outside of what is watched, since the whole page depends on it."""
    chat = session.chat(bench)
    fills_in = chat.play is not None and chat.play.missing == "builtin"
    if has_adapter(bench.settings) and (fills_in or session.kind(bench).builtin):
        st.toggle(
            "Use what it was taught",
            value=True,
            key=session.USE_TAUGHT,
            persist_state="session",
            help="The built-in model comes with an adapter, trained for the tasks inside RAG. Methods called “taught” "
            "use it: by default where it was measured to be better, else where you choose them in a strategy's "
            "settings. Off: the model answers as it came.",
        )


def _teacher(bench: Workbench) -> None:
    """A form for the teacher's password, where one is set."""
    if not bench.settings.has_teacher:
        return
    if session.is_teacher(bench):
        st.caption(
            ":material/school: You are signed in as a teacher: you can pin, change and delete what others made."
        )
        return
    with (
        st.expander("Teacher", key="teacher", icon=":material/school:"),
        st.form("teacher-form", border=False, clear_on_submit=True),
    ):
        password = st.text_input("Password", type="password", key="teacher-password")
        if st.form_submit_button("Sign in", key="teacher-sign-in", width="stretch"):
            if session.become_teacher(bench, password):
                st.rerun()
            st.error("This is not the teacher's password.")
