"""One parameter over a range of values."""

from __future__ import annotations

from core.runs.workbench import Workbench


def show(bench: Workbench) -> None:
    """Draw the section."""
