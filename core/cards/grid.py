"""A grid of passages by ranked lists: what each list made of each passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from core.cards.parts import Drawing, Line, Lines, Part
from core.cards.passages import PassageCard
from core.trace.artefacts import RankedList, Ranking, RankRow


@dataclass(frozen=True)
class Column:
    """A column's short name and what it stands for."""

    name: str
    meaning: str


@dataclass(frozen=True)
class Cell:
    """One cell of a grid."""

    text: str = ""
    small: str = ""
    """A second, smaller line."""
    strength: float = 0.0
    """How strongly the cell is coloured, from 0 to 1."""
    colour: str = ""
    """In which colour; empty: the grid's."""


@dataclass(frozen=True)
class GridRow:
    """One passage."""

    card: PassageCard
    leads: tuple[Cell, ...]
    cells: tuple[Cell, ...]
    """One per list; empty: the list does not hold the passage."""
    parts: tuple[float, ...] = ()
    """Shares of a bar below the first lead, from 0 to 1 in all; empty: no bar."""


@dataclass(frozen=True)
class Grid:
    """Passages in rows, lists in columns; all text is raw and must not be interpreted."""

    leads: tuple[Column, ...]
    """Columns about the passage as a whole."""
    lists: tuple[Column, ...]
    rows: tuple[GridRow, ...]

    def drawing(self, colour: str, slot: str = "") -> Drawing:
        """Return the drawing of the grid, with `colour` (`#rrggbb`) under the ranks; `slot` tells it from others of
        a card."""
        return Drawing("grid", asdict(self) | {"colour": colour}, slot)

    def parts(self, colour: str, slot: str = "") -> tuple[Part, ...]:
        """The drawing, and what its columns of lists stand for; arguments as for `drawing`."""
        meanings = [Line(column.meaning, head=column.name) for column in self.lists]
        return self.drawing(colour, slot), Lines(meanings, numbered=False, quiet=True)


def strength(rank: int | None) -> float:
    """Colour of a rank from 1: the better, the stronger."""
    return 0.0 if rank is None else max(0.12, 0.62 - 0.1 * (rank - 1))


def found_by(row: RankRow) -> str:
    """Count the lists that hold a passage, in words."""
    return f"{sum(rank is not None for rank in row.ranks)} of {len(row.ranks)}"


def list_columns(lists: Sequence[RankedList | Ranking]) -> tuple[Column, ...]:
    """A short name per list, or ranking. Several retrievers for one query are told apart."""
    several = len({ranked.retriever for ranked in lists}) > 1
    numbers: dict[str, int] = {}
    columns: list[Column] = []
    for ranked in lists:
        number = numbers.setdefault(ranked.query, len(numbers) + 1)
        name = f"Q{number} {ranked.retriever}" if several else f"Q{number}"
        columns.append(Column(name, f"{ranked.query} ({ranked.retriever})" if several else ranked.query))
    return tuple(columns)
