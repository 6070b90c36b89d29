"""What kind of model answers: which methods a skill offers, and which it takes by itself, depend on it."""

from __future__ import annotations

from dataclasses import dataclass

from core.models.capability import Capability


@dataclass(frozen=True)
class ModelKind:
    """A kind of chat model, and whether a reranker is there beside it."""

    capability: Capability = "capable"
    """How capable the model is, see `core.skills.judgement`."""
    builtin: bool = False
    """Whether it is the built-in model, which is tiny, and has methods that it was taught."""
    reranker: bool = False
    """Whether a reranker is configured."""

    @property
    def key(self) -> str:
        """What is chosen for one kind of model is kept under this: defaults differ."""
        return "builtin" if self.builtin else self.capability


CAPABLE = ModelKind()
"""Any model but small ones."""
TINY = ModelKind("tiny", builtin=True)
"""The built-in model."""
