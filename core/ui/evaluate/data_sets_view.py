"""What a data set holds, in numbers and as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from core.evaluation.datasets import DataDocument, DataSet, LabelledQuestion
from core.wording import counted

FEW_DOCUMENTS = 20
"""With fewer, ten hits are half of everything."""
_TITLE = 60
"""Characters of a text that stand for a missing title."""


@dataclass(frozen=True)
class SetSummary:
    """A data set in numbers."""

    questions: int
    documents: int
    gold: str
    """Gold documents per judged question, e.g. `2.5 (2 to 4)`; `none`."""
    unjudged: int
    """Questions without a gold document."""
    unanswered: int
    """Questions without a gold answer."""
    types: tuple[tuple[str, int], ...]
    """Kind of question -> how many, the commonest first; empty where the set names none."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What limits its use, in sentences."""
        found = []
        if self.unjudged:
            without = counted(self.unjudged, "question has", "questions have")
            found.append(f"{without} no gold document: evidence metrics leave them out.")
        if self.unanswered:
            without = counted(self.unanswered, "question has", "questions have")
            found.append(f"{without} no gold answer: answer metrics leave them out.")
        if few := few_documents(self.documents):
            found.append(few)
        return tuple(found)


def few_documents(documents: int) -> str:
    """What is wrong with so few documents; empty: nothing."""
    if documents >= FEW_DOCUMENTS:
        return ""
    many = "one document" if documents == 1 else f"{documents} documents"
    return f"It has only {many}: every strategy finds the right ones, so they will look alike."


def summary(dataset: DataSet) -> SetSummary:
    """A data set in numbers."""
    gold = [len(one.gold) for one in dataset.questions if one.gold]
    types = Counter(one.type for one in dataset.questions if one.type)
    return SetSummary(
        questions=len(dataset.questions),
        documents=len(dataset.documents),
        gold=f"{mean(gold):.1f} ({min(gold)} to {max(gold)})" if gold else "none",
        unjudged=dataset.unjudged,
        unanswered=sum(not one.answers for one in dataset.questions),
        types=tuple(types.most_common()),
    )


def question_columns(dataset: DataSet, most: int) -> dict[str, Sequence[str]]:
    """Columns of a table of its first questions; raw text, for cells that do not interpret it.

    Args:
        dataset: Whose questions.
        most: How many rows at most.
    """
    titles = {one.id: title_of(one) for one in dataset.documents}
    shown = dataset.questions[:most]
    columns: dict[str, Sequence[str]] = {
        "Question": [one.text for one in shown],
        "Answers": [" | ".join(one.answers) for one in shown],
        "Gold documents": [_gold(one, titles) for one in shown],
    }
    if any(one.type for one in dataset.questions):
        columns["Kind"] = [one.type for one in shown]
    return columns


def title_of(document: DataDocument) -> str:
    """What a document is called, or how it begins."""
    text = document.text
    return document.title or (text if len(text) <= _TITLE else text[: _TITLE - 1].rstrip() + "…")


def _gold(question: LabelledQuestion, titles: Mapping[str, str]) -> str:
    return " | ".join(titles[document] for document in question.gold)
