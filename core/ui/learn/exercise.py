"""The exercise of a lesson: predict what will happen, then see."""

from __future__ import annotations

import streamlit as st

from core.strategies.exercises import outcome
from core.strategies.lessons import lesson
from core.ui.shell.safe import literal


def draw_exercise(key: str) -> None:
    """Options, a button that is locked until one is chosen, and then what happens; the choice stays in the session.

    A lesson without an exercise draws nothing.
    """
    task = lesson(key).exercise
    if task is None:
        return
    revealed = f"revealed-{key}"
    st.markdown("### Predict, then reveal")
    with st.container(border=True, key="exercise"):
        st.markdown(task.question)
        chosen = st.radio(
            "Your prediction",
            list(task.options),
            format_func=lambda option: task.options[option],
            index=None,
            key=f"predict-{key}",
            label_visibility="collapsed",
            disabled=bool(st.session_state.get(revealed)),
            persist_state="session",
        )
        if not st.session_state.get(revealed):
            locked = chosen is None
            icon = ":material/lock:" if locked else ":material/lock_open:"
            if st.button("Reveal", key="reveal", icon=icon, disabled=locked):
                st.session_state[revealed] = True
                st.rerun()
            return
        happens = outcome(key, task)
        if chosen == happens.right:
            st.success("You predicted it.", icon=":material/check:")
        else:
            st.info(f"It is another one: **{task.options[happens.right]}**", icon=":material/lightbulb:")
        st.markdown(task.explanation)
        if happens.working:
            st.markdown("\n".join(f"- {literal(line)}" for line in happens.working))
            st.caption("Worked out just now by the code that runs use.")
