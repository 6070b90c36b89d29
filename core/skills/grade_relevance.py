"""IsRel: is a passage relevant to a question? (Self-RAG, Asai et al. 2023)"""

from __future__ import annotations

from core.corpora.sentence_spans import sentences
from core.skills.base import MODEL, SHORT, Method, Skill, SkillContext, task
from core.skills.frame import THE_QUESTION, framed_passage
from core.skills.grading import YesOrNo, ask_grader, ask_yes_or_no
from core.skills.relevance import similarity, titled
from core.trace.artefacts import Grade
from core.trace.passages import Passage

RELEVANT_FROM = 0.5
"""Cosine between the question and a passage's nearest sentence from which the passage counts as relevant; measured by
`research.skills` for the built-in embeddings."""

GRADE_RELEVANCE = Skill.of(
    "grade_relevance",
    "Grade a passage (IsRel)",
    Method(
        MODEL,
        "The model judges",
        "One call per passage, all at once: yes or no, with a reason.",
        slots=("question", "passage"),
    ),
    Method(
        SHORT,
        "The model, in one word",
        "One call per passage, after short rules: yes or no, without a reason. Small models that give a reason first "
        "find one for yes with nearly every passage.",
        slots=("question", "passage"),
    ),
    Method(
        "embedding",
        "Nearness in meaning",
        "No model call: yes if the cosine similarity between the question and the passage's nearest sentence, with "
        f"its title before it, is at least {RELEVANT_FROM}. The threshold fits the built-in embeddings; it sees "
        "the topic, not the answer.",
    ),
    builtin="embedding",
)


@task(GRADE_RELEVANCE)
async def grade_relevance(
    context: SkillContext, question: str, passage: Passage, searched: str = ""
) -> Grade:
    """Grade whether a passage bears on a question, or on what found it (`searched`), which is one step on the way."""
    method = context.method(GRADE_RELEVANCE)
    if method == "embedding":
        return await _by_embedding(context, searched or question, passage)
    if method == SHORT:
        asked = {"question": searched or question, "passage": framed_passage(passage)}
        return _grade(passage, method, await ask_yes_or_no(context, GRADE_RELEVANCE, method, **asked), "")
    reply = await ask_grader(
        context,
        GRADE_RELEVANCE,
        method,
        YesOrNo,
        question=question,
        passage=framed_passage(passage),
        searched=THE_QUESTION if searched in ("", question) else searched,
    )
    return _grade(passage, method, reply.verdict == "yes", reply.reason)


async def _by_embedding(context: SkillContext, question: str, passage: Passage) -> Grade:
    parts = sentences(passage.text) or [passage.text]
    cosines = await similarity(context, question, [titled(passage.title, part) for part in parts])
    likeness = float(cosines.max())
    relevant = likeness >= RELEVANT_FROM
    side = "at least" if relevant else "below"
    reason = f"Nearest sentence: cosine {likeness:.2f}, {side} {RELEVANT_FROM}."
    return _grade(passage, "embedding", relevant, reason, score=likeness)


def _grade(passage: Passage, method: str, relevant: bool, reason: str, score: float | None = None) -> Grade:
    return Grade(
        what="IsRel",
        verdict="yes" if relevant else "no",
        passes=relevant,
        reason=reason,
        score=score,
        passage=passage,
        skill=GRADE_RELEVANCE.key,
        method=method,
    )
