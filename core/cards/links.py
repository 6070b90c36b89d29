"""A decomposition as a picture: sub-questions as links of a chain that fills. Plain data for its drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.cards.ending import ending
from core.cards.kinds.chain import chain_data, progress
from core.runs.record import Record
from core.strategies import strategies
from core.trace.artefacts import Ranking, SubAnswer, SubQuestions
from core.wording import counted

IN_TURN = "Each sub-question is answered from its own passages; an arrow takes the answers so far into the next search."
APART = "Each sub-question is answered from its own passages, and none knows of the others."
READING = " A solid line leads from what the answer cites. Choose a link to read it."


def links(record: Record) -> dict[str, Any] | None:
    """What the picture shows: `links` in their order, as far as they are filled; None: nothing is split yet."""
    made = [
        (step.label, artefact)
        for step, artefact in record.artefacts
        if isinstance(artefact, SubQuestions | Ranking | SubAnswer)
    ]
    split = [one for _, one in made if isinstance(one, SubQuestions) and not one.by_tools]
    if not split:
        return None
    chain = chain_data(made, record.answer)
    short = {one.index: one.short for one in record.find(SubAnswer)}
    end = ending(record)
    return {
        "links": [
            link
            | {"short": short.get(link["number"] - 1, ""), "told": _told(link), "state": _state(link, record)}
            for link in chain["links"]
        ],
        "in_turn": in_turn(record),
        "summary": progress(chain["links"]),
        "ending": chain["ending"],
        **end,
        "answer": chain["answer"] or end["answer"],
    }


def in_turn(record: Record) -> bool:
    """Whether each sub-question may use the answers before it."""
    strategy = strategies().get(record.started.strategy) if record.started else None
    return strategy is None or not strategy.beside


def reading(record: Record) -> str:
    """How to read the picture of a run."""
    return (IN_TURN if in_turn(record) else APART) + READING


def _state(link: Mapping[str, Any], record: Record) -> str:
    """What stands where a link's answer will be."""
    if link["text"]:
        return ""
    if not record.under_way:
        return "Not answered"
    return "Answering…" if link["cards"] and record.state == "running" else "Waiting"


def _told(link: Mapping[str, Any]) -> str:
    """How a link came about, in a sentence."""
    knew = f"knew {counted(len(link['given']), 'earlier answer')}" if link["given"] else ""
    searched = f"searched with “{link['searched']}”" if link["searched"] else ""
    cited = sum(card["badge"] == "cited" for card in link["cards"])
    found = f"{counted(len(link['cards']), 'passage')}, {cited} cited" if link["cards"] else ""
    used = "the answer cites what it cites" if link["used"] else ""
    said = "; ".join(filter(None, (knew, searched, found, used))) or "nothing is searched yet"
    return f"{said[0].upper()}{said[1:]}."
