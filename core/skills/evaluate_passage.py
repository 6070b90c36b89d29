"""Does a passage hold the answer, and which of its strips are needed for it? (Corrective RAG, Yan et al. 2024)

The paper's evaluator is asked for each passage, and again for each strip of it. In this app one reply has both, so that
strips cost neither a call nor a round of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field

from core.corpora.sentence_spans import sentence_spans
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import THE_QUESTION, Framed, framed_line, title_line, unmarked
from core.skills.grading import Reason, ask_grader, plain_word
from core.skills.relevance import similarity, titled
from core.trace.artefacts import Grade, Strip
from core.trace.passages import Passage

MOST_STRIPS = 200
"""Of a passage; more are one reply's worth of nonsense."""


def _numbers(value: Any) -> Any:
    """The whole numbers of a list, whatever else is in it: the verdict counts."""
    if not isinstance(value, list):
        return []
    return [int(number) for number in value if str(number).strip().isdecimal()][:MOST_STRIPS]


class Evaluation(BaseModel):
    """The form of the reply: a verdict, and the numbers of the sentences that are needed."""

    reason: Reason = ""
    verdict: Annotated[Literal["yes", "partly", "no"], BeforeValidator(plain_word)]
    sentences: Annotated[list[int], BeforeValidator(_numbers), Field(max_length=MOST_STRIPS)] = []


class Thresholds(NamedTuple):
    """The meaning of scores, for a method that gives some.

    Chosen for the built-in embeddings on 300 questions of 2WikiMultihopQA, of whose first six passages by dense
    retrieval 27 % hold evidence: from `upper` on nine of ten passages do, and nine of ten of those that do have at
    least `lower`.
    """

    lower: float = 0.43
    """From here on a passage holds a part of the answer."""
    upper: float = 0.66
    """From here on it holds the answer."""


@dataclass(frozen=True)
class Evaluated:
    """A passage as it was judged."""

    grade: Grade
    strips: tuple[Strip, ...]
    """All of its text; none kept where its parts were not judged, or have scores, which are compared with others."""


EVALUATE_PASSAGE = Skill.of(
    "evaluate_passage",
    "Evaluate a passage",
    Method(
        MODEL,
        "The model judges",
        "One call per passage, all at once: does it hold the answer, partly, or not, with a reason and the numbers "
        "of the sentences that are needed. The same reply refines the passage, so that it takes no second call.",
        slots=("question", "passage"),
    ),
    Method(
        "embedding",
        "Nearness in meaning",
        "No model call: the cosine similarity between the question and each sentence, and the passage as a whole, "
        "with the title before them; the largest is measured against two thresholds. It sees the topic, not "
        "the answer: a near miss looks like a hit.",
    ),
    builtin="embedding",
)


@task(EVALUATE_PASSAGE)
async def evaluate_passage(
    context: SkillContext, question: str, passage: Passage, thresholds: Thresholds, searched: str = ""
) -> Evaluated:
    """Grade whether a passage holds the answer to a question, and mark the strips of it that are needed.

    Args:
        thresholds: Only for methods that give scores.
        searched: What found it, where that is not the question itself: what was still missing.
    """
    method = context.method(EVALUATE_PASSAGE)
    strips = strips_of(passage)
    if method == "embedding":
        return await _by_embedding(context, searched or question, passage, strips, thresholds)
    shown = numbered_strips(passage, strips)
    reply = await ask_grader(
        context,
        EVALUATE_PASSAGE,
        method,
        Evaluation,
        question=question,
        passage=shown,
        searched=searched or THE_QUESTION,
    )
    needed = reply.sentences if reply.verdict != "no" else ()
    marked = tuple(Strip(text=text, kept=number in needed) for number, text in enumerate(strips, 1))
    return Evaluated(_grade(passage, method, reply.verdict, reply.reason), marked)


async def _by_embedding(
    context: SkillContext,
    question: str,
    passage: Passage,
    strips: Sequence[str],
    thresholds: Thresholds,
) -> Evaluated:
    # The whole of it, too: what is asked may be said in several sentences.
    texts = [titled(passage.title, text) for text in (passage.text, *strips)]
    cosines = await similarity(context, question, texts)
    best, lower, upper = float(cosines.max()), thresholds.lower, thresholds.upper
    if best >= upper:
        verdict, where = "yes", f"at least {upper:g}"
    elif best >= lower:
        verdict, where = "partly", f"at least {lower:g} and below {upper:g}"
    else:
        verdict, where = "no", f"below {lower:g}"
    nearest = "nearest sentence" if cosines.argmax() else "passage as a whole"
    grade = _grade(passage, "embedding", verdict, f"Cosine of its {nearest}: {best:.3f}, {where}.")
    return Evaluated(
        grade.model_copy(update={"score": best, "thresholds": (lower, upper)}),
        tuple(
            Strip(text=text, kept=False, score=round(float(score), 4))
            for text, score in zip(strips, cosines[1:], strict=True)
        ),
    )


def strips_of(passage: Passage) -> list[str]:
    """The strips of a passage in their order, at least one: its sentences, whatever lines they are on, and of records
    and lists a few rows each."""
    return [passage.text[start:end] for start, end in sentence_spans(passage.text)] or [passage.text]


def numbered_strips(passage: Passage, strips: Sequence[str]) -> Framed:
    """A passage as a model reads it: its title, and a sentence on each line with its number, counted from 1."""
    lines = [
        f"{number}: {framed_line(unmarked(strip))}" for number, strip in enumerate(strips[:MOST_STRIPS], 1)
    ]
    return Framed(title_line(passage) + "\n".join(lines))


def recomposed(passage: Passage, strips: Sequence[Strip]) -> Passage:
    """A passage with the strips that are kept, a line each; as it was where all are kept."""
    left_out = tuple(strip.text for strip in strips if not strip.kept)
    text = "\n".join(strip.text for strip in strips if strip.kept)
    return passage.model_copy(update={"text": text, "left_out": left_out}) if left_out else passage


def _grade(passage: Passage, method: str, verdict: str, reason: str) -> Grade:
    return Grade(
        what="Holds",
        verdict=verdict,
        passes=verdict != "no",
        reason=reason,
        passage=passage,
        skill=EVALUATE_PASSAGE.key,
        method=method,
    )
