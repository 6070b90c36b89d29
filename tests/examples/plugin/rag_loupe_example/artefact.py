"""The words of a question that are searched with."""

from __future__ import annotations

from typing import Literal

from core.trace.artefacts.base import Artefact


class WordChoice(Artefact):
    """Which words of the question are long enough to be searched with."""

    kind: Literal["word_choice"] = "word_choice"

    words: tuple[str, ...]
    left_out: tuple[str, ...] = ()
