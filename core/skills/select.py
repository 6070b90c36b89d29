"""Choosing among numbered candidates: nodes of a graph to start from, or relations to follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.graph_wording import readable_name
from core.trace.artefacts import Candidate, PlanStep
from core.wording import counted

WHAT = {"nodes": "nodes", "relationships": "relations"}


def _as_text(value: Any) -> Any:
    """Some endpoints write ids as numbers, or with what surrounds them in the prompt."""
    if isinstance(value, int):
        return str(value)
    return value.strip().strip("[]#. ") if isinstance(value, str) else value


class Selection(BaseModel):
    """The form of the reply: numbers of candidates."""

    chosen: list[Annotated[str, BeforeValidator(_as_text)]] = Field(max_length=100)


SELECT = Skill.of(
    "select",
    "Choose where to go on",
    Method(
        MODEL,
        "The model chooses",
        "One call per step: by number, out of the candidates offered, so that nothing can be invented. Nodes that "
        "a step only names, word for word, are taken without a call.",
        slots=("question", "step", "candidates", "most"),
    ),
    Method(
        "embedding",
        "The best scores",
        "No model call: of nodes, the one that the question names, or the nearest in meaning; of relations, the "
        "chains that fit the question best by the embeddings of their words.",
    ),
    builtin="embedding",
)


@task(SELECT)
async def select(
    context: SkillContext, question: str, step: PlanStep, candidates: Sequence[Candidate], most: int
) -> tuple[tuple[Candidate, ...], str]:
    """The candidates, best first, with the chosen ones marked, and a note; only ids that were offered count."""
    method, note = context.method(SELECT), ""
    chosen = [candidate.id for candidate in candidates[:most]]
    if method == MODEL and len(candidates) > 1:
        chosen, note = await _ask(context, question, step, candidates, most)
    elif method == MODEL and candidates:
        note = "There was nothing to choose: only one candidate."
    marked = (item.model_copy(update={"chosen": item.id in chosen}) for item in candidates)
    return tuple(marked), note


async def _ask(
    context: SkillContext, question: str, step: PlanStep, candidates: Sequence[Candidate], most: int
) -> tuple[list[str], str]:
    reply = await context.structured(
        SELECT,
        MODEL,
        Selection,
        Sampling(temperature=0.0, max_tokens=300),
        question=question,
        step=step.text,
        explore=WHAT[step.explore],
        candidates="\n".join(map(candidate_line, candidates)),
        most=most,
    )
    known = {item.id for item in candidates}
    chosen = list(dict.fromkeys(ident for ident in reply.chosen if ident in known))
    invented = [ident for ident in reply.chosen if ident not in known]
    notes = []
    if invented:
        notes.append(f"Not offered, and left out: {', '.join(ident[:20] for ident in invented[:5])}.")
        if not chosen:
            notes.append("The best score was taken instead.")
            chosen = [candidates[0].id]
    if not reply.chosen:
        notes.append("The model chose none of them.")
    if len(chosen) > most:
        notes.append(f"{len(chosen)} were chosen; the first {most} count.")
    return chosen[:most], " ".join(notes)


def candidate_line(item: Candidate) -> str:
    """A candidate in one line, with the number by which it is chosen."""
    return f"[{item.id}] {candidate_text(item)}{f' ({item.detail})' if item.detail else ''}"


def candidate_text(item: Candidate) -> str:
    """A candidate without its number: of a relation, also some of the nodes that it leads to."""
    text = readable_name(" ".join(item.label.split()))
    if item.leads:
        ends = " · ".join(readable_name(" ".join(name.split())) for name in item.leads)
        shows_all = item.detail == counted(len(item.leads), "node")
        return f"{text.removesuffix('●')}{ends}{'' if shows_all else ' · …'}"
    return text.removesuffix(" ●")
