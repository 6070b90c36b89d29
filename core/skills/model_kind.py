"""Kinds of models: the methods that a skill offers, and its default, depend on the kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.models.capability import Capability

if TYPE_CHECKING:
    from core.models.chat_models import ChatModel
    from core.settings import Settings


@dataclass(frozen=True)
class ModelKind:
    """A kind of chat model, and whether a reranker is there beside it."""

    capability: Capability = "capable"
    """How capable the model is, see `core.skills.judgement`."""
    builtin: bool = False
    """True if it is the built-in model, which is tiny, and has methods that it was taught."""
    reranker: bool = False
    """True if a reranker is configured."""

    @property
    def key(self) -> str:
        """Name under which a user's choices for this kind of model are kept, since defaults differ."""
        return "builtin" if self.builtin else self.capability


CAPABLE = ModelKind()
"""Any model but small ones."""
TINY = ModelKind("tiny", builtin=True)
"""The built-in model."""


def kind_of(chat: ChatModel, settings: Settings) -> ModelKind:
    """The kind of a model as far as its size does not count; `core.runs.backends.Backends.kind` knows that, too."""
    kind = TINY if chat.is_builtin(settings) else CAPABLE
    return replace(kind, reranker=settings.has_reranker)
