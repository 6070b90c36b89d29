"""The sidebar below the pages: the model that answers in a line, which opens what can be set about it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from core.cards.texts import named
from core.models.chat_models import ChatModel
from core.models.host import ModelStatus
from core.runs.workbench import Workbench
from core.ui.fixes.ticking import ticking, watch_ticks
from core.ui.shell import models, session
from core.ui.shell.another_model import MODEL_LINE, another_model, how_played, offer_another
from core.ui.shell.capable import how_capable
from core.ui.shell.folding import popover
from core.ui.shell.keeping import keeping, kept_line
from core.ui.shell.safe import literal

STATES = {
    "ready": ("green", ":material/check_circle:", "ready"),
    "starting": ("orange", ":material/hourglass_top:", "starting"),
    "stopped": ("gray", ":material/pause_circle:", "not started"),
    "failed": ("red", ":material/error:", "not working"),
}
RECORDED = ("violet", ":material/album:", "recorded")
KEPT = ("violet", ":material/radio_button_checked:", "its replies are kept")
RESTART_SECONDS = 3.0
"""For so long after a click, services that have not begun to start count as starting."""
TINY = (
    "A tiny model, so that everything works offline and for free. It shows how a strategy works, not "
    "how well: where it cannot do a task, an honest simpler method does it, and says so."
)
MARKS = {"green": "#128a5e", "orange": "#c76a00", "gray": "#7a8794", "red": "#d8453f", "violet": "#8c62cc"}
"""Colour of the mark; seen on the sidebar in both themes (3 to 1)."""
SHORT = 90
"""Characters of a problem that is said without opening anything."""


def sidebar(bench: Workbench) -> None:
    """Draw it; the model and the local services are watched while they start."""
    with st.sidebar:
        models.refresh(bench, session.owners(bench))
        chat = session.chat(bench)
        seen = _seen(bench)
        line = _line(chat, seen)
        if line.open:
            with line, st.container(gap="small", key="model"):
                _model(bench, seen)
                how_capable(bench, chat)
                how_played(bench)
                keeping(bench)
                offer_another(bench)
                _teacher(bench)
        _wrong(bench, seen)
        another_model(bench)
        if _waits(bench, seen):
            _watched(bench, seen, [])
        session.keep_owner()
        session.keep_told()
        session.keep_model()
        watch_ticks()


@dataclass(frozen=True)
class Seen:
    """What the sidebar says of models and services, as they were when it was drawn."""

    statuses: tuple[ModelStatus, ...]
    """Of what answers; for a recording, also of who answers what it does not know."""
    problems: tuple[str, ...]
    """Sentences about local services that failed."""
    starting: tuple[str, ...]
    """Titles of local services."""

    @property
    def failed(self) -> bool:
        """Whether something is to be started again."""
        return bool(self.problems) or any(one.state == "failed" for one in self.statuses)


def _seen(bench: Workbench) -> Seen:
    return Seen(_statuses(bench), tuple(bench.backends.problems()), tuple(bench.backends.starting()))


def _line(chat: ChatModel, seen: Seen) -> PopoverContainer:
    """The model: a mark of its state, its name, and the state in a word."""
    status = seen.statuses[0]
    colour, icon, word = _state(chat, status)
    name = literal(named(status.name.removesuffix(", built in")))
    # By style: what the label holds is read aloud with its marks, so it holds none.
    mark = ".st-key-model-line button [data-testid=stIconMaterial]:not(div[aria-hidden] *)"
    st.html(f"<style>{mark} {{ color: {MARKS[colour]} }}</style>")
    return popover(
        f"{name}, {word}",
        icon=icon,
        key=MODEL_LINE,
        type="tertiary",
        help=f"Model that answers: {literal(named(status.name))}, {word}",
        width="stretch",
        wrap=False,
    )


def _state(chat: ChatModel, status: ModelStatus) -> tuple[str, str, str]:
    """Colour, icon and word."""
    if status.recorded:
        return RECORDED
    if chat.play and chat.play.keeps and status.state == "ready":
        return KEPT
    return STATES[status.state]


def _wrong(bench: Workbench, seen: Seen) -> None:
    """What does not work, shortly, without opening anything."""
    said = [*seen.problems, *(one.message for one in seen.statuses if one.state == "failed")]
    for problem in said:
        first, _, more = problem.partition(". ")
        st.caption(f":red[:material/error:] {literal(f'{first}.' if more else first, SHORT)}")
    if seen.failed:
        _start_again(bench)


def _start_again(bench: Workbench) -> None:
    st.button(
        "Start again",
        key="start-again",
        icon=":material/restart_alt:",
        width="stretch",
        on_click=_restart,
        args=(bench,),
    )


def _waits(bench: Workbench, seen: Seen) -> bool:
    """Whether what is shown may change by itself."""
    if any(one.state in ("starting", "stopped") for one in seen.statuses):
        return True
    if time.monotonic() < st.session_state.get("restarted", -RESTART_SECONDS) + RESTART_SECONDS:
        return True
    return bool(seen.starting)


def _statuses(bench: Workbench) -> tuple[ModelStatus, ...]:
    chat = session.chat(bench)
    new = chat.play.fallback if chat.play and not chat.play.keeps else None
    return tuple(one.status(bench.backends.models) for one in (chat, new) if one)


def _model(bench: Workbench, seen: Seen) -> None:
    chat = session.chat(bench)
    status, *new = seen.statuses
    colour, icon, word = _state(chat, status)
    st.caption("Model that answers")
    st.markdown(f"**{literal(named(status.name))}** :{colour}-badge[{icon} {word}]")
    if status.message:
        st.caption(literal(status.message))
    if status.builtin:
        st.caption(TINY)
    if chat.play:
        st.caption(kept_line(bench, chat.play.recording) if chat.play.keeps else _new_line(new))
    for title in seen.starting:
        st.caption(f"The {title} is starting.")
    for problem in seen.problems:
        st.error(literal(problem), icon=":material/error:")
    if not seen.failed and any(one.state == "stopped" for one in seen.statuses):
        _start_again(bench)


def _new_line(new: Sequence[ModelStatus]) -> str:
    """Who answers what the recording does not know, and whether they are ready."""
    if not new:
        return "What it does not know waits until you say who answers."
    (status,) = new
    _, icon, word = STATES[status.state]
    said = f"What it does not know, {literal(named(status.name))} answers ({icon} {word})."
    return f"{said} {literal(status.message)}" if status.state == "failed" else said


def _restart(bench: Workbench) -> None:
    st.session_state["restarted"] = time.monotonic()
    bench.backends.restart(session.chat(bench))


@ticking(1.0)
def _watched(bench: Workbench, seen: Seen, drawn: list[bool]) -> None:
    """Draws nothing: it has the page drawn anew when what the sidebar says is no longer so.

    Args:
        bench: What there is.
        seen: What it says.
        drawn: Empty when it is drawn with the whole page, which is not begun anew then: a click would be lost with it.
    """
    now = _seen(bench)
    if drawn and (now != seen or not _waits(bench, now)):
        st.rerun()
    drawn.append(True)


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
