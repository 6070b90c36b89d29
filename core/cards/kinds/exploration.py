"""Exploring a knowledge graph: cards of plan, candidates and path, and the picture of the whole walk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile
from typing import Any

from core.cards.kind import (
    Gist,
    Kind,
    Picture,
    Scene,
    checked_text,
    drawn_picture,
    edited,
    lines_edit,
    provenance,
)
from core.cards.narration import SceneContext, Sentence, quoted
from core.cards.parts import Aid, Card, Code, Drawing, Fold, Line, Lines, Note, Part
from core.cards.texts import document_named
from core.errors import InputError
from core.runs.record import Record
from core.skills.graph_wording import readable_name, triple_line
from core.skills.plan_exploration import MOST_STEPS
from core.trace.artefacts import Candidate, Candidates, Context, GraphPath, PathTriple, Plan, PlanStep
from core.wording import counted, shortened

EXPLORE = {"nodes": "nodes", "relationships": "relations"}
VERDICTS = {"continue": "Goes on", "respond": "Enough found: answer", "refine": "New plan"}
READING = (
    "Best first, by {score}. A tick is what the step goes on with; the rest is grey. "
    "An arrow to the left is a relation that is followed backwards."
)


def _detail(item: Candidate) -> str:
    """Return how many nodes a candidate leads to, with some of their names, or how it was found."""
    names = ", ".join(map(readable_name, item.leads))
    more = ", …" if names and item.detail not in ("1 node", f"{len(item.leads)} nodes") else ""
    return f"{item.detail}: {names}{more}" if names else item.detail


def plan_card(artefact: Plan, scene: Scene) -> Card:
    """The steps, numbered."""
    cause = f"The plan before was given up: {artefact.cause}"
    given_up = (Note(cause, "restart_alt"),) if artefact.cause else ()
    lines = Lines([Line(step.text, head=EXPLORE[step.explore]) for step in artefact.steps])
    return Card((*given_up, lines, *provenance(artefact)), f"Plan {artefact.attempt}")


def candidates_card(artefact: Candidates, scene: Scene) -> Card:
    """The candidates of a step, with scores as bars; those that were chosen are lit."""
    best = max((abs(item.similarity) for item in artefact.candidates), default=0.0) or 1.0
    lines = [
        {
            "label": readable_name(item.label),
            "detail": _detail(item),
            "score": f"{item.similarity:.3f}",
            "part": max(0.0, item.similarity / best),  # of the best score, 0 to 1
            "chosen": item.chosen,
        }
        for item in artefact.candidates
    ]
    parts: list[Part] = [Note("There was nothing to choose from.")]
    if lines:
        data = {"what": "candidates", "lines": lines, "score_name": artefact.score_name}
        aid = Aid(READING.format(score=artefact.score_name))
        parts = [aid, Drawing("exploration", data | {"colour": scene.colour})]
    if artefact.left_out:
        parts.append(Note(f"{artefact.left_out:,} more with lower scores were not offered."))
    if artefact.cypher:
        query = Fold("The query that followed the first of them", (Code(artefact.cypher),), slot="cypher")
        parts.append(query)
    title = f"Step {artefact.index + 1}: {EXPLORE[artefact.explore]} · {artefact.text}"
    return Card((*parts, *provenance(artefact)), title)


def path_card(artefact: GraphPath, scene: Scene) -> Card:
    """The triples of the path, hop by hop, and what is made of it."""
    hops: dict[int, list[dict[str, Any]]] = {}
    for triple in artefact.triples:
        hops.setdefault(triple.hop, []).append(_arrow(triple))
    data = {
        **artefact.model_dump(include={"nodes", "hidden", "verdict", "reason"}),
        "what": "path",
        "hops": [hops[hop] for hop in sorted(hops)],
        "word": VERDICTS[artefact.verdict],
        "colour": scene.colour,
    }
    parts: list[Part] = [Drawing("exploration", data)]
    if artefact.failed:
        tries = counted(artefact.failed, "plan has", "plans have")
        parts.append(Note(f"{tries} failed so far.", "restart_alt"))
    return Card((*parts, *provenance(artefact)), counted(len(hops), "hop"))


def _arrow(triple: PathTriple) -> dict[str, Any]:
    """A triple on the path, with the document that states it as `where`."""
    copied = triple.model_dump(include={"subject", "object", "inverse", "hypernode", "quote"})
    return copied | {"relation": triple.relation.replace("_", " "), "where": document_named(triple.document)}


def _gist(record: Record) -> str:
    plans, paths = record.find(Plan), record.find(GraphPath)
    text = f"A plan of {counted(len(plans[-1].steps), 'step')} through the graph"
    if paths and paths[-1].triples:
        text += f", a path of {counted(len({triple.hop for triple in paths[-1].triples}), 'hop')}"
    return text + (f"; {counted(len(plans) - 1, 'plan')} given up" if len(plans) > 1 else "")


SEEN = 4
"""Candidates of a step that are drawn; those that were chosen come first."""
CHOSEN = 6
"""Chosen candidates of a step that are drawn, at most."""
HOP = re.compile("←[^←→—]+—|—[^←→—]+→")
"""A relation in a chain of them, as a candidate's label has it."""
READING_WAYS = (
    "A column is a step of the plan with the best of what it could go on with. ✓ is what was chosen; lines follow it "
    "through the graph. An arrow to the left is a relation that is followed backwards. Choose a box to see its facts."
)


def ways(record: Record) -> dict[str, Any] | None:
    """Data of the picture: `steps` of the newest plan, as far as they are walked; None: nothing is planned."""
    plans = record.find(Plan)
    if not plans:
        return None
    plan = plans[-1]
    artefacts = (artefact for _, artefact in record.artefacts)
    since = list(dropwhile(lambda artefact: artefact is not plan, artefacts))
    offered = {artefact.index: artefact for artefact in since if isinstance(artefact, Candidates)}
    walked = [artefact for artefact in since if isinstance(artefact, GraphPath)]
    last = walked[-1] if walked else None
    return {
        "steps": [
            {
                "number": place + 1,
                "explore": EXPLORE[step.explore],
                "text": step.text,
            }
            | _offer(offered.get(place), offered.get(place - 1))
            for place, step in enumerate(plan.steps)
        ],
        "summary": _gist(record),
        "reached": f"Values found: {', '.join(map(readable_name, last.nodes))}."
        if last and last.nodes
        else "",
        "given_up": [earlier.cause for earlier in plans if earlier.cause],
        "word": VERDICTS[last.verdict] if last else "",
        "verdict": last.verdict if last else "",
        "reason": last.reason if last else "",
        "facts": _facts(last, _cited(record)),
        "running": record.under_way,
    }


def _offer(offered: Candidates | None, before: Candidates | None) -> dict[str, Any]:
    """The candidates that are drawn, the chosen ones and then the best of the others, and the number of more; `from`
    are those of the step before that each goes on from."""
    if offered is None:
        return {"candidates": [], "more": 0}
    shown = sorted(offered.candidates, key=lambda candidate: not candidate.chosen)
    count = max(SEEN, min(CHOSEN, sum(candidate.chosen for candidate in shown)))
    chosen = [candidate for candidate in before.candidates if candidate.chosen] if before else []
    drawn = [
        _drawn(candidate, offered)
        | {"from": [place for place, source in enumerate(chosen) if _follows(candidate, source, len(chosen))]}
        for candidate in shown[:count]
    ]
    return {"candidates": drawn, "more": len(shown) - len(drawn) + offered.left_out}


def _follows(candidate: Candidate, before: Candidate, choice: int) -> bool:
    """True if a candidate goes on from what the step before had chosen, as one of so many."""
    chain = before.label.removesuffix("●").strip()
    return (
        choice == 1
        or candidate.label.startswith(f"{chain} ")
        or not set(candidate.sources).isdisjoint(before.leads)
    )


def _drawn(candidate: Candidate, offered: Candidates) -> dict[str, Any]:
    relation = candidate.relation.replace("_", " ")
    arrow = "" if not relation else f"← {relation}" if candidate.inverse else f"{relation} →"
    links = HOP.findall(candidate.label)
    chosen = "chosen" if candidate.chosen else "not chosen"
    label = readable_name(candidate.label)
    return {
        "name": ", ".join(map(readable_name, candidate.leads))
        or (links[-1] if links and offered.explore == "relationships" else label),
        "by": arrow if candidate.leads else "",
        "chosen": candidate.chosen,
        "told": f"{label}: {offered.score_name} {candidate.similarity:.2f} with “{offered.text}”, {chosen}."
        + (f" {candidate.detail}." if candidate.detail else ""),
    }


def _cited(record: Record) -> set[str]:
    """The triples that the answer cites, as the model read them."""
    chunks = {citation.chunk for citation in record.answer.citations} if record.answer else set()
    given = [one.passage for context in record.find(Context)[-1:] for one in context.passages]
    return {passage.title for passage in given if passage.chunk in chunks}


def _facts(last: GraphPath | None, cited: set[str]) -> list[dict[str, Any]]:
    """The triples of the path, each with the words that state it, and whether the answer cites it."""
    return [
        {
            "triple": f"{readable_name(triple.subject)} — {triple.relation.replace('_', ' ')} → "
            + readable_name(triple.object),
            "quote": triple.quote,
            "where": document_named(triple.document),
            "cited": triple_line(triple) in cited,
        }
        for triple in (last.triples if last else ())
    ]


def with_steps(artefact: Plan, text: str) -> Plan:
    """Another plan: a step a line, each `nodes: …` or `relationships: …`; the same step may be there twice.

    Raises:
        InputError: A line is no step, or there are none or too many.
    """
    steps = []
    for line in filter(None, (" ".join(line.split()) for line in text.splitlines())):
        explore, _, what = line.partition(":")
        if explore.strip().lower() not in ("nodes", "relationships") or not what.strip():
            raise InputError(f"“{line[:60]}” is no step. Write “nodes: …” or “relationships: …”.")
        steps.append(
            PlanStep.model_validate({"explore": explore.strip().lower(), "text": checked_text(what)})
        )
    if not 1 <= len(steps) <= MOST_STEPS:
        raise InputError(f"There are {len(steps)} steps; 1 to {MOST_STEPS} are possible.")
    return edited(artefact, steps=tuple(steps))


def _plan_sentence(plans: Sequence[Plan], scene: SceneContext) -> str:
    plan = plans[-1]
    first = f", from {quoted(plan.steps[0].text, 60)} on" if plan.steps else ""
    again = f"The plan before led nowhere; plan {plan.attempt} has" if plan.attempt > 1 else "The plan has"
    return f"{again} {counted(len(plan.steps), 'step')} through the graph{first}."


def _candidates_sentence(offers: Sequence[Candidates], scene: SceneContext) -> str:
    offered = offers[-1]
    chosen = [candidate for candidate in offered.candidates if candidate.chosen]
    what = EXPLORE[offered.explore]
    if not offered.candidates:
        return f"There is nothing to go on with for {quoted(offered.text, 60)}"
    if not chosen:
        return f"None of {len(offered.candidates)} {what} fits {quoted(offered.text, 60)}"
    more = f" and {len(chosen) - 1} more are" if len(chosen) > 1 else " is"
    of = f"out of {len(offered.candidates)} {what}" if len(offered.candidates) > 1 else "as there is no other"
    leads = (
        f": it leads to {quoted(readable_name(chosen[0].leads[0]), 40)}"
        if len(chosen) == 1 and chosen[0].leads
        else ""
    )
    return f"{quoted(readable_name(chosen[0].label), 60)}{more} chosen {of}{leads}."


def _path_sentence(paths: Sequence[GraphPath], scene: SceneContext) -> str:
    path = paths[-1]
    if path.verdict == "refine":
        return f"This path leads nowhere, and a new plan is made: {shortened(path.reason, 100)}"
    hops = len({triple.hop for triple in path.triples})
    to = f" {quoted(readable_name(path.nodes[-1]), 60)}" if path.nodes else ""
    if path.verdict == "respond":
        leads = (
            f"After {counted(hops, 'hop')} the path leads to{to or ' an answer'}" if hops else "The path ends"
        )
        return f"{leads}: enough to answer."
    return (
        f"The path has {counted(hops, 'hop')} so far and goes on{f' from{to}' if to else ''}."
        if hops
        else (f"The start is found{f':{to}' if to else ''}; its relations are looked at next.")
    )


def _picture(scene: Scene) -> Picture | None:
    return drawn_picture("The walk through the graph", READING_WAYS, "ways", ways(scene.record), scene.colour)


KINDS = (
    Kind(
        key="plan",
        title="Plan",
        icon="checklist",
        gist=Gist(20, _gist),
        card=plan_card,
        edit=lines_edit(
            "Steps in order, one a line, each “nodes: …” or “relationships: …”",
            lambda artefact: [f"{step.explore}: {step.text}" for step in artefact.steps],
            with_steps,
        ),
        sentence=Sentence(160, _plan_sentence),
        picture=_picture,
    ),
    Kind(
        key="candidates",
        title="Candidates",
        icon="alt_route",
        card=candidates_card,
        sentence=Sentence(180, _candidates_sentence),
    ),
    Kind(
        key="path",
        title="Path",
        icon="route",
        card=path_card,
        sentence=Sentence(170, _path_sentence),
    ),
)
