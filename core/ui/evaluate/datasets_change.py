"""The name of an opened data set, and naming, pinning and deleting it."""

from __future__ import annotations

import streamlit as st

from core.errors import LoupeError
from core.evaluation.library import DataSets
from core.evaluation.set_store import MAX_NAME, StoredSet
from core.runs.workbench import Workbench
from core.ui import session
from core.ui.safe import literal


def draw_name(name: str, *, pinned: bool) -> None:
    """What is open."""
    st.subheader(f"{'📌 ' if pinned else ''}{literal(name)}", anchor=False)


def draw_changes(bench: Workbench, sets: DataSets, stored: StoredSet) -> bool:
    """What this session may change, folded away; whether the data set was deleted."""
    mine, teacher = stored.owner in session.owners(bench), session.is_teacher(bench)
    if not (mine or teacher):
        return False
    with st.popover("Change", icon=":material/edit:", key="data-set-change"):
        _rename(sets, stored)
        if teacher:
            st.button(
                "Unpin" if stored.pinned else "Pin: list it for everybody", key="data-set-pin",
                icon=":material/keep:", on_click=sets.store.pin, args=(stored.id, not stored.pinned),
            )  # fmt: skip
        with st.expander("Delete", icon=":material/delete:"):
            st.markdown("Its questions and marks go for good. Evaluations of it keep what they found.")
            sure = st.button("Delete this data set", key="data-set-delete-sure", type="primary")
    if sure:
        sets.store.delete(stored.id)
    return sure


def _rename(sets: DataSets, stored: StoredSet) -> None:
    with st.form("rename-data-set", border=False):
        name = st.text_input(
            f"Name, at most {MAX_NAME} characters", stored.name, key=f"data-set-name-{stored.id}"
        )
        if st.form_submit_button("Save", key="data-set-rename-save"):
            try:
                sets.store.rename(stored.id, name)
            except LoupeError as error:
                st.error(literal(str(error)), icon=":material/error:")
                return
            st.rerun()
