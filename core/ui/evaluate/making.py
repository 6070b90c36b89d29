"""Making a data set: one question after another, each kept while it is written; all of them, and the import of a "
"list."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from core.cards.texts import named
from core.corpora.entries import Corpus
from core.errors import InputError
from core.evaluation.dataset_catalogue import DataSets
from core.evaluation.making import Documents, corpus_of_set, documents_of, match_documents, read_question_list
from core.evaluation.set_store import DataSetEntry, MadeQuestion
from core.runs.workbench import Workbench
from core.ui.evaluate.cached_results import BY_DATABASE
from core.ui.evaluate.jobs import draw_noted, note_errors
from core.ui.evaluate.making_marks import draw_marking, search_words, state_of
from core.ui.evaluate.set_summary import choosable, draw_changes, draw_name, export_button, few_documents
from core.ui.fixes.overtaken import LatestWins, keeper, session_snapshot
from core.ui.shell import session
from core.ui.shell.address import QUESTION, read_param, show
from core.ui.shell.hand_in import offer_hand_in
from core.ui.shell.listing import listing
from core.ui.shell.progress import watch_demo
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place, scroll_to
from core.ui.shell.widgets import errors_shown
from core.wording import counted

SAVE_SECONDS = 10
"""The page waits so long for what is still being saved, to show it."""
MAX_LIST_MB = 5
_REPORT = "question-list-report"
_OPENED, _IMPORTED = "making-opened", "question-lists"
"""Keys of the numbers of clicks on a question, and of imported lists, in this session."""
SHOWN = 20
"""Sentences on documents that were not found."""


def draw_making(bench: Workbench, sets: DataSets, entry: DataSetEntry) -> bool:
    """Draw the editor of a data set that this user makes; returns True if it was deleted."""
    draw_name(entry.name, pinned=entry.pinned)
    keeper().wait(SAVE_SECONDS)
    questions = sets.questions.list(entry.id)
    try:
        corpus = corpus_of_set(bench.corpora, entry)
    except InputError as error:
        st.error(literal(str(error)), icon=":material/error:")
        _move(bench, sets, entry, None)
        return draw_changes(bench, sets, entry)
    documents = _documents(bench, corpus.id, corpus.version)
    with st.container(horizontal=True, gap="small", key="data-set-actions"):
        empty = not any(question.text for question in questions)
        export_button(lambda: sets.open(entry.id), entry.name, disabled=empty)
        _draw_import(sets, entry.id, questions, documents)
        with st.popover("Documents", icon=":material/menu_book:", key="making-documents-menu"):
            _move(bench, sets, entry, corpus)
        offer_hand_in(bench, "dataset", entry.id, entry.owner)
        if draw_changes(bench, sets, entry):
            return True
    if few := few_documents(len(documents.ready)):
        st.caption(f":material/info: {few}")
    draw_noted()
    _draw_report(entry.id)
    chosen = _chosen(questions)
    if opened := _draw_table(questions, documents):
        show(QUESTION, opened)
        scroll_to("making-question")
        st.rerun()
    scroll_place("making-question")
    with st.container(border=True, key="making-question"):
        if chosen is None:
            st.button(
                "Write the first question",
                key="making-first",
                type="primary",
                icon=":material/add:",
                on_click=_next,
                args=(sets, entry.id, questions),
            )
        else:
            _editor(bench, sets, entry, corpus, documents, questions, chosen)
    return False


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=BY_DATABASE)
def _documents(bench: Workbench, corpus: str, version: int) -> Documents:
    """The documents of the corpus with this id, read once for each of its versions."""
    return documents_of(bench.corpora.catalogue.documents(corpus))


def _move(bench: Workbench, sets: DataSets, entry: DataSetEntry, corpus: Corpus | None) -> None:
    """Draw the corpus that the documents are taken from, and the choice of another."""
    if corpus is not None:
        st.markdown(
            f"The set is about all **{corpus.documents:,}** documents of **{literal(named(corpus.name))}**, as they "
            "are when it is evaluated or exported: with the marked ones alone, finding them would be too easy. Marks "
            "stay with a document when it is cut into other chunks, or added again under its name."
        )
    corpora = {name: other for name, other in choosable(bench).items() if other is None or other != corpus}
    name = st.selectbox(
        "Take the documents from another corpus",
        list(corpora),
        index=None,
        key="making-other",
        placeholder="Choose a corpus",
    )
    if name is None:
        return
    target = session.searchable(bench, corpora, name)
    if target is None:
        watch_demo(bench, name)
    if st.button("Take these", key="making-move-go", disabled=target is None) and target is not None:
        sets.store.move(entry.id, target)
        st.rerun()


def _chosen(questions: Sequence[MadeQuestion]) -> MadeQuestion | None:
    """Return the question in the address, else the first that lacks something, else the last one."""
    opened = [question for question in questions if question.id == read_param(QUESTION)]
    incomplete = [
        question for question in questions if not (question.text and question.answers and question.marks)
    ]
    return next(iter([*opened, *incomplete, *questions[-1:]]), None)


def _editor(
    bench: Workbench,
    sets: DataSets,
    entry: DataSetEntry,
    corpus: Corpus,
    documents: Documents,
    questions: Sequence[MadeQuestion],
    question: MadeQuestion,
) -> None:
    place, last = questions.index(question), len(questions) - 1
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        # Bold, not a heading, whose link would be one more stop for the Tab key.
        state = state_of(question, documents.present(question.marks))
        st.markdown(f"**Question {place + 1} of {len(questions)}** :gray[{state}]", width="content")
        for label, key, icon, target in (
            ("Previous", "back", "arrow_back", place - 1),
            ("Next", "on", "arrow_forward", place + 1),
        ):
            exists = 0 <= target <= last
            st.button(
                label,
                key=f"making-{key}",
                icon=f":material/{icon}:",
                type="tertiary",
                disabled=not exists,
                on_click=show,
                args=(QUESTION, questions[target if exists else place].id),
            )
        with st.popover("Delete", icon=":material/delete:", type="tertiary", key="making-delete"):
            st.button(
                "Delete this question",
                key="making-delete-sure",
                type="primary",
                on_click=_remove,
                args=(sets, entry.id, questions, place),
            )
    keys = {field: f"made-{field}-{question.id}" for field in ("text", "answers", "type")}
    for field, value in zip(keys, (question.text, "\n".join(question.answers), question.type), strict=True):
        st.session_state.setdefault(keys[field], value)
    # No help behind a question mark: it would be one more stop for the Tab key.
    saving: dict[str, Any] = {"on_change": _write, "args": (keeper(), sets, entry.id, question.id)}
    left, right = st.columns([3, 2])
    left.text_area("Question", key=keys["text"], height=80, **saving)
    right.text_area(
        "Correct answers, one per line",
        key=keys["answers"],
        height=80,
        **saving,
        placeholder="Short; any one counts,\ne.g. 1969 and in 1969",
    )
    left, right = st.columns([3, 2])
    with left:
        words = search_words(question)
    right.text_input(
        "Kind (optional)", key=keys["type"], placeholder="e.g. two steps: results are shown by kind", **saving
    )
    draw_marking(bench, sets, entry.id, corpus, question, documents, words)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button(
            "New question",
            key="making-next",
            type="primary",
            icon=":material/add:",
            on_click=_next,
            args=(sets, entry.id, questions),
            disabled=not question.text,
        )
        st.caption(":material/check: Everything above is saved.")


def _next(sets: DataSets, data_set: str, questions: Sequence[MadeQuestion]) -> None:
    """Open a question that is still to be written."""
    empty = next((question.id for question in questions if not question.text and not question.marks), None)
    with note_errors():
        show(QUESTION, empty or sets.questions.add(data_set)[0])
        scroll_to("making-question")


def _remove(sets: DataSets, data_set: str, questions: Sequence[MadeQuestion], place: int) -> None:
    with note_errors():
        sets.questions.remove(data_set, questions[place].id)
        show(QUESTION, questions[place - 1 if place else 1].id if len(questions) > 1 else None)


def _write(order: LatestWins, sets: DataSets, data_set: str, question: str) -> None:
    """Save the texts in the fields of a question."""
    with order.callback(), note_errors():
        at, values = time.monotonic(), session_snapshot()
        text, answers, kind = (values[f"made-{field}-{question}"] for field in ("text", "answers", "type"))
        order.keep(
            question, at, lambda: sets.questions.write(data_set, question, text, answers.splitlines(), kind)
        )


def _draw_table(questions: Sequence[MadeQuestion], documents: Documents) -> str | None:
    """Draw a table of all questions, folded away; returns the id of the one that was clicked."""
    marks = [documents.present(question.marks) for question in questions]
    states = [state_of(question, marked) for question, marked in zip(questions, marks, strict=True)]
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
                "Question": [question.text for question in questions],
                "Answers": [" | ".join(question.answers) for question in questions],
                "Gold documents": [" | ".join(mark.title for mark in marked.values()) for marked in marks],
            },
            alt="All questions",
            hint="Click a question to go on with it.",
            config={"": 45, "State": 130, "Question": 330},
            tall=True,
        )
    if place is None:
        return None
    st.session_state[_OPENED] = opened + 1
    return questions[place].id


def _draw_import(
    sets: DataSets, data_set: str, questions: Sequence[MadeQuestion], documents: Documents
) -> None:
    """Import a question list."""
    # Another popover after every list, closed and without its file.
    key = f"question-list-{st.session_state.setdefault(_IMPORTED, 0)}"
    with (
        st.popover("Import a list (CSV)", icon=":material/upload_file:", key=key),
        st.form(f"{key}-form", border=False),
    ):
        st.markdown(
            "A table whose first row names the columns: **question**, and if wanted **answers**, **gold** (titles of "
            "documents) and **type**. A `|` stands between several answers or titles. Its questions are added to the "
            "present ones."
        )
        file = st.file_uploader(
            "CSV, or a text file with one question a line",
            type=["csv", "tsv", "txt"],
            key=f"{key}-file",
            max_upload_size=MAX_LIST_MB,
        )
        if st.form_submit_button("Add these questions", key=f"{key}-add", type="primary"):
            with errors_shown():
                if file is None:
                    raise InputError("Choose a file first.")
                if file.size > MAX_LIST_MB * 2**20:  # the widget's own limit is the browser's word
                    raise InputError(f"A question list has at most {MAX_LIST_MB} MB. Cut it into several.")
                added, unresolved = match_documents(read_question_list(file.name, file.getvalue()), documents)
                sets.questions.add(data_set, added)
                for empty in questions:
                    if not (empty.text or empty.answers or empty.marks):
                        sets.questions.remove(data_set, empty.id)
                st.session_state[_IMPORTED] += 1
                st.session_state[_REPORT] = (data_set, len(added), unresolved)
                show(QUESTION, None)
                st.rerun()


def _draw_report(data_set: str) -> None:
    """Draw a report on the imported list, and on documents that were not found in the corpus, until it is dismissed."""
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
