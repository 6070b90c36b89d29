"""What was evaluated, and a new evaluation."""

from __future__ import annotations

from core.runs.workbench import Workbench


def show(bench: Workbench) -> None:
    """Draw the section."""
