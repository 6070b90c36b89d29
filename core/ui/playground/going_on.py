"""Which model goes on with a run that waits, or was cut off: the run's own, unless the reader chose another one."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.cards.models import model_described
from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel, ConfiguredModel, RecordedModel
from core.runs.record import Record
from core.runs.workbench import Workbench
from core.trace.events import RunResumed, RunStarted
from core.ui.forms.recorded import Answering, answering
from core.ui.shell import models, session
from core.ui.shell.safe import literal

ELSE = {
    "fail": "",
    "ask": " (else you are asked)",
    "builtin": " (else the built-in model)",
    "endpoint": " (else the endpoint)",
}
"""Who else, where it lacks a reply."""
_CHOSEN = "model-beside-run"


def note_choice(run: str) -> bool:
    """Whether the choice of a model has changed since this run is on the page."""
    now = models.by_hand(), session.endpoint()
    kept = st.session_state.get(_CHOSEN)
    if kept is None or kept[0] != run:
        st.session_state[_CHOSEN] = kept = run, now
    return bool(kept[1] != now)


def who_goes_on(bench: Workbench, record: Record) -> Answering:
    """Which model goes on, and what is to be said of it.

    Raises:
        StoreError: The recordings cannot be read.
    """
    started, who = record.started, record.who
    if started is None or who is None:
        return Answering(session.chat(bench), "")
    page = answering(bench, started.strategy, started.corpus, started.graph).chat
    if note_choice(started.run):
        return Answering(page, f"{_said(bench, page)} goes on, as you chose.")
    if own := _own(bench, who, page):
        return Answering(own, f"{_said(bench, own)} goes on.")
    gone = f"recording “{who.recording}”" if who.recording else who.chat_model
    if not gone:
        return Answering(page, f"{_said(bench, page)} goes on.")
    return Answering(page, f"{literal(gone)} cannot be used here any more: {_said(bench, page)} goes on.")


def _own(bench: Workbench, who: RunStarted | RunResumed, page: ChatModel) -> ChatModel | None:
    """The model of the run; None: it is not here any more, or was typed in by somebody else."""
    endpoint, settings = session.endpoint(), bench.settings
    if who.recording:
        recording = bench.recordings.store.named(who.recording, session.owners(bench))
        if recording is None:
            return None
        missing = who.missing or "fail"
        if missing == "ask":  # what was chosen since then holds
            missing = models.missing(bench, endpoint)
        if page.play and (page.play.recording.id, page.play.missing) == (recording.id, missing):
            return page
        chat = RecordedModel(recording, missing, models.pace(), model=session.reached())
        return replace(chat, keeps=models.may_keep(bench, chat, (session.owner(),)))
    if who.builtin:
        return BUILTIN
    choices = (
        page,
        session.reached(),
        CONFIGURED,
        *(ConfiguredModel(one) for one in settings.chat_models),
    )
    asking = (one for one in choices if not one.play and not one.is_builtin(settings))
    return next((one for one in asking if one.name(settings) in ("", who.chat_model)), None)


def _said(bench: Workbench, chat: ChatModel) -> str:
    """Who answers, as Markdown."""
    if chat.play is None:
        return f"**{literal(chat.status(bench.backends.models).name)}**"
    name = model_described(chat.play.recording.model, recording=chat.play.recording.name)
    return f"**{literal(name)}**{ELSE[chat.play.missing]}"
