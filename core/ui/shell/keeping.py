"""The switch of the sidebar that keeps an endpoint's replies, and where they are kept."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.chat_models import ChatModel
from core.models.endpoint import PROBE_SECONDS
from core.models.recordings.items import Recording
from core.runs.workbench import Workbench
from core.ui.shell import models, session
from core.ui.shell.local_time import DAY, moment
from core.ui.shell.safe import literal
from core.wording import counted

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
    if session.chosen(bench).startswith(models.RECORDING):
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
        _name(bench, chat)


def _name(bench: Workbench, chat: ChatModel) -> None:
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
