"""Ways on where a recording had no reply: the run waits at that step, and somebody says who does it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import InputError
from core.models.chat_models import ChatModel, Missing, RecordedModel
from core.models.recordings.covers import Cover
from core.models.recordings.items import KeptRun, Recording
from core.runs.record import Record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.strategies import node_titles, strategies
from core.ui.forms.asked import fill_recorded
from core.ui.forms.covered import CONNECT, TINY, TINY_HELP
from core.ui.forms.recorded import cover_of
from core.ui.forms.recorded_table import ASK_NOW
from core.ui.playground.form import resume
from core.ui.shell import address, models, session
from core.ui.shell.another_model import open_models
from core.ui.shell.safe import literal
from core.wording import listed

HELP = "Goes on after the last step that was finished; what the recording holds is still played, the rest is marked."


def ways_on(bench: Workbench, shown: Record) -> bool:
    """Say where a run waits, or ended, since a recording lacks a reply, and offer who may do it.

    Returns:
        Whether anybody may: the recording may be gone.
    """
    if shown.started is None or not shown.lacking:
        return False
    try:
        recording = bench.recordings.find(shown.recording, session.owners(bench))
    except InputError:
        return False  # deleted, or somebody else's: any model may go on without it
    titles = node_titles(shown.started)
    steps = [step for step in shown.steps if step.missing and step.state != "finished"]
    named = listed(
        [f"“{literal(titles.get(one, one))}”" for one in dict.fromkeys(step.node for step in steps)]
    )
    waits = "waits" if shown.state == "paused" else "ended"
    found = _cover(bench, shown, recording)
    nearest = found and (found.run or found.nearest)
    reasons = " ".join(dict.fromkeys(one.reason for one in shown.lacking))
    with st.container(border=True, key="not-covered-run", gap="small"):
        st.markdown(
            f":material/new_label: **The run {waits} at {named}.** {literal(reasons, 600)} "
            "Everything before it is kept."
        )
        if others := _others(found):
            st.caption(f"Recorded for this question: {literal(others)}.")
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            for missing, label, chat in _ways(bench, shown, recording):
                icon = "science" if missing == "builtin" else "play_arrow"
                hint = TINY_HELP if missing == "builtin" else HELP
                if st.button(label, key=f"go-on-{missing}", icon=f":material/{icon}:", help=hint):
                    models.choose_missing(bench, missing)
                    resume(bench, shown.started.run, chat)
                    st.rerun()
            st.button(CONNECT, key="go-on-connect", icon=":material/swap_horiz:", on_click=open_models)
            if nearest:
                st.button(
                    "Ask as it was recorded",
                    key="go-on-recorded",
                    icon=":material/album:",
                    on_click=_ask_recorded,
                    args=(bench, nearest),
                    help="The same question through the same strategy, with the settings that were recorded.",
                )
    return True


def _ask_recorded(bench: Workbench, run: KeptRun) -> None:
    fill_recorded(bench, run)
    st.session_state[ASK_NOW] = run.question
    address.show(address.RUN, None)


def _cover(bench: Workbench, shown: Record, recording: Recording) -> Cover | None:
    """What the recording holds of the question of a run."""
    if shown.started is None:
        return None
    chat = RecordedModel(recording, "ask")
    return cover_of(bench, RunRequest.of(shown.started, owner=session.owner(), chat=chat))


def _others(found: Cover | None) -> str:
    """Titles of the other strategies through which the question was recorded, where its own was not."""
    if found is None or found.run or found.nearest or not found.strategies:
        return ""
    return listed([one.title for key, one in strategies().items() if key in found.strategies])


def _ways(bench: Workbench, shown: Record, recording: Recording) -> list[tuple[Missing, str, ChatModel]]:
    """Who may do it, what the button says, and what is then chosen."""
    own = session.chat(bench)
    play = RecordedModel(recording, pace=own.play.pace if own.play else "fast", model=session.reached())
    found: list[tuple[Missing, str, ChatModel]] = []
    lacking = {one.skill for one in shown.lacking}
    if all(skill in SKILLS and SKILLS[skill].builtin for skill in lacking):
        found.append(("builtin", TINY, replace(play, missing="builtin")))
    if session.endpoint() is not None or bench.settings.has_own_model:
        keeps = recording.owner == session.owner() and recording.model == play.model.name(bench.settings)
        label = "Go on with the endpoint" + (", and keep its replies" if keeps else "")
        found.append(("endpoint", label, replace(play, missing="endpoint", keeps=keeps)))
    return found
