"""Editing an artefact, and running on from there as a run of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from core.cards.kind import ChoiceField, Field, PickField, TextField
from core.cards.kinds import KINDS
from core.models.chat_models import ChatModel
from core.trace.artefacts import AnyArtefact
from core.ui.forms.recorded import answering
from core.ui.shell import address, session
from core.ui.shell.safe import literal
from core.ui.shell.widgets import close_dialog, dialog_open, errors_shown

EDIT = "Edit and run on"
HELP = "Change what was made here; the run goes on from this step, as a run of its own."


def edit_cards(items: Sequence[tuple[str, AnyArtefact]], run: str, key: str) -> None:
    """Below a card: change what it shows and run on; of several artefacts one is chosen.

    `items` are step id and artefact of each; those that no later step reads are left out. `run` is the id of the run;
    empty: nothing may be edited. `key` is unique on the page and stable between redraws.
    """
    editable = [(step, artefact) for step, artefact in items if artefact.channel is not None]
    if not run or not editable:
        return
    if len(editable) == 1:
        ((step, artefact),) = editable
        look = {"icon": ":material/edit:", "type": "tertiary", "help": HELP}
        _offer(artefact, run, step, f"edit-{key}-{artefact.kind}", EDIT, **look)
        return
    with (
        st.expander(EDIT, icon=":material/edit:", key=f"edit-menu-{key}"),
        st.container(horizontal=True, gap="small"),
    ):
        for number, (step, artefact) in enumerate(editable):
            _offer(artefact, run, step, f"edit-{key}-{number}-{artefact.kind}", _label(artefact))


def _offer(artefact: AnyArtefact, run: str, step: str, key: str, label: str, **look: Any) -> None:
    """Draw the button that opens the dialog, and the dialog while it is open."""
    pressed = st.button(label, key=key, **look)
    if pressed and (edit := KINDS[artefact.kind].edit):
        for field in edit.fields(artefact):  # what was changed in a dialog that was dismissed
            st.session_state.pop(field.key, None)
    if dialog_open(f"{run}-{key}", pressed):
        _dialog(artefact, run, step)


def _label(artefact: AnyArtefact) -> str:
    """The words that tell an artefact from the others of its card."""
    kind = KINDS[artefact.kind]
    return literal(kind.edit.label(artefact), 80) if kind.edit and kind.edit.label else kind.title


@st.dialog("Change it and run on", width="large", on_dismiss=close_dialog)
def _dialog(artefact: AnyArtefact, run: str, step: str) -> None:
    kind, waits = KINDS[artefact.kind], session.workbench().store.entry(run).state == "paused"
    st.caption(
        f"{kind.title}: everything before stays as it is and is not paid for again; every later step "
        "runs anew. The run you see is kept."
        + (" The new one does its next step, and stops where this one would." if waits else "")
    )
    started = session.workbench().store.started(run)
    if started is not None and (recording := started.recording):
        then = _then(session.chat(session.workbench()))
        st.caption(
            f":material/album: The recording “{literal(recording)}” ends at what you change: it answers what follows "
            f"only where that was asked before. {then} Who answered is said above the new run."
        )
    if kind.edit is None:
        return
    with errors_shown():
        changed = kind.edit.change(artefact, [_field(field) for field in kind.edit.fields(artefact)])
        # Never locked: what is typed reaches the server only when the field is left, which is with the click.
        if not st.button("Run on from here", key="run-on", type="primary", icon=":material/play_arrow:"):
            return
        if changed == artefact.model_copy(update={"note": changed.note}):
            st.info("Nothing is changed yet, so the run would only be repeated.", icon=":material/info:")
            return
        bench = session.workbench()
        chat = session.chat(bench)
        if started is not None:
            chat = answering(bench, started.strategy, started.corpus, started.graph).chat
        session.check_runs(bench)
        job = bench.launcher.fork(
            run, step, changed, session.owner(), chat, teacher=session.user(bench).teacher
        )
        close_dialog()
        address.show(address.RUN, job.run)
        st.switch_page("pages/playground.py", query_params={address.RUN: job.run})


def _then(chat: ChatModel) -> str:
    """The model that answers the new steps, in a sentence."""
    if chat.play is None:
        return "The model that you chose answers the rest."
    who = {
        "endpoint": "Your endpoint answers the rest.",
        "builtin": "The built-in model answers the rest, as you chose.",
    }
    return who.get(chat.play.missing, "At the first step that is new, the run waits and asks who answers.")


def _field(field: Field) -> Any:
    """The value of a field as it is now."""
    match field:
        # Set in the session, not by default: the browser keeps what it showed in a field that comes back.
        case TextField():
            st.session_state.setdefault(field.key, field.text)
            if field.pixels:
                return st.text_area(field.label, key=field.key, height=field.pixels)
            return st.text_input(field.label, key=field.key)
        case ChoiceField():
            if field.head:
                st.markdown(f"**{literal(field.head)}** {literal(field.text, 400)}")
            st.session_state.setdefault(field.key, field.chosen if field.chosen in field.options else None)
            return st.segmented_control(field.label, field.options, key=field.key)
        case PickField():
            st.session_state.setdefault(field.key, list(field.chosen))
            return st.multiselect(
                field.label,
                list(field.options),
                format_func=lambda one: field.options[one],
                key=field.key,
                help=field.help,
            )
