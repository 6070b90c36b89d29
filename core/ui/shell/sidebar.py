"""The sidebar below the pages: the model that answers in a line, which opens what can be set about it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import streamlit as st
from streamlit.elements.lib.mutable_popover_container import PopoverContainer

from core.cards.texts import named
from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.capability import CAPABILITIES, Capability
from core.models.chat_models import ChatModel
from core.models.endpoint import PROBE_SECONDS
from core.models.host import ModelStatus
from core.models.recordings.items import Recording
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.skills.base import MODEL
from core.skills.model_kind import OWN_FROM, ModelKind
from core.ui.fixes.ticking import ticking, watch_ticks
from core.ui.shell import models, session
from core.ui.shell.another_model import MODEL_LINE, another_model, how_played, offer_another
from core.ui.shell.assets import asset
from core.ui.shell.local_time import DAY, moment
from core.ui.shell.safe import literal
from core.ui.shell.widgets import popover
from core.wording import counted

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


def framed() -> Workbench:
    """The process's workbench; the page has its theme and its sidebar."""
    bench = session.workbench()
    st.html(f"<style>{asset('page.css')}</style>")  # our own text only
    sidebar(bench)
    return bench


CAPABLE_HELP = (
    "Small models fail at some tasks, such as verdicts, tool calls and graph queries. By this choice other methods do "
    "these, for example nearness in meaning, and every step says which one did it. Single tasks are chosen under "
    "“Parameters and methods”, and what is chosen there holds."
)
_CAPABLE = "how-capable"


def how_capable(bench: Workbench, chat: ChatModel) -> None:
    """The choice; nothing where it is known, as it is of the built-in model and of recordings.

    Args:
        bench: What there is.
        chat: Which model is meant.
    """
    if chat.play is not None or chat.is_builtin(bench.settings):
        return
    preset = bench.backends.kind(replace(chat, declared=None)).capability
    now = chat.declared or preset
    st.session_state[_CAPABLE] = now
    st.segmented_control(
        "How capable is it?",
        CAPABILITIES,
        format_func=str.capitalize,
        required=True,
        key=_CAPABLE,
        on_change=_choose_capability,
        args=(bench, preset),
        help=CAPABLE_HELP,
        width="stretch",
    )
    st.caption(f"{_capability_reason(bench, chat, now, preset)} {_own_tasks(now)}")


def _choose_capability(bench: Workbench, preset: Capability) -> None:
    wanted: Capability = st.session_state[_CAPABLE]
    models.choose_capability(session.chosen(bench), None if wanted == preset else wanted)


def _capability_reason(bench: Workbench, chat: ChatModel, now: Capability, preset: Capability) -> str:
    """Whether it was chosen, or what the preset rests on."""
    if now != preset:
        return f"Chosen by you; by its size it would be {preset}."
    size = chat.parameters(bench.backends.models)
    if size is None:
        return "Its size is not known, so it is taken to be capable."
    number = f"{size / 1e9:.1f} billion" if size >= 1e9 else f"{size / 1e6:.0f} million"
    return f"It has {number} parameters."


def _own_tasks(capability: Capability) -> str:
    """How much of all tasks a model of this capability does."""
    own = sum(SKILLS[key].default_method(ModelKind(capability)) == MODEL for key in OWN_FROM)
    if own == len(OWN_FROM):
        return "It does every task by its own judgement."
    return f"It does {own} of {len(OWN_FROM)} tasks by its own judgement; other methods do the rest."


ROOM_BYTES = 64 * 2**10
"""With less room than this a recording counts as full: the next reply with its rankings may not fit."""
KEEP_HELP = (
    "Each reply is kept under what was asked, with the rankings and vectors that went with it. It can be played "
    "later without the model, and handed on as a file: see the page Runs. Keys are never kept."
)


def keeping(bench: Workbench) -> None:
    """The switch; drawn where an endpoint answers, or what a recording lacks."""
    chat = session.chat(bench)
    if chat.play and not chat.play.keeps and not models.may_keep(bench, chat, session.owners(bench)):
        return
    if chat.is_builtin(bench.settings):
        return
    if session.chosen(bench).kind == "recording":
        st.session_state["keep-new"] = bool(chat.play and chat.play.keeps)
        st.toggle(
            "Keep what is new",
            key="keep-new",
            on_change=lambda: models.keep_new(wanted=st.session_state["keep-new"]),
            help=KEEP_HELP,
        )
        return
    if not st.toggle(
        "Keep replies",
        value=False,
        key="keep-replies",
        persist_state="session",
        on_change=models.keep_no_more,
        help=KEEP_HELP,
    ):
        return
    if chat.play is None:
        _name_recording(bench, chat)


def _name_recording(bench: Workbench, chat: ChatModel) -> None:
    with st.form("keep", border=False):
        name = st.text_input(
            "Name of the recording",
            f"Lesson of {moment(datetime.now(UTC), DAY)}",
            key="keep-name",
            help="One of yours with this name is continued, if it is of the same model.",
        )
        if not st.form_submit_button("Keep from now on", key="keep-begin", width="stretch"):
            return
    try:
        with st.spinner("Asking the endpoint for its model…"):
            asked = chat.open(bench.backends.models)
            model = run_blocking(asked, timeout=2 * PROBE_SECONDS).model
        bench.allowances.check_room(session.user(bench))
        found = bench.recordings.to_keep(name, model, session.owner())
    except (LoupeError, TimeoutError) as error:
        st.error(literal(str(error) or "The endpoint did not answer in time. Try again."))
        return
    models.keep_in(session.chosen(bench), found)
    st.rerun()


def kept_line(bench: Workbench, recording: Recording) -> str:
    """Where replies are kept and how much room is left, as Markdown."""
    line = (
        f":material/radio_button_checked: Kept in “{literal(recording.name)}”: "
        f"{counted(recording.replies, 'reply', 'replies')}, "
        f"{room(bench, recording)}. What it holds is played."
    )
    full = recording.bytes + ROOM_BYTES > bench.settings.max_recording_bytes
    return f"{line} **It is full: nothing more is kept.**" if full else line


def room(bench: Workbench, recording: Recording) -> str:
    """How large it is and may be, e.g. “1.2 of 50 MB”."""
    size = (
        f"{recording.bytes / 2**20:.1f}" if recording.bytes >= 2**20 else f"{recording.bytes / 2**10:.0f} kB"
    )
    return f"{size} of {bench.settings.max_recording_mb} MB"
