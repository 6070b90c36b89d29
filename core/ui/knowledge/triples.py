"""Triples with the words that state them, drawn by a component of our own that never interprets text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.ui.knowledge.triples_view import TripleColumn
from core.ui.shell.assets import drawing


def draw_triples(columns: Sequence[TripleColumn], key: str, *, growing: bool = False) -> None:
    """Columns beside each other, or below one another where there is no room.

    Args:
        columns: What to show.
        key: Unique on the page and stable between redraws.
        growing: Whether triples that come in light up for a moment.
    """
    data = {"columns": [asdict(column) for column in columns], "growing": growing}
    drawing("triples")(data=data, key=f"triples-{key}")
