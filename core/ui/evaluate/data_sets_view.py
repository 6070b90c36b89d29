"""The content of a data set in numbers and as a table, and the corpora that one can be about."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from core.cards.texts import documents_of, named
from core.corpora.entries import Corpus
from core.evaluation.dataset_lines import DataDocument
from core.evaluation.datasets import DataSet
from core.runs.workbench import Workbench
from core.wording import counted, shortened

FEW_DOCUMENTS = 20
"""With fewer, ten hits are half of everything."""
_TITLE = 60
"""Characters of a text that stand for a missing title."""


def remarks(dataset: DataSet) -> list[str]:
    """Sentences on what limits the use of a data set."""
    unanswered = sum(not one.answers for one in dataset.questions)
    found = [
        f"{counted(count, 'question has', 'questions have')} no gold {gold}: {metrics} metrics leave them out."
        for count, gold, metrics in (
            (dataset.unjudged, "document", "evidence"),
            (unanswered, "answer", "answer"),
        )
        if count
    ]
    few = few_documents(len(dataset.documents))
    return [*found, few] if few else found


def few_documents(documents: int) -> str:
    """A warning that there are few documents; empty: there are enough."""
    if documents >= FEW_DOCUMENTS:
        return ""
    many = "one document" if documents == 1 else f"{documents} documents"
    return f"It has only {many}: every strategy finds the right ones, so they will look alike."


def gold_per_question(dataset: DataSet) -> str:
    """Gold documents per judged question, e.g. `2.5 (2 to 4)`; `none`."""
    gold = [len(one.gold) for one in dataset.questions if one.gold]
    return f"{mean(gold):.1f} ({min(gold)} to {max(gold)})" if gold else "none"


def question_columns(dataset: DataSet, most: int) -> dict[str, Sequence[str]]:
    """Columns of a table of the first questions, at most `most`; raw text, for cells that do not interpret it."""
    titles = {one.id: title_of(one) for one in dataset.documents}
    shown = dataset.questions[:most]
    columns: dict[str, Sequence[str]] = {
        "Question": [one.text for one in shown],
        "Answers": [" | ".join(one.answers) for one in shown],
        "Gold documents": [" | ".join(titles[document] for document in one.gold) for one in shown],
    }
    if any(one.type for one in dataset.questions):
        columns["Kind"] = [one.type for one in shown]
    if any(one.note for one in dataset.questions):
        columns["Note"] = [one.note for one in shown]
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
