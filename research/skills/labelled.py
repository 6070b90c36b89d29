"""The labelled data: hand-written records for each task, and question sets with gold passages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.evaluation.dataset_lines import DataDocument, LabelledQuestion
from core.evaluation.datasets import DataSet, data_set, read_folder
from core.retrieval.keyword import KeywordIndex
from core.trace.passages import Passage

RAGTASKS = "ragtasks"


@dataclass(frozen=True)
class Source:
    """One data set, with what its questions hold beside their text, and BM25 over its documents."""

    dataset: DataSet
    extra: dict[str, dict[str, Any]]
    """Id of a question -> its line in queries.jsonl, or its record in ragtasks."""
    passages: dict[str, Passage]
    """Id of a document -> all of it as one passage."""
    keywords: KeywordIndex

    def others(self, question: LabelledQuestion, count: int) -> list[Passage]:
        """Documents that share words with a question but hold no evidence for it: the best by BM25."""
        ranked = self.keywords.rank(question.text, count + len(question.gold) + 1)
        return [passage for passage, _ in ranked if passage.document not in question.gold][:count]

    def gold(self, question: LabelledQuestion) -> list[Passage]:
        """Documents that hold the evidence."""
        return [self.passages[document] for document in question.gold]


@cache
def source(folder: Path, name: str) -> Source:
    """A data set below a folder. Blocks.

    Raises:
        InputError: It is not there or cannot be read.
    """
    if name == RAGTASKS:
        records = ragtasks(folder)
        dataset = _of_records(records)
        extra = {record["id"]: record for record in records}
    else:
        dataset = read_folder(folder / name)
        lines = (folder / name / "queries.jsonl").read_text(encoding="utf-8").splitlines()
        extra = {str(line["id"]): line for line in map(json.loads, filter(None, lines))}
    passages = {one.id: as_passage(one) for one in dataset.documents}
    titles = {one.id: one.title for one in dataset.documents}
    return Source(dataset, extra, passages, KeywordIndex(list(passages.values()), titles))


@cache
def ragtasks(folder: Path) -> Sequence[dict[str, Any]]:
    """The hand-written records, in the order of their ids."""
    files = sorted((folder / RAGTASKS).glob("*.jsonl"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return sorted(map(json.loads, lines), key=lambda record: str(record["id"]))


def as_passage(document: DataDocument) -> Passage:
    """A document as one passage."""
    return Passage(
        chunk=document.id,
        document=document.id,
        title=document.title,
        text=document.text,
        position=0,
        start=0,
        end=len(document.text),
    )


def _of_records(records: Sequence[dict[str, Any]]) -> DataSet:
    """Each record's passage as a document, and its question."""
    return data_set(
        RAGTASKS,
        tuple(DataDocument(one["id"], one["title"], one["passage"]) for one in records),
        tuple(
            LabelledQuestion(one["id"], one["question"], one["domain"], (one["answer"],), {one["id"]: 1})
            for one in records
        ),
    )
