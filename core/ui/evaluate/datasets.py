"""Labelled data sets: those there are, uploading one, making one."""

from __future__ import annotations

from core.runs.workbench import Workbench


def show(bench: Workbench) -> None:
    """Draw the section."""
