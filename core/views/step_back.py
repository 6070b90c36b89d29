"""The question, and the more general one behind it."""

from __future__ import annotations

from dataclasses import dataclass

from core.trace.artefacts import StepBack


@dataclass(frozen=True)
class StepBackView:
    """Both questions; raw text."""

    question: str
    general: str
    same: bool
    """No step back was found."""


def step_back_view(artefact: StepBack) -> StepBackView:
    """The two questions."""
    return StepBackView(artefact.question, artefact.general, artefact.general == artefact.question)
