"""The prompts in force: read them, change them for this session, take them back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from core.errors import InputError
from core.skills import check_prompt
from core.skills.base import Method, Skill, builtin_prompt, prompt_key
from core.ui.shell.safe import literal
from core.ui.shell.widgets import close_dialog, dialog_open

EDITED = "edited-prompts"
"""Key of this session's own texts: prompt key -> text."""


Prompted = Sequence[tuple[Skill, Method]]
"""Skills with the methods in force."""


def prompts_in_use(skills: Iterable[Skill], methods: Mapping[str, str]) -> Prompted:
    """The skills and methods in force that have a prompt."""
    chosen = [(skill, skill.method(methods[skill.key])) for skill in skills]
    return [(skill, method) for skill, method in chosen if method.slots]


def edited_prompts(used: Prompted) -> dict[str, str]:
    """This session's own texts among the prompts in force."""
    mine: dict[str, str] = st.session_state.get(EDITED, {})
    keys = (prompt_key(skill.key, method.key) for skill, method in used)
    return {key: mine[key] for key in keys if key in mine}


def prompts_button(used: Prompted, name: str) -> None:
    """Opens the prompts; says how many are not the app's own. `name` tells it from other such buttons."""
    if not used:
        return
    asked = st.button(_label(used), key="prompts", icon=":material/edit_note:")
    if dialog_open(f"prompts-{name}", asked):
        _dialog(used)


def prompts_fold(used: Prompted) -> None:
    """The prompts, folded: for a form in a popover, which a dialog would lie below."""
    with st.expander(_label(used), icon=":material/edit_note:"):
        for skill, method in used:
            _one(skill, method)


def _label(used: Prompted) -> str:
    changed = len(edited_prompts(used))
    return "Prompts" if not changed else f"Prompts, {changed} changed"


@st.dialog("Prompts", width="large", on_dismiss=close_dialog)
def _dialog(used: Prompted) -> None:
    st.caption(
        "What the model is asked, word for word. Your changes hold in this browser session, and each run records the "
        "text it used. A word in braces is filled in when the prompt is used."
    )
    for skill, method in used:
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
                close_dialog()
                st.rerun()
        if key in mine and st.button("Back to the app's own", key=f"prompt-reset-{key}"):
            del mine[key]
            del st.session_state[f"prompt-{key}"]
            close_dialog()
            st.rerun()
