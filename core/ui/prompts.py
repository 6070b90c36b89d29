"""The prompts of a strategy: read them, change them for this session, take them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.errors import InputError
from core.skills import SKILLS
from core.skills.base import Method, Skill, builtin_prompt, check_prompt, prompt_key
from core.strategies.base import Strategy
from core.ui import dialogs
from core.ui.safe import literal

EDITED = "edited-prompts"
"""Key of this session's own texts: prompt key -> text."""


def prompts_in_use(strategy: Strategy[Any], methods: Mapping[str, str]) -> list[tuple[Skill, Method]]:
    """The skills and methods in force that have a prompt."""
    chosen = [(SKILLS[key], SKILLS[key].method(methods[key])) for key in strategy.skills]
    return [(skill, method) for skill, method in chosen if method.slots]


def edited_prompts(strategy: Strategy[Any], methods: Mapping[str, str]) -> dict[str, str]:
    """This session's own texts among the prompts in force."""
    mine: dict[str, str] = st.session_state.get(EDITED, {})
    keys = (prompt_key(skill.key, method.key) for skill, method in prompts_in_use(strategy, methods))
    return {key: mine[key] for key in keys if key in mine}


def prompts_button(strategy: Strategy[Any], methods: Mapping[str, str]) -> None:
    """Opens the prompts; says how many are not the app's own."""
    if not prompts_in_use(strategy, methods):
        return
    changed = len(edited_prompts(strategy, methods))
    label = "Prompts" if not changed else f"Prompts, {changed} changed"
    asked = st.button(label, key="prompts", icon=":material/edit_note:")
    if dialogs.is_open(f"prompts-{strategy.key}", asked):
        _dialog(strategy, methods)


@st.dialog("Prompts of this strategy", width="large", on_dismiss=dialogs.closed)
def _dialog(strategy: Strategy[Any], methods: Mapping[str, str]) -> None:
    st.caption(
        "What the model is asked, word for word. Your changes hold in this browser session, and each run records the "
        "text it used. A word in braces is filled in when the prompt is used."
    )
    for skill, method in prompts_in_use(strategy, methods):
        _one(skill, method)


def _one(skill: Skill, method: Method) -> None:
    key = prompt_key(skill.key, method.key)
    mine: dict[str, str] = st.session_state.setdefault(EDITED, {})
    own = builtin_prompt(key)
    st.markdown(f"**{literal(skill.title)}** :gray[:small[{literal(method.title)}]]")
    text = st.text_area(
        f"Prompt of {skill.title}",
        mine.get(key, own),
        key=f"prompt-{key}",
        height=220,
        label_visibility="collapsed",
    )
    st.caption("Needs " + ", ".join(f"`{{{slot}}}`" for slot in method.slots) + ".")
    with st.container(horizontal=True, gap="small"):
        if st.button(
            "Use this text", key=f"prompt-use-{key}", type="primary", disabled=text == mine.get(key, own)
        ):
            try:
                check_prompt(key, text)
            except InputError as error:
                st.error(literal(str(error)))
            else:
                mine[key] = text
                if text.strip() == own:
                    del mine[key]
                dialogs.closed()
                st.rerun()
        if key in mine and st.button("Back to the app's own", key=f"prompt-reset-{key}"):
            del mine[key]
            del st.session_state[f"prompt-{key}"]
            dialogs.closed()
            st.rerun()
