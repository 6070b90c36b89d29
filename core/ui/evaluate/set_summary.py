"""The head of a data set: its name, what may be changed, its file, and its content in numbers and as a
table; and the corpora that one can be about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from statistics import mean

import streamlit as st

from core.cards.texts import documents_of, named
from core.corpora.entries import Corpus
from core.evaluation.dataset_catalogue import DataSets
from core.evaluation.dataset_lines import DataDocument
from core.evaluation.datasets import DataSet, files_of, to_zip
from core.evaluation.set_store import DataSetEntry
from core.runs.workbench import Workbench
from core.ui.shell.changing import change
from core.ui.shell.listing import pin_mark
from core.ui.shell.safe import literal
from core.ui.shell.widgets import download, file_name
from core.wording import counted, shortened

DELETED = "Its questions and marks are deleted for good. Evaluations of it keep their results."


def draw_name(name: str, *, pinned: bool) -> None:
    """Draw the name of the data set that is open."""
    st.subheader(f"{pin_mark(pinned=pinned)}{literal(name)}", anchor=False)


def draw_changes(bench: Workbench, sets: DataSets, stored: DataSetEntry) -> bool:
    """Draw the controls that this session may use; returns True if the data set was deleted."""
    return change(bench, sets.store, stored, "data-set", "data set", DELETED)


def export_button(dataset: Callable[[], DataSet], name: str, *, disabled: bool = False) -> None:
    """Draw a download of the data set as an archive, which this page and the command line read."""
    download(
        "Export (ZIP)",
        lambda: to_zip(files_of(dataset())),
        f"{file_name(name, 'data-set')}.zip",
        "data-set-export",
        "corpus.jsonl, queries.jsonl and qrels.tsv: to keep, to import elsewhere, and for "
        "`python -m core evaluate --dataset FOLDER`.",
        disabled=disabled,
    )


def draw_summary(dataset: DataSet) -> None:
    """Draw the content of a data set in numbers."""
    types = Counter(question.type for question in dataset.questions if question.type)
    with st.container(horizontal=True, gap="large"):
        st.metric("Questions", f"{len(dataset.questions):,}", width="content")
        st.metric(
            "Documents of the data set",
            f"{len(dataset.documents):,}",
            width="content",
            help="The documents that its labels name. A data set may count each passage of a longer text as a "
            "document of its own.",
        )
        st.metric(
            "Gold documents per question",
            gold_per_question(dataset),
            width="content",
            help="Mean, smallest and largest number, over the questions that have any.",
        )
    for remark in remarks(dataset):
        st.caption(f":material/info: {remark}")
    if types:
        kinds = ", ".join(f"{literal(kind, 40)} ({count:,})" for kind, count in types.most_common(12))
        st.caption(f"Kinds of question: {kinds}.")


FEW_DOCUMENTS = 20
"""With fewer, ten hits are half of everything."""
_TITLE = 60
"""Characters of a text that stand for a missing title."""


def remarks(dataset: DataSet) -> list[str]:
    """Sentences on what limits the use of a data set."""
    unanswered = sum(not question.answers for question in dataset.questions)
    lacking = ((dataset.unjudged, "document", "search"), (unanswered, "answer", "answer"))
    sentences = [
        f"{counted(count, 'question has', 'questions have')} no gold {gold}: {metrics} metrics leave them out."
        for count, gold, metrics in lacking
        if count
    ]
    few = few_documents(len(dataset.documents))
    return [*sentences, few] if few else sentences


def few_documents(documents: int) -> str:
    """A warning that there are few documents; empty: there are enough."""
    if documents >= FEW_DOCUMENTS:
        return ""
    many = "one document" if documents == 1 else f"{documents} documents"
    return f"It has only {many}: every strategy finds the right ones, so all will look alike."


def gold_per_question(dataset: DataSet) -> str:
    """Gold documents per judged question, e.g. `2.5 (2 to 4)`; `none`."""
    gold = [len(question.gold) for question in dataset.questions if question.gold]
    return f"{mean(gold):.1f} ({min(gold)} to {max(gold)})" if gold else "none"


def question_columns(dataset: DataSet, most: int) -> dict[str, Sequence[str]]:
    """Columns of a table of the first questions, at most `most`; raw text, for cells that do not interpret it."""
    titles = {document.id: title_of(document) for document in dataset.documents}
    questions = dataset.questions[:most]
    columns: dict[str, Sequence[str]] = {
        "Question": [question.text for question in questions],
        "Answers": [" | ".join(question.answers) for question in questions],
        "Gold documents": [" | ".join(map(titles.__getitem__, question.gold)) for question in questions],
    }
    if any(question.type for question in dataset.questions):
        columns["Kind"] = [question.type for question in questions]
    if any(question.note for question in dataset.questions):
        columns["Note"] = [question.note for question in questions]
    return columns


def title_of(document: DataDocument) -> str:
    """Title of a document, or the beginning of its text."""
    text = document.text
    return document.title or shortened(text, _TITLE)


def choosable(bench: Workbench) -> dict[str, Corpus | None]:
    """The corpora with documents, by name; None: it comes with the app and is not indexed yet."""
    offered = bench.corpora.offered()
    return {name: corpus for name, corpus in offered.items() if corpus is None or corpus.documents}


def labelled(name: str, corpus: Corpus | None) -> str:
    """The name of a corpus with the number of documents, as far as that is known."""
    return f"{named(name)} ({documents_of(name, corpus.documents)})" if corpus else named(name)
