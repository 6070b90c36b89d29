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
from core.trace.artefacts import Answer, Context, SubAnswer
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
    "wrong from memory": "The strategy searches nothing, and the model's memory is wrong.",
    "no gold passage retrieved": "No gold document was found: the search failed.",
    "retrieved but not given": "A gold document was found, but none was among the passages given to the answer.",
    "lost at refining": "The right answer stood in a sentence of a gold document that refining its passage left out, "
    "and nothing else that the answer was given holds it.",
    "abstained": "It says that it does not know: from memory, or although it was given a gold document (others were "
    "missing, or reading failed), or the data set names no gold document.",
    "given but not used": "The answer was given a gold document, cited none, and is wrong.",
    "used but wrong": "The answer cites a gold document and is wrong: reading or reasoning failed.",
    "wrong, gold passages not known": "The answer is wrong; the data set names no gold document.",
    "unsupported": "The answer is right, but the passages it was given do not support it.",
    "right": "The answer is right, and nothing speaks against its support.",
    "not judged": "No answer can be judged: none was asked for, no right answer is known, or its words do not tell "
    "which option it chooses or if they mean the right answer.",
}
"""Stage -> its meaning, in the order of a run."""


@dataclass(frozen=True)
class PairStage:
    """The stage at which one question through one setting ended; each gold document counts once."""

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
    """The stages that the gold documents of a question reached, and True if the passages given to the answer hold its
    words.

    Support is judged by the lexical method of Self-RAG's IsSup (`core.skills.grade_support`), which asks no model;
    every sentence of the answer must be supported. None: there is no answer or no passage, or the answer is in another
    language than the passages that it cites (all passages, if it cites none), so that they cannot share words.

    Args:
        keys: Id of a document in the corpus -> its id in the data set; other documents keep their id. None: all do.
    """
    subs, context, keys = record.find(SubAnswer), record.context or Context(passages=()), keys or {}
    sources = context.given_passages + [passage for sub in subs for passage in sub.passages]
    retrieved = [hit.passage for hit in context.passages] + sources
    answers: list[Answer | SubAnswer] = [*subs, *([record.answer] if record.answer else [])]
    chunks = {citation.chunk for answer in answers for citation in answer.citations}
    cited = [passage for passage in retrieved if not chunks.isdisjoint(passage.ids)]
    trace = GoldTrace(
        retrieved=gold_among(retrieved, question, keys),
        given=gold_among(sources, question, keys),
        cited=gold_among(cited, question, keys),
        lost=gold_among(_refined_away(sources, question), question, keys),
    )
    if record.answer is None or record.answer.abstained or not sources:
        return trace, None
    text = " ".join(record.answer.sentences) or record.answer.text
    if not same_language(text, {passage.text for passage in cited or sources}):
        return trace, None
    return trace, lexical_verdict(record.answer, sources) == "fully"


def _refined_away(sources: Sequence[Passage], question: LabelledQuestion) -> list[Passage]:
    """Passages of which a strip that holds a right answer was left out, where no text that was given holds one."""
    if not any(passage.left_out for passage in sources):
        return []
    sought = [answer for answer in question.answers if answer.casefold() not in ("yes", "no")]
    if any(is_right(passage.text, sought) for passage in sources):
        return []
    return [passage for passage in sources if any(is_right(strip, sought) for strip in passage.left_out)]


def gold_among(
    passages: Sequence[Passage], question: LabelledQuestion, keys: Mapping[str, str]
) -> tuple[str, ...]:
    """The gold documents of a question among those of passages: their ids in the data set. `keys` are as for
    `gold_trace_of`."""
    ids = (keys.get(document, document) for passage in passages for document in passage.documents)
    return tuple(document for document in dict.fromkeys(ids) if document in question.gold)


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
