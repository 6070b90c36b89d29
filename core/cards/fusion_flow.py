"""Reciprocal Rank Fusion as a picture: ranked columns that flow into the fused one. Plain data for its drawing."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core.cards.colours import QUIET, SERIES
from core.cards.grid import list_columns
from core.cards.passages import APART, names, passage_card
from core.trace.artefacts import Fusion

COLOURS = (*SERIES, "#6A5ACD", "#8C8C1F")
"""One for each passage that leads."""
LEAD = len(COLOURS)
"""Passages of the fused order that are in colour."""
SEEN = 10
"""Ranks that are in sight before one asks for all."""
DETAIL = 12
"""Longest heading that tells passages of one title apart; where one is longer, their numbers do."""


def fusion_flow(artefact: Fusion, made: Fusion | None = None) -> dict[str, Any]:
    """What the picture shows: `lists` left to right, and `passages`, the best fused score first; text is raw.

    Args:
        artefact: The fusion to show.
        made: The fusion that the answer was made with, if it is another one: passages keep its colours.
    """
    every = [row.passage for row in artefact.rows]
    called, short = names(every), names(every, 2 * DETAIL)
    columns = list_columns(artefact.lists)
    colours = _colours(artefact, made or artefact)
    before = {row.passage.chunk: rank for rank, row in enumerate((made or artefact).rows, 1)}
    passages = []
    for fused, row in enumerate(artefact.rows, 1):
        chunk = row.passage.chunk
        ranks = [None if rank is None else rank - 1 + artefact.first_rank for rank in row.ranks]
        terms = ["" if rank is None else f"1/{artefact.k + rank}" for rank in ranks]
        total = f"{' + '.join(filter(None, terms))} = {row.score:.4f}"
        places = zip((column.name for column in columns), ranks, strict=True)
        found = ", ".join(f"rank {rank} in {name}" for name, rank in places if rank is not None)
        passages.append(
            {
                "card": asdict(passage_card(row.passage, fused, None, "")),
                "name": called[chunk],
                "detail": short[chunk].rpartition(APART)[2] if called[chunk] != row.passage.title else "",
                "places": row.ranks,
                "ranks": ["" if rank is None else str(rank) for rank in ranks],
                "terms": terms,
                "score": f"{row.score:.4f}",
                "sum": total,
                "told": f"{found}; {total}",
                "was": 0 if before[chunk] == fused else before[chunk],
                "leads": chunk in colours,
                "colour": colours.get(chunk, QUIET),
            }
        )
    return {
        "formula": f"1 / ({artefact.k} + rank)",
        "from": "" if artefact.first_rank else "ranks from 0",
        "seen": SEEN,
        "lists": [asdict(column) for column in columns],
        "passages": passages,
    }


def _colours(shown: Fusion, made: Fusion) -> dict[str, str]:
    """Id of each passage that leads -> its colour: the one that it has in `made`, or one that is free."""
    leading = [row.passage.chunk for row in shown.rows[:LEAD]]
    kept = {row.passage.chunk: colour for row, colour in zip(made.rows, COLOURS, strict=False)}
    found = {chunk: kept[chunk] for chunk in leading if chunk in kept}
    free = (colour for colour in COLOURS if colour not in found.values())
    return found | {chunk: next(free) for chunk in leading if chunk not in found}
