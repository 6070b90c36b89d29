"""Retrieve: does a question need documents at all? (Self-RAG, Asai et al. 2023)"""

from __future__ import annotations

from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.grading import YesOrNo, ask_grader
from core.trace.artefacts import Grade

DECIDE_RETRIEVAL = Skill.of(
    "decide_retrieval",
    "Decide whether to search (Retrieve)",
    Method(
        MODEL,
        "The model decides",
        "One call: yes or no, with a reason. A model can be sure of what it does not know.",
        slots=("question",),
    ),
    Method("always", "Always search", "No model call: the answer is always yes, as if nobody asked."),
    builtin="always",
)


@task(DECIDE_RETRIEVAL)
async def decide_retrieval(context: SkillContext, question: str) -> Grade:
    """Grade whether a question needs a search."""
    method = context.method(DECIDE_RETRIEVAL)
    verdict, reason, note = "yes", "", "Nobody was asked: with this method documents are always searched."
    if method == MODEL:
        reply = await ask_grader(context, DECIDE_RETRIEVAL, method, YesOrNo, question=question)
        verdict, reason, note = reply.verdict, reply.reason, ""
    return Grade(
        what="Retrieve",
        verdict=verdict,
        passes=verdict == "yes",
        reason=reason,
        skill=DECIDE_RETRIEVAL.key,
        method=method,
        note=note,
    )
