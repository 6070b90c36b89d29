"""Labelled data sets: those there are, uploading one, making one."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.errors import InputError
from core.evaluation.dataset_catalogue import RECORDED, SHIPPED, DataSets, Description, data_sets_of
from core.evaluation.set_store import StoredSet
from core.runs.workbench import Workbench
from core.ui.evaluate.data_sets_view import question_columns
from core.ui.evaluate.datasets_add import draw_adding
from core.ui.evaluate.making import draw_making
from core.ui.evaluate.set_summary import draw_changes, draw_name, draw_summary, export_button
from core.ui.shell import address, session
from core.ui.shell.listing import PIN, PINNED, listing, pins
from core.ui.shell.safe import literal

ORIGINS = {"shipped": "comes with the app", "uploaded": "uploaded", "made": "made here"}
LISTED = 500
"""Questions shown of an opened set."""


def show(bench: Workbench) -> None:
    """Draw the section: all data sets, or the one in the address."""
    sets = data_sets_of(bench)
    key = address.shown(address.DATA_SET)
    if key is None:
        _list(sets.described(session.owners(bench)))
        if added := draw_adding(bench, sets):
            _open(added)
        return
    if st.button("All data sets", key="all-data-sets", icon=":material/arrow_back:", type="tertiary"):
        _open(None)
    stored = sets.visible(key, session.owners(bench))
    if stored is None and key not in (RECORDED, *SHIPPED):
        st.warning("The data set in this address is not here, or not any more. Choose another one.")
    elif stored is not None and stored.origin == "made" and stored.owner in session.owners(bench):
        if draw_making(bench, sets, stored):
            _open(None)
    else:
        _opened(bench, sets, key, stored)


def _open(key: str | None) -> None:
    """Put a data set on the page and into its address; None: show all data sets."""
    address.show(address.DATA_SET, key)
    address.show(address.QUESTION, None)
    st.rerun()


def _list(there: Sequence[Description]) -> None:
    place = listing(
        "data-sets",
        {
            PINNED: pins(there),
            "Data set": [one.name for one in there],
            "Questions": [one.questions for one in there],
            "Documents": [one.documents for one in there],
            "Origin": [ORIGINS[one.origin] for one in there],
        },
        alt="All data sets",
        hint="A data set is documents, questions, and which documents hold the evidence (*gold*). "
        "Click one to open it.",
        config={PINNED: PIN},
    )
    if place is not None:
        _open(there[place].key)


def _opened(bench: Workbench, sets: DataSets, key: str, stored: StoredSet | None) -> None:
    """A data set that is not edited here: what is in it."""
    try:
        with st.spinner("Reading the data set…"):
            dataset = sets.open(key)
    except InputError as error:  # somebody else's that is still being made
        draw_name(stored.name if stored else key, pinned=bool(stored and stored.pinned))
        st.info(literal(str(error)), icon=":material/info:")
        return
    draw_name(dataset.name, pinned=bool(stored and stored.pinned))
    with st.container(horizontal=True, gap="small", key="data-set-actions"):
        export_button(lambda: dataset, dataset.name)
        if stored is not None and draw_changes(bench, sets, stored):
            _open(None)
    draw_summary(dataset)
    st.dataframe(
        pd.DataFrame(question_columns(dataset, LISTED)),
        hide_index=True,
        key="data-set-questions",
        alt="Questions of the data set",
    )
    if len(dataset.questions) > LISTED:
        st.caption(f"The first {LISTED} of {len(dataset.questions):,} questions.")
