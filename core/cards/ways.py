"""KG-RAG as a picture: the plan's steps as columns, what each could choose from, and the way through. Plain data."""

from __future__ import annotations

import re
from typing import Any

from core.cards.kinds.exploration import VERDICTS
from core.cards.named import document_named
from core.runs.record import Record
from core.trace.artefacts import Candidate, Candidates, GraphPath, Plan
from core.wording import counted

SEEN = 4
"""Candidates of a step that are drawn; those that were chosen come first."""
CHOSEN = 6
"""Those that were chosen are drawn up to this number."""
HOP = re.compile("←[^←→—]+—|—[^←→—]+→")
"""A relation in a chain of them, as a candidate's label has it."""
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
                "candidates": _candidates(offered.get(place), offered.get(place - 1)),
                "more": _more(offered.get(place), offered.get(place - 1)),
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
        "running": record.under_way,
    }


def _candidates(made: Candidates | None, before: Candidates | None) -> list[dict[str, Any]]:
    """The chosen ones, then the best of the others; `from` are those of the step before that each goes on from."""
    if made is None:
        return []
    shown = sorted(made.candidates, key=lambda one: not one.chosen)
    count = max(SEEN, min(CHOSEN, sum(one.chosen for one in shown)))
    chosen = [one for one in before.candidates if one.chosen] if before else []
    return [
        _drawn(one, made)
        | {"from": [place for place, other in enumerate(chosen) if _follows(one, other, len(chosen))]}
        for one in shown[:count]
    ]


def _follows(one: Candidate, before: Candidate, choice: int) -> bool:
    """Whether a candidate goes on from what the step before had chosen, as one of so many."""
    chain = before.label.removesuffix("●").strip()
    return choice == 1 or one.label.startswith(f"{chain} ") or not set(one.sources).isdisjoint(before.leads)


def _drawn(one: Candidate, made: Candidates) -> dict[str, Any]:
    relation = one.relation.replace("_", " ")
    arrow = "" if not relation else f"← {relation}" if one.inverse else f"{relation} →"
    links = HOP.findall(one.label)
    chosen = "chosen" if one.chosen else "not chosen"
    return {
        "name": ", ".join(one.leads)
        or (links[-1] if links and made.explore == "relationships" else one.label),
        "by": arrow if one.leads else "",
        "chosen": one.chosen,
        "told": f"{one.label}: {made.score_name} {one.similarity:.2f} with “{made.text}”, {chosen}."
        + (f" {one.detail}." if one.detail else ""),
    }


def _more(made: Candidates | None, before: Candidates | None) -> int:
    return len(made.candidates) + made.left_out - len(_candidates(made, before)) if made else 0


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
            "where": document_named(one.document),
        }
        for one in (last.triples if last else ())
    ]
