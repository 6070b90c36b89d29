"""The head of a data set: its name, what may be changed, its file, and its content in numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import streamlit as st

from core.evaluation.dataset_catalogue import DataSets
from core.evaluation.datasets import DataSet, files_of, to_zip
from core.evaluation.set_store import StoredSet
from core.runs.workbench import Workbench
from core.ui.evaluate.data_sets_view import gold_per_question, remarks
from core.ui.shell.changing import change
from core.ui.shell.listing import pin_mark
from core.ui.shell.safe import literal
from core.ui.shell.widgets import download

DELETED = "Its questions and marks go for good. Evaluations of it keep what they found."
_UNFIT = re.compile(r"[^\w]+")
"""Characters that the name of a file leaves out."""


def draw_name(name: str, *, pinned: bool) -> None:
    """The name of the data set that is open."""
    st.subheader(f"{pin_mark(pinned=pinned)}{literal(name)}", anchor=False)


def draw_changes(bench: Workbench, sets: DataSets, stored: StoredSet) -> bool:
    """The controls that this session may use; whether the data set was deleted."""
    return change(bench, sets.store, stored, "data-set", "data set", DELETED)


def export_button(dataset: Callable[[], DataSet], name: str, *, disabled: bool = False) -> None:
    """The data set as an archive, which this page and the command line read; made when it is asked for."""
    file = _UNFIT.sub("-", name).strip("-") or "data-set"
    download(
        "Export (ZIP)",
        lambda: to_zip(files_of(dataset())),
        f"{file}.zip",
        "data-set-export",
        "corpus.jsonl, queries.jsonl and qrels.tsv: to keep, to bring in elsewhere, and for "
        "`python -m core evaluate --dataset FOLDER`.",
        disabled=disabled,
    )


def draw_summary(dataset: DataSet) -> None:
    """The content of a data set in numbers."""
    types = Counter(one.type for one in dataset.questions if one.type)
    with st.container(horizontal=True, gap="large"):
        st.metric("Questions", f"{len(dataset.questions):,}", width="content")
        st.metric(
            "Documents of the data set",
            f"{len(dataset.documents):,}",
            width="content",
            help="What its labels name. A data set may count each passage of a longer text as a document of its own.",
        )
        st.metric(
            "Gold documents per question",
            gold_per_question(dataset),
            width="content",
            help="Mean, least and most, over the questions that have any.",
        )
    for remark in remarks(dataset):
        st.caption(f":material/info: {remark}")
    if types:
        kinds = ", ".join(f"{literal(kind, 40)} ({count:,})" for kind, count in types.most_common(12))
        st.caption(f"Kinds of question: {kinds}.")
