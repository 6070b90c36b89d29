"""Reciprocal Rank Fusion as a picture: ranked columns that flow into the fused one. Plain data for its drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from core.cards.colours import QUIET, SERIES
from core.cards.grid import list_columns
from core.cards.passages import names, passage_card
from core.trace.artefacts import FusedRow, Fusion
from core.trace.passages import Passage

COLOURS = (*SERIES, "#6A5ACD", "#8C8C1F")
"""One for each passage that leads."""
LEAD = len(COLOURS)
"""Passages of the fused order that are in colour."""
SEEN = 10
"""Ranks that are in sight before one asks for all."""
SHORT = 24
"""Characters of a name that tells passages of one title apart: all of it has to fit on a chip."""


def fusion_flow(artefact: Fusion, made: Fusion | None = None) -> dict[str, Any]:
    """What the picture shows: `lists` left to right, and `passages`, the best fused score first; text is raw.

    Args:
        artefact: The fusion to show.
        made: The fusion that the answer was made with, if it is another one: passages keep its colours.
    """
    every = [row.passage for row in artefact.rows]
    called, short = names(every), names(every, SHORT)
    columns = list_columns(artefact.lists)
    colours = _colours(artefact, made or artefact)
    before = {row.passage.chunk: rank for rank, row in enumerate((made or artefact).rows, 1)}
    passages = []
    for fused, row in enumerate(artefact.rows, 1):
        chunk = row.passage.chunk
        ranks = [None if rank is None else rank - 1 + artefact.first_rank for rank in row.ranks]
        terms = ["" if rank is None else f"1/{artefact.k + rank}" for rank in ranks]
        passages.append(
            {
                "card": asdict(
                    passage_card(row.passage, fused, None, "", name=_named(row.passage, called, short))
                ),
                "name": called[chunk],
                "places": row.ranks,
                "ranks": ["" if rank is None else str(rank) for rank in ranks],
                "terms": terms,
                "score": f"{row.score:.4f}",
                "told": _told(row, ranks, [column.name for column in columns], terms),
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


def _named(passage: Passage, called: Mapping[str, str], short: Mapping[str, str]) -> str:
    """What a chip says: a mere title may be cut at its end by the drawing, what tells others apart may not."""
    whole = called[passage.chunk]
    return whole if whole == passage.title else short[passage.chunk]


def worked_out(row: FusedRow, terms: Sequence[str]) -> str:
    """A passage's sum, e.g. `1/63 + 1/61 = 0.0323`; `terms` are those of its lists, empty where it is not in one."""
    return f"{' + '.join(filter(None, terms))} = {row.score:.4f}"


def _told(row: FusedRow, ranks: Sequence[int | None], lists: Sequence[str], terms: Sequence[str]) -> str:
    """A passage's lines in words, for who cannot see them."""
    found = (f"rank {rank} in {name}" for name, rank in zip(lists, ranks, strict=True) if rank is not None)
    return f"{', '.join(found)}; {worked_out(row, terms)}"


def _colours(shown: Fusion, made: Fusion) -> dict[str, str]:
    """Id of each passage that leads -> its colour: the one that it has in `made`, or one that is free."""
    leading = [row.passage.chunk for row in shown.rows[:LEAD]]
    kept = {row.passage.chunk: colour for row, colour in zip(made.rows, COLOURS, strict=False)}
    found = {chunk: kept[chunk] for chunk in leading if chunk in kept}
    free = (colour for colour in COLOURS if colour not in found.values())
    return found | {chunk: next(free) for chunk in leading if chunk not in found}
