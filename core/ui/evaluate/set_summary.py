"""What a data set holds, and the data set as a file."""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from core.evaluation.dataset_files import files_of, to_zip
from core.evaluation.datasets import DataSet
from core.ui.evaluate.data_sets_view import summary
from core.ui.shell.downloads import download
from core.ui.shell.safe import literal

_UNFIT = re.compile(r"[^\w]+")
"""What is left out of the name of a file."""


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
    """What was read, in numbers."""
    found = summary(dataset)
    with st.container(horizontal=True, gap="large"):
        st.metric("Questions", f"{found.questions:,}", width="content")
        st.metric("Documents", f"{found.documents:,}", width="content")
        st.metric(
            "Gold documents per question",
            found.gold,
            width="content",
            help="Mean, least and most, over the questions that have any.",
        )
    for remark in found.remarks:
        st.caption(f":material/info: {remark}")
    if found.types:
        kinds = ", ".join(f"{literal(kind, 40)} ({count:,})" for kind, count in found.types[:12])
        st.caption(f"Kinds of question: {kinds}.")
