"""The name of an opened data set, and naming, pinning and deleting it."""

from __future__ import annotations

import streamlit as st

from core.evaluation.dataset_catalogue import DataSets
from core.evaluation.set_store import StoredSet
from core.runs.workbench import Workbench
from core.ui.shell.changing import change
from core.ui.shell.listing import pin_mark
from core.ui.shell.safe import literal

DELETED = "Its questions and marks go for good. Evaluations of it keep what they found."


def draw_name(name: str, *, pinned: bool) -> None:
    """What is open."""
    st.subheader(f"{pin_mark(pinned=pinned)}{literal(name)}", anchor=False)


def draw_changes(bench: Workbench, sets: DataSets, stored: StoredSet) -> bool:
    """What this session may change, folded away; whether the data set was deleted."""
    return change(bench, sets.store, stored, "data-set", "data set", DELETED)
