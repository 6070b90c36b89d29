"""The context of the nodes of a strategy's graph, and the state that they hand on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypedDict, TypeVar

from core.errors import InputError
from core.skills.base import SkillContext
from core.strategies.parameters import StrategyParams
from core.trace.artefacts import Answer, Context
from core.trace.tracer import Tracer

if TYPE_CHECKING:
    from langgraph.graph import StateGraph

    from core.knowledge.explore.explorer import Explorer
    from core.retrieval.retriever import Retriever

P_co = TypeVar("P_co", bound=StrategyParams, covariant=True)


@dataclass(frozen=True)
class RunContext(Generic[P_co]):
    """The parameters, skills and sources of a run; nothing of it is global or stored in checkpoints."""

    params: P_co
    skills: SkillContext
    tracer: Tracer
    corpus: Retriever | None = None
    graph: Explorer | None = None
    further_corpus: Retriever | None = None
    """Of another corpus, where the strategy's parameters name one."""

    @cached_property
    def retriever(self) -> Retriever:
        """The retriever of the chosen corpus; where the parameters say so, with its hits reranked.

        Raises:
            InputError: The run has no corpus.
        """
        if self.corpus is None:
            raise InputError("This strategy searches documents: choose a corpus first.")
        return self._reranked(self.corpus)

    @property
    def other_retriever(self) -> Retriever:
        """The other retriever: of the further corpus where the parameters name one, or else of the same corpus in
        another way.

        Raises:
            InputError: The run has no corpus.
        """
        return self._reranked(self.further_corpus) if self.further_corpus else self.retriever.other()

    def _reranked(self, retriever: Retriever) -> Retriever:
        count: int = getattr(self.params, "rerank", 0)
        if not count:
            return retriever
        from core.skills.rerank import rerank

        return retriever.reranked(partial(rerank, self.skills), count)

    @property
    def explorer(self) -> Explorer:
        """The chosen knowledge graph.

        Raises:
            InputError: The run has none.
        """
        if self.graph is None:
            raise InputError("This strategy explores a knowledge graph: choose one first.")
        return self.graph


class NodeRuntime(Protocol[P_co]):
    """The part of LangGraph's `Runtime` that nodes use."""

    @property
    def context(self) -> RunContext[P_co]:
        """The run's context."""


class RagState(TypedDict, total=False):
    """The state that all strategies share."""

    question: str
    context: Context
    answer: Answer


Graph: TypeAlias = "StateGraph[Any, Any, Any, Any]"
"""A strategy's graph, not yet compiled."""
Update = dict[str, Any]
"""What a node returns: new values of state channels."""
