"""Reciprocal Rank Fusion as a picture: ranked columns that flow into the fused one. Plain data for its drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.cards.colours import QUIET, SERIES
from core.cards.grid import list_columns
from core.cards.passages import named_apart, names, passage_card, says_the_same
from core.retrieval.fusion import fuse
from core.runs.record import Record
from core.strategies import strategies
from core.trace.artefacts import Fusion, Queries, Ranking

COLOURS = (*SERIES, "#6A5ACD", "#8C8C1F")
"""One for each passage that leads."""
LEAD = len(COLOURS)
"""Passages of the fused order that are in colour."""
SEEN = 6
"""Ranks that are in sight before one asks for all."""


def lists_found(record: Record) -> list[Ranking]:
    """The rankings that a run is about to fuse, in the order of their queries.

    Empty before the first search, where the strategy fuses nothing, and in step mode, which shows each search alone.
    """
    strategy = strategies().get(record.started.strategy) if record.started else None
    written = record.find(Queries)
    if not written or strategy is None or strategy.merges != "fused" or record.step_by_step:
        return []
    order = [query.text for query in written[-1].queries]
    found = [ranking for ranking in record.find(Ranking) if ranking.query in order]
    return sorted(found, key=lambda ranking: order.index(ranking.query))


def lists_flow(found: Sequence[Ranking]) -> dict[str, Any]:
    """The picture before the lists are fused: the lists alone, without the order to come."""
    flow = fusion_flow(fuse(found))
    passages = sorted(
        (
            one
            | {"card": one["card"] | {"rank": ""}, "leads": False, "colour": QUIET, "score": "", "sum": ""}
            | {"terms": [""] * len(found), "told": one["told"].rpartition("; ")[0]}
            for one in flow["passages"]
        ),
        key=lambda one: min((rank, at) for at, rank in enumerate(one["places"]) if rank is not None),
    )
    return flow | {"passages": passages, "fused": False}


def fusion_flow(artefact: Fusion, made: Fusion | None = None) -> dict[str, Any]:
    """What the picture shows: `lists` left to right, and `passages`, the best fused score first; text is raw.

    Args:
        artefact: The fusion to show.
        made: The fusion that the answer was made with, if it is another one: passages keep its colours.
    """
    every = [row.passage for row in artefact.rows]
    called, details = names(every), named_apart(every)
    columns = list_columns(artefact.lists)
    colours = _colours(artefact, made or artefact)
    before = {row.passage.chunk: rank for rank, row in enumerate((made or artefact).rows, 1)}
    passages = []
    for fused, row in enumerate(artefact.rows, 1):
        chunk = row.passage.chunk
        ranks = [None if rank is None else rank - 1 + artefact.first_rank for rank in row.ranks]
        terms = ["" if rank is None else f"1/{artefact.k + rank}" for rank in ranks]
        total = f"{' + '.join(filter(None, terms))} = {row.score:.4f}"
        same = says_the_same(row.repeats)
        if same:
            total += f"; {same}"
        places = zip((column.name for column in columns), ranks, strict=True)
        found = ", ".join(f"rank {rank} in {name}" for name, rank in places if rank is not None)
        passages.append(
            {
                "card": asdict(passage_card(row.passage, fused, None, "")),
                "name": called[chunk],
                "detail": details[chunk],
                "places": row.ranks,
                "ranks": ["" if rank is None else str(rank) for rank in ranks],
                "terms": terms,
                "score": f"{row.score:.4f}",
                "sum": total,
                "told": f"{found}; {total}",
                **({"repeats": same} if same else {}),
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
