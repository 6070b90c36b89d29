"""The exercise of a lesson: predict what will happen, then see."""

from __future__ import annotations

import streamlit as st

from core.ui.learn.exercises_view import EXERCISES, outcome
from core.ui.learn.lesson_data import exercise
from core.ui.shell.safe import literal


def draw_exercise(lesson: str) -> None:
    """Options, a button that is locked until one is chosen, and then what happens; the choice stays in the session.

    Args:
        lesson: Its key; one without an exercise draws nothing.
    """
    task = exercise(lesson)
    if task is None or lesson not in EXERCISES:
        return
    revealed = f"revealed-{lesson}"
    st.markdown("##### Predict, then reveal")
    with st.container(border=True, key="exercise"):
        st.markdown(task.question)
        chosen = st.radio(
            "Your prediction",
            list(task.options),
            format_func=lambda key: task.options[key],
            index=None,
            key=f"predict-{lesson}",
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
        happens = outcome(lesson, task.options)
        if chosen == happens.right:
            st.success("You predicted it.", icon=":material/check:")
        else:
            st.info(f"It is another one: **{task.options[happens.right]}**", icon=":material/lightbulb:")
        st.markdown(task.explanation)
        if happens.working:
            st.markdown("\n".join(f"- {literal(line)}" for line in happens.working))
            st.caption("Worked out just now by the code that runs use.")
