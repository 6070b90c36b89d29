"""KG-RAG as a picture: the plan's steps as columns, what each could choose from, and the way through. Plain data."""

from __future__ import annotations

from typing import Any

from core.cards.kinds.exploration import VERDICTS
from core.runs.record import Record
from core.trace.artefacts import Candidate, Candidates, GraphPath, Plan
from core.wording import counted

SEEN = 4
"""Candidates of a step that are drawn; those that were chosen come first."""
READING = (
    "A column is a step of the plan with the best of what it could go on with. ✓ is what was chosen; lines follow it "
    "through the graph. An arrow to the left is a relation that is followed backwards. Choose a box to see its facts."
)


def ways(record: Record) -> dict[str, Any] | None:
    """What the picture shows: `steps` of the newest plan, as far as they are walked; None: nothing is planned."""
    plans = record.find(Plan)
    if not plans:
        return None
    plan = plans[-1]
    made = [artefact for _, artefact in record.artefacts]
    since = made[next(place for place, one in enumerate(made) if one is plan) :]
    offered = {one.index: one for one in since if isinstance(one, Candidates)}
    walked = [one for one in since if isinstance(one, GraphPath)]
    last = walked[-1] if walked else None
    return {
        "steps": [
            {
                "number": place + 1,
                "explore": "nodes" if step.explore == "nodes" else "relations",
                "text": step.text,
                "candidates": _candidates(offered.get(place)),
                "more": _more(offered.get(place)),
            }
            for place, step in enumerate(plan.steps)
        ],
        "summary": _summary(plans, last),
        "reached": f"Reached: {', '.join(last.nodes)}." if last and last.nodes else "",
        "given_up": [one.cause for one in plans if one.cause],
        "word": VERDICTS[last.verdict] if last else "",
        "verdict": last.verdict if last else "",
        "reason": last.reason if last else "",
        "facts": _facts(last),
        "running": record.state == "running",
    }


def _candidates(made: Candidates | None) -> list[dict[str, Any]]:
    """The chosen ones, then the best of the others."""
    if made is None:
        return []
    shown = sorted(made.candidates, key=lambda one: not one.chosen)
    return [_drawn(one, made) for one in shown[: max(SEEN, sum(one.chosen for one in shown))]]


def _drawn(one: Candidate, made: Candidates) -> dict[str, Any]:
    relation = one.relation.replace("_", " ")
    arrow = "" if not relation else f"← {relation}" if one.inverse else f"{relation} →"
    chosen = "chosen" if one.chosen else "not chosen"
    return {
        "name": ", ".join(one.leads) or one.label,
        "by": arrow if one.leads else "",
        "chosen": one.chosen,
        "told": f"{one.label}: {made.score_name} {one.similarity:.2f} with “{made.text}”, {chosen}."
        + (f" {one.detail}." if one.detail else ""),
    }


def _more(made: Candidates | None) -> int:
    return len(made.candidates) + made.left_out - len(_candidates(made)) if made else 0


def _summary(plans: list[Plan], last: GraphPath | None) -> str:
    hops = len({triple.hop for triple in last.triples}) if last else 0
    text = f"A plan of {counted(len(plans[-1].steps), 'step')}; a way of {counted(hops, 'hop')}"
    return f"{text}; {counted(len(plans) - 1, 'plan')} given up" if len(plans) > 1 else text


def _facts(last: GraphPath | None) -> list[dict[str, str]]:
    """The triples of the way, each with the words that state it."""
    return [
        {
            "triple": f"{one.subject} — {one.relation.replace('_', ' ')} → {one.object}",
            "quote": one.quote,
            "where": one.document,
        }
        for one in (last.triples if last else ())
    ]
