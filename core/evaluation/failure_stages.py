"""The stage at which a run failed: where, between search and answer, the gold documents were lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from core.evaluation.answers import is_right, verdict
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.plan import GoldTrace
from core.evaluation.text_language import same_language
from core.runs.record import Record
from core.skills.grade_support import lexical_verdict
from core.trace.artefacts import Answer, SubAnswer
from core.trace.passages import Passage

Stage = Literal[
    "run failed",
    "wrong from memory",
    "no gold passage retrieved",
    "retrieved but not given",
    "lost at refining",
    "abstained",
    "given but not used",
    "used but wrong",
    "wrong, gold passages not known",
    "unsupported",
    "right",
    "not judged",
]
STAGES: Mapping[Stage, str] = {
    "run failed": "The run ended with an error or was stopped.",
    "wrong from memory": "The strategy searches nothing; what the model remembers is wrong.",
    "no gold passage retrieved": "No gold document is in its evidence: the search failed.",
    "retrieved but not given": "A gold document was found, but none was among the passages given to the answer.",
    "lost at refining": "The right answer stood in a sentence of a gold document that was left out when its passage "
    "was refined, and stands in nothing that was given to the answer.",
    "abstained": "It says that it does not know: from memory, or given a gold document (others were missing, or "
    "reading failed), or the data set does not say where the evidence is.",
    "given but not used": "The answer was given a gold document, cited none, and is wrong.",
    "used but wrong": "The answer cites a gold document and is wrong: reading or reasoning failed.",
    "wrong, gold passages not known": "The answer is wrong; the data set does not say where the evidence is.",
    "unsupported": "The answer is right, but the passages it was given do not support it.",
    "right": "The answer is right, and nothing speaks against its support.",
    "not judged": "There is no answer that could be judged: none was asked for, no right one is known, or its words do "
    "not tell which option it chooses, or whether they are the right answer said otherwise.",
}
"""Stage -> its meaning, in the order of a run."""


@dataclass(frozen=True)
class PairStage:
    """Where one question through one setting ended; each gold document counts once."""

    stage: Stage
    gold: int
    """Number of gold documents that the data set names."""
    retrieved: int = 0
    """Number of gold documents in the run's evidence."""
    given: int = 0
    """Number of gold documents given to the answer, or to the answer of a sub-question."""
    cited: int = 0
    """Number of gold documents cited by the answer, or by the answer of a sub-question."""


def stage_of(
    trace: GoldTrace,
    answer: Answer | None,
    question: LabelledQuestion,
    supported: bool | None = None,
    *,
    searches: bool = True,
) -> PairStage:
    """The stage of a run that reached its end.

    Args:
        answer: None: it stopped before the answer, and is judged by its evidence.
        supported: True if its evidence supports its answer; None: not judged.
        searches: False if its strategy looks for no evidence at all.
    """
    stage = _stage(answer, question, trace, supported, searches)
    return PairStage(stage, len(question.gold), len(trace.retrieved), len(trace.given), len(trace.cited))


def gold_trace_of(
    record: Record, question: LabelledQuestion, keys: Mapping[str, str] | None = None
) -> tuple[GoldTrace, bool | None]:
    """How far the gold documents of a question came, and whether the passages given to the answer hold its words.

    Support is judged by the lexical method of Self-RAG's IsSup (`core.skills.grade_support`), which asks no model;
    every sentence of the answer must be supported. None: there is no answer or no passage, or the answer is in another
    language than the passages that it cites (all passages, if it cites none), so that they cannot share words.

    Args:
        keys: Id of a document in the corpus -> its id in the data set; other documents keep their id. None: all do.
    """
    subs = record.find(SubAnswer)
    evidence = record.context.passages if record.context else ()
    read = [one.passage for one in evidence if one.given] + [one for sub in subs for one in sub.passages]
    retrieved = [one.passage for one in evidence] + read
    final = record.answer.citations if record.answer else ()
    chunks = {one.chunk for one in (*final, *(one for sub in subs for one in sub.citations))}
    cited = [one for one in retrieved if not chunks.isdisjoint(one.ids)]
    trace = GoldTrace(
        retrieved=gold_among(retrieved, question, keys or {}),
        given=gold_among(read, question, keys or {}),
        cited=gold_among(cited, question, keys or {}),
        lost=gold_among(_refined_away(read, question), question, keys or {}),
    )
    if record.answer is None or record.answer.abstained or not read:
        return trace, None
    said = " ".join(record.answer.sentences) or record.answer.text
    if not same_language(said, {one.text for one in cited or read}):
        return trace, None
    return trace, lexical_verdict(record.answer, read) == "fully"


def _refined_away(read: Sequence[Passage], question: LabelledQuestion) -> list[Passage]:
    """Passages of which a strip that holds a right answer was left out, where no text that was given holds one."""
    if not any(one.left_out for one in read):
        return []
    sought = [answer for answer in question.answers if answer.casefold() not in ("yes", "no")]
    if any(is_right(one.text, sought) for one in read):
        return []
    return [one for one in read if any(is_right(strip, sought) for strip in one.left_out)]


def gold_among(
    passages: Sequence[Passage], question: LabelledQuestion, keys: Mapping[str, str]
) -> tuple[str, ...]:
    """The gold documents of a question among those of passages: their ids in the data set. `keys` are as for
    `gold_trace_of`."""
    found = dict.fromkeys(keys.get(document, document) for one in passages for document in one.documents)
    return tuple(one for one in found if one in question.gold)


def _stage(
    answer: Answer | None,
    question: LabelledQuestion,
    trace: GoldTrace,
    supported: bool | None,
    searches: bool,
) -> Stage:
    judged = verdict(answer, question.answers, question.text) if answer and question.answers else None
    if judged == "right":
        return "unsupported" if supported is False else "right"
    if judged == "unclear":
        return "not judged"
    if searches and question.gold and not trace.retrieved:
        return "no gold passage retrieved"
    if searches and question.gold and not trace.given:
        return "retrieved but not given"
    if judged is None:
        return "not judged"
    if trace.lost:
        return "lost at refining"
    if judged == "refusal":
        return "abstained"
    if not searches:
        return "wrong from memory"
    if not question.gold:
        return "wrong, gold passages not known"
    return "used but wrong" if trace.cited else "given but not used"
