"""The questions of a data set that is being made: all of them, and bringing in a list."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.errors import InputError, LoupeError
from core.evaluation.library import DataSets
from core.evaluation.made_questions import MadeQuestion
from core.evaluation.making import Documents, matched
from core.evaluation.question_list import read_question_list
from core.ui.safe import literal
from core.views.marking import state_of

MAX_LIST_MB = 5
_REPORT = "question-list-report"
SHOWN = 20
"""Sentences on documents that were not found."""


def draw_table(questions: Sequence[MadeQuestion], documents: Documents) -> str | None:
    """All questions, folded away; id of the one that was clicked."""
    marks = [documents.present(one.marks) for one in questions]
    states = [state_of(one, own) for one, own in zip(questions, marks, strict=True)]
    complete = sum(state.startswith("✓") for state in states)
    with st.expander(
        f"All questions: {len(questions):,}, complete: {complete:,}", icon=":material/list:", key="making-all"
    ):
        # Cells of a data frame are drawn as text, so nothing needs escaping here.
        table = pd.DataFrame(
            {
                "": range(1, len(questions) + 1),
                "Question": [one.text for one in questions],
                "Answers": [" | ".join(one.answers) for one in questions],
                "Gold documents": [" | ".join(mark.title for mark in own.values()) for own in marks],
                "State": states,
            }
        )
        chosen = st.dataframe(
            table,
            hide_index=True,
            key=f"made-questions-{len(questions)}",
            on_select="rerun",
            selection_mode="single-cell",
            column_config={
                "": st.column_config.Column(width=45),
                "Question": st.column_config.Column(width=330),
            },
            alt="All questions",
        )["selection"]["cells"]
        st.caption("Click a question to go on with it.")
    place = chosen[0][0] if chosen else -1
    if not 0 <= place < len(questions) or st.session_state.get("making-clicked") == questions[place].id:
        return None
    st.session_state["making-clicked"] = questions[place].id
    return questions[place].id


def draw_import(sets: DataSets, data_set: str, documents: Documents) -> None:
    """Bring in a question list, and what was not found in the corpus."""
    with (
        st.popover("Bring in a list (CSV)", icon=":material/upload_file:", key="question-list"),
        st.form("question-list-form", border=False, clear_on_submit=True),
    ):
        st.markdown(
            "A table whose first row names the columns: **question**, and if wanted **answers**, **gold** (titles of "
            "documents) and **type**. Several answers or titles are parted by `|`. Its questions are added to those "
            "that are here."
        )
        file = st.file_uploader(
            "CSV, or a text file with one question a line", type=["csv", "tsv", "txt"], key="question-list-file",
            max_upload_size=MAX_LIST_MB,
        )  # fmt: skip
        if st.form_submit_button("Add these questions", key="question-list-add", type="primary"):
            try:
                if file is None:
                    raise InputError("Choose a file first.")
                _bring_in(sets, data_set, documents, file.name, file.getvalue())
            except LoupeError as error:
                st.error(literal(str(error)), icon=":material/error:")
            else:
                st.rerun()
    if report := st.session_state.pop(_REPORT, None):
        count, unresolved = report
        st.success(f"Added {count:,} question{'' if count == 1 else 's'}.", icon=":material/check:")
        if unresolved:
            st.warning("Some gold documents were not found. Mark them by hand, or correct the list:")
            st.markdown("\n".join(f"- {literal(line, 200)}" for line in unresolved[:SHOWN]))
            if len(unresolved) > SHOWN:
                st.caption(f"And {len(unresolved) - SHOWN:,} more.")


def _bring_in(sets: DataSets, data_set: str, documents: Documents, name: str, data: bytes) -> None:
    if len(data) > MAX_LIST_MB * 2**20:  # the widget's own limit is the browser's word
        raise InputError(f"A question list has at most {MAX_LIST_MB} MB. Cut it into several.")
    found = matched(read_question_list(name, data), documents)
    sets.questions.add(data_set, found.questions)
    st.session_state[_REPORT] = (len(found.questions), found.unresolved)
