"""Ways on where a recording had no reply: the built-in model or the endpoint goes on from there."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.errors import InputError
from core.models.choice import ChatChoice, Missing, Play, model_name
from core.models.recordings.recording import Recording
from core.runs.record import Record
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.ui.playground.form import resume
from core.ui.shell import session

HELP = "Goes on after the last step that was finished; what the recording holds is still played, the rest is marked."


def ended_missing(shown: Record) -> bool:
    """Whether a run failed since a recording lacks a reply."""
    return shown.state == "failed" and any(step.missing for step in shown.steps if step.state == "failed")


def ways_on(bench: Workbench, shown: Record) -> bool:
    """Offer who may do what the recording of a run lacks.

    Returns:
        Whether anybody may: the recording may be gone, or neither model can do it.
    """
    if shown.started is None or not ended_missing(shown):
        return False
    try:
        recording = bench.recordings.find(shown.recording, session.owners(bench))
    except InputError:
        return False  # deleted, or somebody else's: any model may go on without it
    ways = list(_ways(bench, shown, recording))
    for missing, label, chat in ways:
        if st.button(label, key=f"go-on-{missing}", icon=":material/play_arrow:", help=HELP):
            resume(bench, shown.started.run, chat)
            st.rerun()
    return bool(ways)


def _ways(bench: Workbench, shown: Record, recording: Recording) -> list[tuple[Missing, str, ChatChoice]]:
    """Who may do it, what the button says, and what is then chosen."""
    own = session.chat(bench)
    play = Play(recording, pace=own.play.pace if own.play else "fast")
    found: list[tuple[Missing, str, ChatChoice]] = []
    lacking = {one.skill for step in shown.steps if step.state == "failed" for one in step.missing}
    if all(skill in SKILLS and SKILLS[skill].builtin for skill in lacking):
        chat = replace(own, endpoint=None, model="", play=replace(play, missing="builtin"))
        found.append(("builtin", "Go on with the built-in model", chat))
    endpoint = session.endpoint()
    if endpoint is not None or bench.settings.has_own_model:
        asked = ChatChoice(endpoint, as_it_came=own.as_it_came)
        name = model_name(bench.settings, asked)
        keeps = recording.owner == session.owner() and recording.model == name
        label = "Go on with the endpoint" + (", and keep its replies" if keeps else "")
        found.append(("endpoint", label, replace(asked, play=replace(play, missing="endpoint", keeps=keeps))))
    return found
