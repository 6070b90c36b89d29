"""A text with its chunks marked, drawn by a component of our own that never interprets text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.ui.documents.chunks_view import Stretch
from core.ui.shell.assets import drawing
from core.ui.shell.theme import reading_aid


def draw_chunks(stretches: Sequence[Stretch], key: str, *, chosen: int | None = None) -> None:
    """A text with a number where each chunk begins.

    Args:
        stretches: The text.
        key: Unique on the page and stable between redraws.
        chosen: Number of the chunk that is underlined and scrolled to.
    """
    data = {"stretches": [asdict(stretch) for stretch in stretches], "chosen": chosen}
    drawing("chunks")(data=data, key=f"chunks-{key}")
    reading_aid(
        "A number marks where a chunk begins, and neighbours differ in colour; "
        "striped text is in two chunks at once: their overlap."
    )
