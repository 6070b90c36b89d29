"""The questions of a data set that is being made: all of them, and bringing in a list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.errors import InputError, LoupeError
from core.evaluation.dataset_catalogue import DataSets
from core.evaluation.made_questions import MadeQuestion
from core.evaluation.making import Documents, matched
from core.evaluation.question_list import read_question_list
from core.ui.evaluate.making_marks import state_of
from core.ui.shell.address import QUESTION, show
from core.ui.shell.listing import listing
from core.ui.shell.safe import literal
from core.wording import counted

MAX_LIST_MB = 5
_REPORT = "question-list-report"
_OPENED, _BROUGHT_IN = "making-opened", "question-lists"
"""How often a question was clicked, and a list brought in, in this session."""
SHOWN = 20
"""Sentences on documents that were not found."""


def draw_table(questions: Sequence[MadeQuestion], documents: Documents) -> str | None:
    """All questions, folded away; id of the one that was clicked."""
    marks = [documents.present(one.marks) for one in questions]
    states = [state_of(one, own) for one, own in zip(questions, marks, strict=True)]
    complete = sum(state.startswith("✓") for state in states)
    # Another table after every click: folded away, and the same row can be clicked again.
    opened = st.session_state.setdefault(_OPENED, 0)
    with st.expander(
        f"All questions: {len(questions):,}, complete: {complete:,}",
        icon=":material/list:",
        key=f"making-all-{opened}",
    ):
        place = listing(
            f"made-questions-{opened}",
            {
                "": range(1, len(questions) + 1),
                "State": states,
                "Question": [one.text for one in questions],
                "Answers": [" | ".join(one.answers) for one in questions],
                "Gold documents": [" | ".join(mark.title for mark in own.values()) for own in marks],
            },
            alt="All questions",
            hint="Click a question to go on with it.",
            config={
                "": st.column_config.Column(width=45),
                "State": st.column_config.Column(width=130),
                "Question": st.column_config.Column(width=330),
            },
        )
    if place is None:
        return None
    st.session_state[_OPENED] = opened + 1
    return questions[place].id


def draw_import(
    sets: DataSets, data_set: str, questions: Sequence[MadeQuestion], documents: Documents
) -> None:
    """Bring in a question list."""
    # Another popover after every list, closed and without its file.
    key = f"question-list-{st.session_state.setdefault(_BROUGHT_IN, 0)}"
    with (
        st.popover("Bring in a list (CSV)", icon=":material/upload_file:", key=key),
        st.form(f"{key}-form", border=False),
    ):
        st.markdown(
            "A table whose first row names the columns: **question**, and if wanted **answers**, **gold** (titles of "
            "documents) and **type**. Several answers or titles are parted by `|`. Its questions are added to those "
            "that are here."
        )
        file = st.file_uploader(
            "CSV, or a text file with one question a line",
            type=["csv", "tsv", "txt"],
            key=f"{key}-file",
            max_upload_size=MAX_LIST_MB,
        )
        if st.form_submit_button("Add these questions", key=f"{key}-add", type="primary"):
            try:
                if file is None:
                    raise InputError("Choose a file first.")
                if file.size > MAX_LIST_MB * 2**20:  # the widget's own limit is the browser's word
                    raise InputError(f"A question list has at most {MAX_LIST_MB} MB. Cut it into several.")
                found, unresolved = matched(read_question_list(file.name, file.getvalue()), documents)
                sets.questions.add(data_set, found)
                for empty in questions:
                    if not (empty.text or empty.answers or empty.marks):
                        sets.questions.remove(data_set, empty.id)
            except LoupeError as error:
                st.error(literal(str(error)), icon=":material/error:")
                return
            st.session_state[_BROUGHT_IN] += 1
            st.session_state[_REPORT] = (data_set, len(found), unresolved)
            show(QUESTION, None)
            st.rerun()


def draw_report(data_set: str) -> None:
    """A report on the imported list, and on documents that were not found in the corpus, until it is put away."""
    report = st.session_state.get(_REPORT)
    if report is None or report[0] != data_set:
        return
    _, count, unresolved = report
    with st.container(border=True, key="question-list-report"):
        st.markdown(f":material/check: Added {counted(count, 'question')}.")
        if unresolved:
            st.markdown(":material/warning: Some gold documents were not found. Mark them by hand:")
            st.markdown("\n".join(f"- {literal(line, 200)}" for line in unresolved[:SHOWN]))
            if len(unresolved) > SHOWN:
                st.caption(f"And {len(unresolved) - SHOWN:,} more.")
        away = partial(st.session_state.pop, _REPORT, None)
        st.button("Put away", key="question-list-away", type="tertiary", on_click=away)
