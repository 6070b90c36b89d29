"""Labelled data sets: their list, the upload of one, the making of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from core.errors import InputError, LoupeError
from core.evaluation.dataset_catalogue import RECORDED, SHIPPED, DataSets, data_sets_of
from core.evaluation.datasets import DataSet, DefectiveDataSet, read_upload
from core.evaluation.set_store import MAX_NAME, DataSetEntry
from core.runs.workbench import Workbench
from core.ui.evaluate.making import draw_making
from core.ui.evaluate.set_summary import (
    choosable,
    draw_changes,
    draw_name,
    draw_summary,
    export_button,
    labelled,
    question_columns,
)
from core.ui.shell import address, session
from core.ui.shell.hand_in import offer_hand_in
from core.ui.shell.listing import PINNED, TALL, listing, pins
from core.ui.shell.progress import watch_demo
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.widgets import choice, errors_shown

ORIGINS = {"shipped": "comes with the app", "uploaded": "uploaded", "made": "made in this app"}
LISTED = 500
"""Questions shown of an opened set."""
UPLOAD, MAKE = "Upload one", "Make one"
_READ = "data-set-read"


def show(bench: Workbench) -> None:
    """Draw the section: all data sets, or the one in the address."""
    sets = data_sets_of(bench)
    key = address.read_param(address.DATA_SET)
    if key is None:
        _list(sets.described(session.owners(bench)))
        _draw_adding(bench, sets)
        return
    scroll_place("data-sets")
    if st.button("All data sets", key="all-data-sets", icon=":material/arrow_back:", type="tertiary"):
        _open(None)
    stored = sets.visible(key, session.owners(bench))
    if stored is None and key not in (RECORDED, *SHIPPED):
        st.warning("There is no data set at this address, or no longer. Choose another one.")
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


def _list(entries: Sequence[DataSetEntry]) -> None:
    place = listing(
        "data-sets",
        {
            "Data set": [entry.name for entry in entries],
            "Questions": [entry.questions for entry in entries],
            "Documents": [entry.documents for entry in entries],
            "Origin": [ORIGINS[entry.origin] for entry in entries],
            PINNED: pins(entries),
        },
        alt="All data sets",
        hint="A data set holds documents, questions, and labels that say which documents hold the evidence (*gold*). "
        "Click one to open it.",
    )
    if place is not None:
        _open(entries[place].id)


def _opened(bench: Workbench, sets: DataSets, key: str, stored: DataSetEntry | None) -> None:
    """Draw the content of a data set that is not edited here."""
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
        if stored is not None:
            offer_hand_in(bench, "dataset", stored.id, stored.owner)
            if draw_changes(bench, sets, stored):
                _open(None)
    draw_summary(dataset)
    st.dataframe(
        pd.DataFrame(question_columns(dataset, LISTED)),
        hide_index=True,
        key="data-set-questions",
        row_height=TALL,
        alt="Questions of the data set",
    )
    if len(dataset.questions) > LISTED:
        st.caption(f"The first {LISTED} of {len(dataset.questions):,} questions.")


def _draw_adding(bench: Workbench, sets: DataSets) -> None:
    """Draw the form; a data set that was added is opened."""
    with st.container(border=True, key="adding"):
        st.markdown("### Add a data set")
        way = choice("How", [UPLOAD, MAKE], "adding-way")
        (_upload if way == UPLOAD else _make)(bench, sets)


def _upload(bench: Workbench, sets: DataSets) -> None:
    most = bench.settings.max_upload_mb
    files = st.file_uploader(
        "A ZIP archive with corpus.jsonl, queries.jsonl and qrels.tsv, or these three files",
        type=["zip", "jsonl", "tsv"],
        accept_multiple_files=True,
        key="data-set-files",
        max_upload_size=most,
    )
    if not files:
        with st.expander("What is in these files?", icon=":material/help:"):
            st.code(
                'corpus.jsonl   {"id": "d1", "title": "Wren", "text": "The wren weighs nine grams."}\n'
                'queries.jsonl  {"id": "q1", "text": "How heavy is a wren?", "answers": ["nine grams"]}\n'
                "qrels.tsv      qid<TAB>docid<TAB>rel      (a line with these names first)\n"
                "               q1<TAB>d1<TAB>1",
                language=None,
                wrap_lines=True,
            )
            st.caption(
                "One document, one question or one judgement a line. A relevance of 1 or more means gold; "
                "`answers` and `type` (the kind of question) may be left out. The names of BEIR (`_id`, `query-id`) "
                "and the four columns of TREC are read as well."
            )
        return
    mark, read = _read([(file.name, file.getvalue()) for file in files], most)
    if isinstance(read, LoupeError):
        _problems(read)
        return
    draw_summary(read)
    if read.remark:
        st.caption(literal(read.remark, 400))
    name = st.text_input("Name", read.name[:MAX_NAME], key=f"data-set-new-name-{mark}")
    if not st.button("Add this data set", key="data-set-add", type="primary", icon=":material/add:"):
        return
    with errors_shown():
        added = sets.store.add(replace(read, name=name), session.owner())
        del st.session_state[_READ]
        _open(added)


def _read(files: Sequence[tuple[str, bytes]], most: int) -> tuple[str, DataSet | LoupeError]:
    """Return a hash of the files, and their data set or the error; both stay while the same files are chosen."""
    mark = session.files_mark(files)

    def read() -> DataSet | LoupeError:
        with st.spinner("Reading…"):
            try:
                return read_upload(files, most)
            except LoupeError as error:
                return error

    return mark, session.recall(_READ, mark, read)


def _problems(error: LoupeError) -> None:
    defective = error if isinstance(error, DefectiveDataSet) else DefectiveDataSet([str(error)])
    count = len(defective.defects) + defective.more
    several = "a defect" if count == 1 else f"{count:,} defects"
    st.error(
        f"Nothing was added: the data set has {several}. Correct the files, and choose them again.",
        icon=":material/error:",
    )
    st.markdown("\n".join(f"- {literal(defect, 400)}" for defect in defective.defects))
    if defective.more:
        st.caption(f"And {defective.more:,} more.")


def _make(bench: Workbench, sets: DataSets) -> None:
    corpora = choosable(bench)
    chosen = st.selectbox(
        "About which documents?",
        list(corpora),
        key="making-corpus",
        format_func=lambda name: labelled(name, corpora.get(name)),
    )
    corpus = session.searchable(bench, corpora, chosen)
    with st.container():  # always there: if the form moved up, what was typed into it would be lost
        if corpus is None:
            watch_demo(bench, chosen)
    with st.form("making", border=False):
        name = st.text_input(
            "Name of the data set", key="making-name", placeholder="e.g. Questions on lecture 3"
        )
        st.caption(
            "You write questions and answers, search the documents, and click those that hold the evidence. Every "
            "step is saved at once."
        )
        begun = st.form_submit_button(
            "Begin", key="making-begin", type="primary", icon=":material/edit_note:", disabled=corpus is None
        )
    if corpus is None or not begun:
        return
    with errors_shown():
        key = sets.store.make(name, corpus, session.owner())
        sets.questions.add(key)
        _open(key)
