"""Runs side by side, drawn by one component of our own, which never interprets text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from core.ui.shell.assets import drawing


@dataclass(frozen=True)
class Acted:
    """What the user asked for in a column."""

    what: Literal["stop", "open"]
    run: str
    """One of those on the page."""


def draw_side_by_side(data: dict[str, Any], runs: Sequence[str], key: str) -> Acted | None:
    """All columns.

    Args:
        data: See `core.drawings.side_by_side.live_columns`.
        runs: Ids of the runs on the page.
        key: Unique on the page and stable between redraws.

    Returns:
        What was clicked since the last redraw; None: nothing.
    """
    result = drawing("side_by_side")(data=data, key=f"side-by-side-{key}", on_acted_change=_heard)
    return _acted(result.acted, runs)


def _heard() -> None:
    """A click is read from the result; it only has to cause a redraw."""


def _acted(value: object, runs: Sequence[str]) -> Acted | None:
    """What the browser reported, if it is about a run on the page."""
    if not isinstance(value, Mapping) or value.get("what") not in ("stop", "open"):
        return None
    run = value.get("run")
    known = isinstance(run, str) and run in runs
    return Acted(cast(Literal["stop", "open"], value["what"]), str(run)) if known else None
