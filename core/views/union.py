"""The chunk × query matrix: which query found which passage, and at which rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from core.trace.artefacts import RankedList, RankRow, Union
from core.views.colours import tint
from core.views.passages import PassageCard, passage_card


@dataclass(frozen=True)
class MatrixView:
    """Passages in rows, queries in columns, ranks from 1 in the cells; empty: not found."""

    table: pd.DataFrame
    lists: dict[str, str]
    """Column -> the query and retriever it stands for."""
    cards: tuple[PassageCard, ...]
    """The passages, in the order of the rows."""


def union_view(artefact: Union) -> MatrixView:
    """The union's passages, best rank first."""
    lists = column_names(artefact.lists)
    data: dict[str, list[object]] = {"Passage": [row.passage.title for row in artefact.rows]}
    for place, name in enumerate(lists):
        data[name] = [row.ranks[place] for row in artefact.rows]
    data["Found by"] = [found_by(row) for row in artefact.rows]
    table = pd.DataFrame(data, index=pd.RangeIndex(1, len(artefact.rows) + 1, name="#"))
    table = table.astype(dict.fromkeys(lists, "Int64"))
    cards = tuple(
        passage_card(row.passage, rank, None, "", badge=found_by(row))
        for rank, row in enumerate(artefact.rows, 1)
    )
    return MatrixView(table, lists, cards)


def found_by(row: RankRow) -> str:
    """How many lists hold a passage."""
    return f"{sum(rank is not None for rank in row.ranks)} of {len(row.ranks)}"


def column_names(lists: Sequence[RankedList]) -> dict[str, str]:
    """A short name per list -> what it stands for. Several retrievers for one query are told apart."""
    several = len({ranked.retriever for ranked in lists}) > 1
    numbers: dict[str, int] = {}
    names: dict[str, str] = {}
    for ranked in lists:
        number = numbers.setdefault(ranked.query, len(numbers) + 1)
        name = f"Q{number} {ranked.retriever}" if several else f"Q{number}"
        names[name] = f"{ranked.query} ({ranked.retriever})" if several else ranked.query
    return names


def heat(rank: object, colour: str) -> str:
    """CSS of a cell: the better the rank, the stronger the colour."""
    if rank is None or pd.isna(rank):  # type: ignore[call-overload]  # any cell value, by pandas' own test
        return ""
    return f"background-color: {tint(colour, max(0.12, 0.62 - 0.1 * (int(str(rank)) - 1)))}"
