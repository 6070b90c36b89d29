"""The fields that all artefacts share."""

from __future__ import annotations

from typing import ClassVar

from core.trace.passages import Frozen


class Artefact(Frozen):
    """The fields that all artefacts share."""

    channel: ClassVar[str | None] = None
    """State channel that an edited artefact replaces; None: not editable."""

    skill: str = ""
    """Key of the skill that made it; empty: no model task was involved."""
    method: str = ""
    """Which of the skill's methods was used."""
    note: str = ""
    """One sentence a user should read with it: a weak method, a fallback, a limit."""
