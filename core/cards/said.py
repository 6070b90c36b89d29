"""What a step did, in a line of a few words: how it reads while its card is folded. Raw text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.cards.groups import Row
from core.trace.artefacts import Fusion, Queries, Ranking
from core.wording import counted, shortened

LETTERS = 90
"""Longest line; what is longer ends in an ellipsis."""


def said(row: Row) -> str:
    """What the step, or the steps of one layer, did."""
    first, *others = row.shown
    artefact = first.items[0].artefact
    if others:
        text = _several([shown.items[0].artefact for shown in row.shown])
    else:
        say = _SAYS.get(artefact.kind)
        text = say(artefact) if say else first.card.subtitle
    return shortened(text, LETTERS)


def _several(artefacts: list[Any]) -> str:
    rankings = [artefact for artefact in artefacts if isinstance(artefact, Ranking)]
    if len(rankings) < len(artefacts):
        return f"{len(artefacts)} beside one another"
    different = {hit.passage.chunk for ranking in rankings for hit in ranking.used}
    return f"{len(rankings)} searches, {counted(len(different), 'different passage')}"


def _queries(artefact: Queries) -> str:
    dropped = f", {len(artefact.dropped)} dropped" if artefact.dropped else ""
    return counted(len(artefact.queries), "query", "queries") + dropped


def _ranking(artefact: Ranking) -> str:
    return f"{counted(len(artefact.used), 'passage')} for “{artefact.query}”"


def _fusion(artefact: Fusion) -> str:
    return f"{counted(len(artefact.lists), 'list')} into one of {counted(len(artefact.rows), 'passage')}"


_SAYS: dict[str, Callable[[Any], str]] = {"queries": _queries, "ranking": _ranking, "fusion": _fusion}
"""Kind -> what one of it says, where that is more than the card's own heading."""
