"""Kinds of models, which decide the methods that a skill offers and its default, and the skills that each can do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.models.capability import CAPABILITIES, Capability

if TYPE_CHECKING:
    from core.models.chat_models import ChatModel
    from core.settings import Settings


@dataclass(frozen=True)
class ModelKind:
    """A kind of chat model, and whether a reranker is there beside it."""

    capability: Capability = "capable"
    """How capable the model is, see `OWN_FROM`."""
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


OWN_FROM: Mapping[str, Capability] = {
    "recall": "tiny",
    "answer": "small",
    "answer_again": "small",
    "answer_gathered": "small",
    "answer_path": "small",
    "answer_step_back": "small",
    "answer_sub": "small",
    "grade_relevance": "small",
    "read": "small",
    "reduce": "small",
    "resolve": "small",
    "reword": "small",
    "rewrite_question": "small",
    "search_queries": "small",
    "split_question": "small",
    "step_back": "small",
    "sub_questions": "small",
    "synthesise": "small",
    "think": "small",
    "update_question": "small",
    "choose_tool": "capable",
    "critique": "capable",
    "decide_retrieval": "capable",
    "evaluate_passage": "capable",
    "extract": "capable",
    "grade_support": "capable",
    "grade_use": "capable",
    "judge_path": "capable",
    "passage": "capable",
    "plan_exploration": "capable",
    "rerank": "capable",
    "route": "capable",
    "select": "capable",
    "text2cypher": "capable",
}
"""Skill -> the smallest capability that does it by its own judgement; below it, another method does. A skill without
another method is left to any model.

Small models are given what one of 1.5 billion parameters was seen to do (docs/results.md): it judged relevance,
reworded, split, stepped back and answered from passages. It failed at verdicts on answers, at choosing tools and at
schemas of triples; what nobody has measured is not left to it either.
"""


def judges(capability: Capability, skill: str) -> bool:
    """True if a model of this capability does a skill by its own judgement."""
    least = OWN_FROM.get(skill, CAPABILITIES[0])
    return CAPABILITIES.index(capability) >= CAPABILITIES.index(least)
