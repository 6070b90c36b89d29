"""Naming, pinning and deleting a stored data set."""

from __future__ import annotations

import streamlit as st

from core.errors import LoupeError
from core.evaluation.library import DataSets
from core.evaluation.set_store import MAX_NAME, StoredSet
from core.runs.workbench import Workbench
from core.ui import session
from core.ui.safe import literal


def draw_changes(bench: Workbench, sets: DataSets, stored: StoredSet) -> bool:
    """What this session may change; whether the data set was deleted."""
    mine, teacher = stored.owner in session.owners(bench), session.is_teacher(bench)
    if mine or teacher:
        _rename(sets, stored)
    if teacher:
        st.button(
            "Unpin" if stored.pinned else "Pin", key="data-set-pin", icon=":material/keep:",
            on_click=sets.store.pin, args=(stored.id, not stored.pinned),
            help="A pinned data set is listed for everybody.",
        )  # fmt: skip
    return (mine or teacher) and _delete(sets, stored)


def _rename(sets: DataSets, stored: StoredSet) -> None:
    with (
        st.popover("Rename", icon=":material/edit:", key="data-set-rename"),
        st.form("rename-data-set", border=False),
    ):
        name = st.text_input("Name", stored.name, key=f"data-set-name-{stored.id}")
        st.caption(f"At most {MAX_NAME} characters.")
        if st.form_submit_button("Save", key="data-set-rename-save"):
            try:
                sets.store.rename(stored.id, name)
            except LoupeError as error:
                st.error(literal(str(error)), icon=":material/error:")
                return
            st.rerun()


def _delete(sets: DataSets, stored: StoredSet) -> bool:
    with st.popover("Delete", icon=":material/delete:", key="data-set-delete"):
        st.markdown("Deletes its questions and marks for good. Evaluations of it keep what they found.")
        sure = st.button("Delete this data set", key="data-set-delete-sure", type="primary")
    if sure:
        sets.store.delete(stored.id)
    return sure
