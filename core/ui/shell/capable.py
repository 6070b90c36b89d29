"""The choice beside the model: how capable it is, which decides what it does by its own judgement."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from core.models.capability import CAPABILITIES, Capability
from core.models.chat_models import ChatModel
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.skills.base import MODEL
from core.skills.judgement import OWN_FROM
from core.skills.model_kind import ModelKind
from core.ui.shell import models, session

HELP = (
    "Small models fail at some tasks, such as verdicts, tool calls and graph queries. By this choice other methods do "
    "these, for example nearness in meaning, and every step says which one did it. Single tasks are chosen under "
    "“Parameters and methods”, and what is chosen there holds."
)
_WIDGET = "how-capable"


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
    st.session_state[_WIDGET] = now
    st.segmented_control(
        "How capable is it?",
        CAPABILITIES,
        format_func=str.capitalize,
        required=True,
        key=_WIDGET,
        on_change=_chosen,
        args=(bench, preset),
        help=HELP,
        width="stretch",
    )
    st.caption(f"{_why(bench, chat, now, preset)} {_does(now)}")


def _chosen(bench: Workbench, preset: Capability) -> None:
    wanted: Capability = st.session_state[_WIDGET]
    models.choose_capability(session.chosen(bench), None if wanted == preset else wanted)


def _why(bench: Workbench, chat: ChatModel, now: Capability, preset: Capability) -> str:
    """Whether it was chosen, or what the preset rests on."""
    if now != preset:
        return f"Chosen by you; by its size it would be {preset}."
    size = chat.parameters(bench.backends.models)
    if size is None:
        return "Its size is not known, so it is taken to be capable."
    number = f"{size / 1e9:.1f} billion" if size >= 1e9 else f"{size / 1e6:.0f} million"
    return f"It has {number} parameters."


def _does(capability: Capability) -> str:
    """How much of all tasks a model of this capability does."""
    own = sum(SKILLS[key].default_method(ModelKind(capability)) == MODEL for key in OWN_FROM)
    if own == len(OWN_FROM):
        return "It does every task by its own judgement."
    return f"It does {own} of {len(OWN_FROM)} tasks by its own judgement; other methods do the rest."
