"""The frame of every page: its style, and the sidebar with the model that answers and all that can be set about it."""

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
from core.skills.base import ModelKind
from core.ui.fixes.ticking import ticking, watch_ticks
from core.ui.shell import login, models, session
from core.ui.shell.another_model import ANOTHER_MODEL, MODEL_LINE, another_model, how_played, offer_another
from core.ui.shell.assets import asset
from core.ui.shell.local_time import DAY, moment
from core.ui.shell.safe import literal
from core.ui.shell.widgets import dialog_open, fill, popover
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
"""Colours of the mark; each has a contrast of at least 3 to 1 on the sidebar in both themes."""
SHORT = 90
"""Characters of a problem that is shown without opening anything."""
CAPABLE_HELP = (
    "Small models fail at some tasks, such as verdicts, tool calls and graph queries. For these, other methods take "
    "over, for example similarity of meaning, and every step names its method. A method picked under “Parameters "
    "and methods” always wins."
)
ROOM_BYTES = 64 * 2**10
"""With less room than this a recording counts as full: the next reply with its rankings may not fit."""
KEEP_HELP = (
    "Every reply is kept with its prompt, rankings and vectors. It can be replayed later without the model, and "
    "exported as a file on the page Runs. API keys are never kept."
)


def framed() -> Workbench:
    """Draw the style and the sidebar of a page, and return the workbench of the process."""
    bench = session.workbench()
    st.html(f"<style>{asset('page.css')}</style>")  # our own text only
    with st.sidebar:
        models.refresh(bench, session.owners(bench))
        chat = session.chat(bench)
        seen = _seen(bench, chat)
        line = _line(chat, seen)
        if line.open:
            with line, st.container(gap="small", key="model"):
                _model(bench, chat, seen)
                _how_capable(bench, chat)
                how_played(bench)
                _keeping(bench, chat)
                offer_another(bench)
                _teacher(bench)
        for problem in seen.failures:  # in short, without opening anything
            first, _, more = problem.partition(". ")
            st.caption(f":red[:material/error:] {literal(f'{first}.' if more else first, SHORT)}")
        if seen.failures:
            _start_again(bench)
        _person(bench)
        if dialog_open(ANOTHER_MODEL):
            another_model(bench)
        if _waits(seen):
            _watch(bench, seen, [])
        session.keep_cookies()
        watch_ticks()
    return bench


@dataclass(frozen=True)
class Seen:
    """The state of models and services that the sidebar shows."""

    statuses: tuple[ModelStatus, ...]
    """Of the model that answers; for a recording, also of the model that answers what it does not know."""
    problems: tuple[str, ...]
    """Sentences about local services that failed."""
    starting: tuple[str, ...]
    """Titles of local services."""

    @property
    def failures(self) -> list[str]:
        """Sentences about all that is to be started again."""
        return [*self.problems, *(status.message for status in self.statuses if status.state == "failed")]


def _seen(bench: Workbench, chat: ChatModel) -> Seen:
    fallback = chat.play.fallback if chat.play and not chat.play.keeps else None
    statuses = tuple(model.status(bench.backends.models) for model in (chat, fallback) if model)
    return Seen(statuses, tuple(bench.backends.problems()), tuple(bench.backends.starting()))


def _line(chat: ChatModel, seen: Seen) -> PopoverContainer:
    """Draw a mark of the model's state, its name, and the state in a word, which open the rest."""
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
    """Return colour, icon and word of a model's state."""
    if status.recorded:
        return RECORDED
    if chat.play and chat.play.keeps and status.state == "ready":
        return KEPT
    return STATES[status.state]


def _start_again(bench: Workbench) -> None:
    st.button(
        "Start again",
        key="start-again",
        icon=":material/restart_alt:",
        width="stretch",
        on_click=_restart,
        args=(bench,),
    )


def _waits(seen: Seen) -> bool:
    """Return True if what is shown may change by itself."""
    restarted = st.session_state.get("restarted", -RESTART_SECONDS)
    return (
        any(status.state in ("starting", "stopped") for status in seen.statuses)
        or time.monotonic() < restarted + RESTART_SECONDS
        or bool(seen.starting)
    )


def _model(bench: Workbench, chat: ChatModel, seen: Seen) -> None:
    status, *new = seen.statuses
    colour, icon, word = _state(chat, status)
    st.caption("Model that answers")
    st.markdown(f"**{literal(named(status.name))}** :{colour}-badge[{icon} {word}]")
    if status.message:
        st.caption(literal(status.message))
    if status.builtin:
        st.caption(TINY)
    if chat.play:
        st.caption(_kept_line(bench, chat.play.recording) if chat.play.keeps else _new_line(new))
    for title in seen.starting:
        st.caption(f"The {title} is starting.")
    for problem in seen.problems:
        st.error(literal(problem), icon=":material/error:")
    if not seen.failures and any(status.state == "stopped" for status in seen.statuses):
        _start_again(bench)


def _new_line(new: Sequence[ModelStatus]) -> str:
    """Return a sentence about the model that answers what the recording does not know, if there is one."""
    if not new:
        return "Anything else waits until you choose a model for it."
    (status,) = new
    _, icon, word = STATES[status.state]
    line = f"Anything else is answered by {literal(named(status.name))} ({icon} {word})."
    return f"{line} {literal(status.message)}" if status.state == "failed" else line


def _restart(bench: Workbench) -> None:
    st.session_state["restarted"] = time.monotonic()
    bench.backends.restart(session.chat(bench))


@ticking(1.0)
def _watch(bench: Workbench, seen: Seen, drawn: list[bool]) -> None:
    """Have the page drawn anew when what the sidebar shows (`seen`) is no longer so; draws nothing.

    `drawn` is empty at first, with the whole page, which is not begun anew then: a click would be lost with it.
    """
    now = _seen(bench, session.chat(bench))
    if drawn and (now != seen or not _waits(now)):
        st.rerun()
    drawn.append(True)


def _teacher(bench: Workbench) -> None:
    """Draw the form for the teacher's password, where one is set."""
    if not bench.settings.has_teacher:
        return
    if session.user(bench).teacher:
        st.caption(
            ":material/school: You are signed in as a teacher: you can pin, change and delete what others made."
        )
        return
    if not bench.settings.teacher_password.get_secret_value():  # teachers sign in by name
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


def _person(bench: Workbench) -> None:
    """Draw who signed in by name and the way out, or the way in, where there is one."""
    if not bench.settings.has_login:
        return
    person = login.session_person()
    if person is None:
        st.button(
            "Sign in",
            key="sign-in",
            icon=":material/login:",
            type="tertiary",
            on_click=login.sign_in,
            help="What you make after signing in is yours in every browser in which you sign in.",
        )
        return
    name = literal(person.name, 60) or "Signed in"
    line = popover(
        name,
        icon=":material/person:",
        key="person",
        type="tertiary",
        help=f"Signed in: {name}",
        width="stretch",
        wrap=False,
    )
    if line.open:
        line.button("Sign out", key="sign-out", icon=":material/logout:", on_click=st.logout)


def _how_capable(bench: Workbench, chat: ChatModel) -> None:
    """Draw the choice of a capability; nothing where it is known, as it is of the built-in model and of recordings."""
    if chat.play is not None or chat.is_builtin(bench.settings):
        return
    preset = bench.backends.kind(replace(chat, declared=None)).capability
    now = chat.declared or preset
    fill("how-capable", now)
    st.segmented_control(
        "How capable is it?",
        CAPABILITIES,
        format_func=str.capitalize,
        required=True,
        key="how-capable",
        on_change=_choose_capability,
        args=(bench, preset),
        help=CAPABLE_HELP,
        width="stretch",
    )
    st.caption(f"{_capability_reason(bench, chat, now, preset)} {_own_tasks(now)}")


def _choose_capability(bench: Workbench, preset: Capability) -> None:
    wanted: Capability = st.session_state["how-capable"]
    models.choose_capability(models.chosen(bench), None if wanted == preset else wanted)


def _capability_reason(bench: Workbench, chat: ChatModel, now: Capability, preset: Capability) -> str:
    """Return a sentence about the reason for a capability: a choice, or the size of the model."""
    if now != preset:
        return f"Chosen by you; by its size it would be {preset}."
    size = chat.parameters(bench.backends.models)
    if size is None:
        return "Its size is not known, so it is taken to be capable."
    number = f"{size / 1e9:.1f} billion" if size >= 1e9 else f"{size / 1e6:.0f} million"
    return f"It has {number} parameters."


def _own_tasks(capability: Capability) -> str:
    """Return a sentence about the share of tasks that a model of this capability does."""
    kind = ModelKind(capability)
    own = sum(skill.default_method(kind) != skill.spare for skill in SKILLS.values())
    if own == len(SKILLS):
        return "It does every task by its own judgement."
    return f"It does {own} of {len(SKILLS)} tasks by its own judgement; other methods do the rest."


def _keeping(bench: Workbench, chat: ChatModel) -> None:
    """Draw the switch that keeps replies, where an endpoint answers, or what a recording lacks."""
    keeps = chat.play is None or chat.play.keeps or models.may_keep(bench, chat, session.owners(bench))
    if not keeps or chat.is_builtin(bench.settings):
        return
    if models.chosen(bench).kind == "recording":
        st.session_state["keep-new"] = bool(chat.play and chat.play.keeps)
        st.toggle(
            "Keep what is new",
            key="keep-new",
            on_change=lambda: models.keep_new(wanted=st.session_state["keep-new"]),
            help=KEEP_HELP,
        )
        return
    wanted = st.toggle(
        "Keep replies",
        value=False,
        key="keep-replies",
        persist_state="session",
        on_change=models.keep_no_more,
        help=KEEP_HELP,
    )
    if wanted and chat.play is None:
        _name_recording(bench, chat)


def _name_recording(bench: Workbench, chat: ChatModel) -> None:
    with st.form("keep", border=False):
        name = st.text_input(
            "Name of the recording",
            f"Lesson of {moment(datetime.now(UTC), DAY)}",
            key="keep-name",
            help="A recording of yours with this name and the same model is continued.",
        )
        if not st.form_submit_button("Keep from now on", key="keep-begin", width="stretch"):
            return
    try:
        with st.spinner(
            f"Asking the endpoint for its model, for {2 * PROBE_SECONDS:.0f} s at most…", show_time=True
        ):
            opening = chat.open(bench.backends.models)
            model = run_blocking(opening, timeout=2 * PROBE_SECONDS).model
        bench.allowances.check_room(session.user(bench))
        recording = bench.recordings.to_keep(name, model, session.owner())
    except (LoupeError, TimeoutError) as error:
        st.error(literal(str(error) or "The endpoint did not answer in time. Try again."))
        return
    models.keep_in(models.chosen(bench), recording)
    st.rerun()


def _kept_line(bench: Workbench, recording: Recording) -> str:
    """Return a line about the recording that keeps replies and its room, as Markdown."""
    line = (
        f":material/radio_button_checked: Kept in “{literal(recording.name)}”: "
        f"{counted(recording.replies, 'reply', 'replies')}, "
        f"{room(bench, recording)}. Replies that it holds are replayed."
    )
    full = recording.bytes + ROOM_BYTES > bench.settings.max_recording_bytes
    return f"{line} **It is full: nothing more is kept.**" if full else line


def room(bench: Workbench, recording: Recording) -> str:
    """Return the size of a recording and its limit, e.g. “1.2 of 50 MB”."""
    size = (
        f"{recording.bytes / 2**20:.1f}" if recording.bytes >= 2**20 else f"{recording.bytes / 2**10:.0f} kB"
    )
    return f"{size} of {bench.settings.max_recording_mb} MB"
