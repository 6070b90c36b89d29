"""A scene of a replay, as its sentence needs it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from core.cards.narration.words import NAME
from core.cards.passages import names
from core.cards.stars import STAR, Stars, stars_of
from core.runs.record import Record
from core.trace.artefacts import AnyArtefact, Ranking
from core.trace.passages import Passage


@dataclass(frozen=True)
class Told:
    """A scene, and the run that it is from."""

    run: Record
    """All of it."""
    made: Sequence[AnyArtefact]
    """What the scene's steps made."""
    before: Sequence[AnyArtefact]
    """What was made earlier."""

    @cached_property
    def stars(self) -> Stars:
        """Passages that hold evidence, as the labels say."""
        return stars_of(self.run)

    @property
    def labelled(self) -> bool:
        """Whether the labels say where the evidence is."""
        return bool(self.run.baseline and self.run.baseline.gold)

    def named(self, passages: Iterable[Passage]) -> dict[str, str]:
        """Chunk -> what its passage is called among these, in quotation marks, with a star where it holds evidence."""
        return {
            chunk: f"{STAR} “{name}”" if chunk in self.stars else f"“{name}”"
            for chunk, name in names(passages, NAME).items()
        }

    def found_before(self) -> set[str]:
        """Passages that earlier searches found."""
        return {hit.passage.chunk for one in self.before if isinstance(one, Ranking) for hit in one.used}

    def held(self, passages: Iterable[Passage], start: str = ", ") -> str:
        """How many of these passages hold evidence, in words after `start`; empty where nobody knows."""
        if not self.labelled:
            return ""
        count = sum(one.chunk in self.stars for one in passages)
        return f"{start}{count or 'none'} of them with evidence {STAR}"
