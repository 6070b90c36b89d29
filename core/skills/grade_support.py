"""IsSup: do the passages support an answer? (Self-RAG, Asai et al. 2023)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator

from core.corpora.sentence_spans import language, sentences
from core.retrieval.tokens import tokens
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import framed_passages
from core.skills.grading import Reason, as_judged, ask_grader, plain_word
from core.skills.relevance import similarity, titled
from core.trace.artefacts import Answer, Grade
from core.trace.passages import Passage

Verdict = Literal["fully", "partially", "no"]
MIXED = "mixed"
ENOUGH = 0.6
"""Share of a sentence's word stems that the passages must hold; for `mixed`, the mean of that share and of the cosine
to the nearest sentence. Measured by `research.skills`."""
_BLIND = "nor notice a false sentence made of the passages' own words."


class Support(BaseModel):
    """The form of the reply: how far the passages support the answer, with a reason."""

    reason: Reason = ""
    verdict: Annotated[Verdict, BeforeValidator(plain_word)]


GRADE_SUPPORT = Skill.of(
    "grade_support",
    "Grade the answer's support (IsSup)",
    Method(
        MODEL,
        "The model judges",
        "One call: fully, partially or no, and which statements no passage supports.",
        slots=("answer", "context"),
    ),
    Method(
        MIXED,
        "Words and nearness",
        "No model call: a sentence counts as supported if the passages hold all its numbers, and the share of its "
        "word stems that they hold and the cosine to their nearest sentence are together at least "
        f"{2 * ENOUGH:.1f}. It often cannot tell a true paraphrase from an invention, {_BLIND}",
    ),
    builtin=MIXED,
)


@task(GRADE_SUPPORT)
async def grade_support(
    context: SkillContext, question: str, answer: Answer, passages: Sequence[Passage]
) -> Grade:
    """Grade how far passages support an answer.

    An abstention claims nothing and is passed without a call.
    """
    method = context.method(GRADE_SUPPORT)
    if answer.abstained:
        return _grade("fully", method, "It gives no answer, so it claims nothing.")
    if method == MIXED:
        return await _mixed_support(context, answer, passages)
    reply = await ask_grader(
        context,
        GRADE_SUPPORT,
        method,
        Support,
        question=question,
        answer=as_judged(answer),
        context=framed_passages(passages),
    )
    return _grade(reply.verdict, method, reply.reason)


def lexical_verdict(answer: Answer, passages: Sequence[Passage]) -> Verdict:
    """Judge how far passages hold the words of an answer: all numbers, and enough of the word stems of each sentence.

    No model and no embeddings are needed; it cannot tell a true paraphrase from an invention.
    """
    known = _terms(passages)
    weak = [sentence for sentence in dict.fromkeys(answer.sentences) if _share(sentence, known) < ENOUGH]
    return _verdict(len(weak), len(set(answer.sentences)))


async def _mixed_support(context: SkillContext, answer: Answer, passages: Sequence[Passage]) -> Grade:
    """Support by shared word stems, numbers and nearness; the score is the mean over the answer's sentences."""
    known = _terms(passages)
    pool = [titled(passage.title, part) for passage in passages for part in sentences(passage.text)]
    scores: dict[str, float] = {}
    for sentence in answer.sentences:
        near = float((await similarity(context, sentence, pool)).max()) if pool else 0.0
        same = language(sentence) in {language(text) for text in pool}
        share = _share(sentence, known) if same else near
        scores[sentence] = (share + near) / 2 if share else 0.0
    weak = [sentence for sentence, fit in scores.items() if fit < ENOUGH]
    missing = f"Not in the passages, by words and meaning: {' '.join(f'“{text}”' for text in weak)}"
    reason = missing if weak else "The passages are near to it."
    note = "Words and nearness only: a false sentence that is near to the passages passes."
    mean = sum(scores.values()) / len(scores) if scores else 1.0  # what says nothing is supported
    return _grade(_verdict(len(weak), len(scores)), MIXED, reason, note, mean)


def _terms(passages: Sequence[Passage]) -> set[str]:
    """The terms of passages and their titles."""
    return {term for passage in passages for term in tokens(f"{passage.title}\n{passage.text}")}


def _verdict(weak: int, every: int) -> Verdict:
    return "fully" if not weak else "no" if weak == every else "partially"


def _share(sentence: str, known: set[str]) -> float:
    """Share of a sentence's terms that are held; a number that is not held makes it nothing."""
    terms = set(tokens(sentence))
    if any(term.isdigit() and term not in known for term in terms):
        return 0.0
    return len(terms & known) / len(terms) if terms else 1.0


def _grade(
    verdict: Verdict, method: str, reason: str = "", note: str = "", score: float | None = None
) -> Grade:
    return Grade(
        what="IsSup",
        verdict=verdict,
        passes=verdict != "no",
        reason=reason,
        score=score,
        skill=GRADE_SUPPORT.key,
        method=method,
        note=note,
    )
