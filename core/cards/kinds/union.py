"""The chunk × query matrix: which query found which passage, and at which rank."""

from __future__ import annotations

from core.cards import pool
from core.cards.grid import Cell, Column, Grid, GridRow, found_by, list_columns, strength
from core.cards.kind import Gist, Kind, Scene, provenance
from core.cards.kinds.queries import merged
from core.cards.parts import Aid, Card, Drawing, Fold
from core.cards.passages import names, row_card
from core.trace.artefacts import PooledRanking
from core.wording import counted

READING = (
    "Numbers are ranks: 1 is the best hit of that query, an empty cell means not found. "
    "Choose a row to read its passage."
)

TABLE = "The ranks as a table"


def union_grid(artefact: PooledRanking) -> Grid:
    """The union's passages, best rank first; ranks from 1 in the cells."""
    called = names(row.passage for row in artefact.rows)
    rows = (
        GridRow(
            card=row_card(row, rank, called[row.passage.chunk]),
            leads=(Cell(found_by(row)),),
            cells=tuple(Cell(str(found or ""), strength=strength(found)) for found in row.ranks),
        )
        for rank, row in enumerate(artefact.rows, 1)
    )
    found = Column("Found by", "How many of the queries found the passage.")
    return Grid((found,), list_columns(artefact.lists), tuple(rows))


def card(artefact: PooledRanking, scene: Scene) -> Card:
    """How the queries fill the pool, and which of them found which passage."""
    parts = (
        Aid(pool.reading(scene.record)),
        Drawing("pool", pool.pool(artefact, scene.record)),
        Fold(TABLE, (Aid(READING), *union_grid(artefact).parts(scene.colour)), slot="table"),
        *provenance(artefact),
    )
    return Card(parts, counted(len(artefact.places), "different passage"))


KINDS = (
    Kind(
        key="union",
        title="Unique union",
        icon="join_full",
        moment="The union",
        gist=Gist(80, merged),
        card=card,
    ),
)
