"""Where a run failed: at which step, from the search to the answer, the gold documents were lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from core.evaluation.answers import answer_scores
from core.evaluation.datasets import LabelledQuestion
from core.runs.record import Record
from core.trace.artefacts import SubAnswer

Stage = Literal[
    "run failed",
    "no gold passage retrieved",
    "retrieved but not given",
    "given but not used",
    "used but wrong",
    "wrong, gold passages not known",
    "unsupported",
    "right",
    "not judged",
]
STAGES: Mapping[Stage, str] = {
    "run failed": "The run ended with an error or was stopped.",
    "no gold passage retrieved": "No gold document is in its evidence: the search failed, or there was none.",
    "retrieved but not given": "A gold document was found, but none was among the passages given to the answer.",
    "given but not used": "The answer was given a gold document, cited none, and is wrong or abstains.",
    "used but wrong": "The answer cites a gold document and is wrong: reading or reasoning failed.",
    "wrong, gold passages not known": "The answer is wrong; the data set does not say where the evidence is.",
    "unsupported": "The answer is right, but the passages it was given do not support it.",
    "right": "The answer is right, and nothing speaks against its support.",
    "not judged": "Gold documents were given, or none are known, and there is no answer that could be judged.",
}
"""What each means, in the order of a run."""


@dataclass(frozen=True)
class Outcome:
    """What became of one question; documents are counted once each."""

    stage: Stage
    gold: int
    """Gold documents that the data set names."""
    retrieved: int
    """Those among them in the run's evidence."""
    given: int
    """Those given to the answer, or to the answer of a sub-question."""
    cited: int
    """Those cited by the answer, or by the answer of a sub-question."""


def outcome(
    record: Record,
    question: LabelledQuestion,
    keys: Mapping[str, str] | None = None,
    supported: bool | None = None,
) -> Outcome:
    """Where a run for a question failed, or that it did not.

    Args:
        record: The run; one that stopped before the answer is judged by its evidence.
        question: What it was asked.
        keys: Id of a document in the corpus -> its id in the data set; others keep theirs. None: all do.
        supported: Whether its evidence supports its answer; None: not judged.
    """
    retrieved, given, cited = (set(question.gold) & found for found in _documents(record, keys or {}))
    stage = _stage(record, question, (bool(retrieved), bool(given), bool(cited)), supported)
    return Outcome(stage, len(question.gold), len(retrieved), len(given), len(cited))


def _stage(
    record: Record, question: LabelledQuestion, found: tuple[bool, bool, bool], supported: bool | None
) -> Stage:
    if record.state in ("failed", "stopped"):
        return "run failed"
    retrieved, given, cited = found
    judged = record.answer is not None and bool(question.answers)
    if record.answer and judged and answer_scores(record.answer, question.answers)["accuracy"]:
        return "unsupported" if supported is False else "right"
    if not question.gold:
        return "wrong, gold passages not known" if judged else "not judged"
    if not retrieved:
        return "no gold passage retrieved"
    if not given:
        return "retrieved but not given"
    if not judged:
        return "not judged"
    return "used but wrong" if cited else "given but not used"


def _documents(record: Record, keys: Mapping[str, str]) -> tuple[set[str], set[str], set[str]]:
    """Documents in the evidence, given to an answer, cited by one."""
    subs = record.find(SubAnswer)
    evidence = record.context.passages if record.context else ()
    read = [one.passage for one in evidence if one.given] + [one for sub in subs for one in sub.passages]
    retrieved = [one.passage for one in evidence] + read
    final = record.answer.citations if record.answer else ()
    chunks = {one.chunk for one in (*final, *(one for sub in subs for one in sub.citations))}
    cited = [one for one in retrieved if one.chunk in chunks]
    retrieved_ids, read_ids, cited_ids = (
        {keys.get(one.document, one.document) for one in passages} for passages in (retrieved, read, cited)
    )
    return retrieved_ids, read_ids, cited_ids
