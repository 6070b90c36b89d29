"""What kind of model answers: which methods a skill offers, and which it takes by itself, depend on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class ModelKind:
    """A kind of chat model, and whether a reranker is there beside it."""

    builtin: bool = False
    """Whether it is the tiny built-in model that answers."""
    reranker: bool = False
    """Whether a reranker is configured."""
    cannot: frozenset[str] = frozenset()
    """Keys of the skills that it failed when it was checked, see `core.skills.checking`; a model that nobody checked is
    trusted with all."""

    @property
    def key(self) -> Literal["endpoint", "taught"]:
        """What is chosen for one kind of model is kept under this: defaults differ."""
        return "taught" if self.builtin else "endpoint"

    def key_for(self, skill: str) -> str:
        """What is chosen for one skill is kept under this: after a check, its default may be another one."""
        return f"{self.key}-checked" if skill in self.cannot else self.key


CAPABLE = ModelKind()
"""Any model but the built-in one."""
TINY = ModelKind(builtin=True)
"""The built-in model."""
