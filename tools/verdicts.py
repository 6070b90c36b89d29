"""Whether the answer of a recorded run is right, as the readers said who judged it."""

from __future__ import annotations

import hashlib
from csv import DictReader
from functools import cache
from pathlib import Path

from core.corpora.entries import Question
from core.evaluation.answers import verdict
from core.runs.record import Record

VERDICTS = Path(__file__).parents[1] / "data" / "recordings" / "pellamar_verdicts.tsv"


@cache
def verdicts() -> dict[tuple[str, str], str]:
    """Question and hash of an answer -> what the reader said."""
    with VERDICTS.open(encoding="utf-8", newline="") as file:
        return {(row["question"], row["answer"]): row["verdict"] for row in DictReader(file, delimiter="\t")}


def right(run: Record, question: Question) -> bool:
    """Return True if a run's answer is right; where nothing is known, a refusal is."""
    if run.answer is None:
        return False
    digest = hashlib.sha256(run.answer.text.strip().encode()).hexdigest()[:16]
    if by_reader := verdicts().get((question.id, digest)):
        return by_reader == "right"
    by_words = verdict(run.answer, question.answers, question.text)
    return by_words == ("right" if question.answers else "refusal")
