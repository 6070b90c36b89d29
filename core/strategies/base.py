"""A strategy: a LangGraph graph with a description, in one file of its own.

Reading a strategy's description imports neither langgraph nor langchain; only `build` does. What such a file needs can
be imported from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from importlib import resources
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    Protocol,
    TypeAlias,
    TypedDict,
    TypeVar,
)

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from core.errors import InputError
from core.skills import SKILLS, methods_in_force, needs_endpoint
from core.skills.base import CAPABLE, SkillContext
from core.strategies.costs import Forecast as Forecast
from core.strategies.costs import Stage as Stage
from core.strategies.costs import forecast
from core.strategies.lessons import stem
from core.strict_json import read_json
from core.trace.artefacts import Answer, Context
from core.trace.events import Tracer
from core.wording import shortened

if TYPE_CHECKING:
    from langgraph.graph import StateGraph

    from core.knowledge.explore.explorer import Explorer
    from core.retrieval.retriever import Retriever
    from core.strategies.families import FamilyKey
    from core.strategies.recomputing import Recomputation


class StrategyParams(BaseModel):
    """Parameters of a strategy; the form and the command line are made from the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gives: ClassVar[str] = ""
    """Parameter that says how many passages the answer is given in all; empty: its searches decide that."""


Rerank: TypeAlias = Annotated[
    int,
    Field(
        ge=0,
        le=50,
        title="Rerank",
        description="How many top hits of each search a slower second judge reorders; at least as many as the search "
        "brings in. 0: none. The chat model takes a call for up to 20 hits of each "
        "search; token by token, or at an endpoint of its own, it takes none.",
    ),
]
"""The parameter `rerank` of every strategy that searches documents; `RunContext.retriever` heeds it."""


class RetrievalParams(StrategyParams):
    """Parameters of every strategy that retrieves."""

    gives = "context_size"
    k: int = Field(
        4, ge=1, le=20, title="Chunks per query", description="How many chunks each query brings in."
    )
    context_size: int = Field(
        6, ge=1, le=20, title="Passages for the answer", description="How many passages the answer is given."
    )
    rerank: Rerank = 0


class OneSearchParams(StrategyParams):
    """Parameters of a strategy whose answer is given all that its search brings in."""

    gives = "k"
    k: int = Field(
        6,
        ge=1,
        le=20,
        title="Passages",
        description="How many passages the search brings in. The answer is given all of them.",
    )
    rerank: Rerank = 0

    @model_validator(mode="before")
    @classmethod
    def _as_stored_before(cls, values: Any) -> Any:
        """Runs stored earlier searched for `k`, 4 if not said, and gave at most `context_size` of them."""
        if not isinstance(values, dict) or "context_size" not in values:
            return values
        remaining = {name: value for name, value in values.items() if name != "context_size"}
        return remaining | {"k": min(remaining.get("k", 4), values["context_size"])}


def bounds(field: FieldInfo) -> tuple[float | None, float | None]:
    """Smallest and largest value of a numeric parameter, ends included; None: no bound."""
    low = next((m.ge for m in field.metadata if hasattr(m, "ge")), None)
    high = next((m.le for m in field.metadata if hasattr(m, "le")), None)
    return low, high


def applies(field: FieldInfo, values: Mapping[str, Any]) -> bool:
    """True if a parameter means anything beside the values of those before it; where it says nothing of that
    (`applies` in its `json_schema_extra`: name of a parameter -> its values), it does."""
    extra = field.json_schema_extra
    wanted: Any = extra.get("applies", {}) if isinstance(extra, dict) else {}
    return all(values.get(name, allowed[0]) in allowed for name, allowed in wanted.items())


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


BASELINE = "plain"
"""Key of the strategy that the others are measured against, and that is chosen at first."""

P = TypeVar("P", bound=StrategyParams)


QUOTED_CHARS = 80
"""Of a value that is refused: it may be of any length."""
START, END = "__start__", "__end__"
"""Names of the beginning and the end of a graph, as in `langgraph.graph`, which takes a second to import."""


@dataclass(frozen=True)
class Edge:
    """An arrow of the diagram."""

    source: str
    target: str
    conditional: bool
    """Taken once per branch, or only sometimes."""


@dataclass(frozen=True, eq=False)
class Diagram:
    """A strategy's graph, ready to be drawn; begins and ends at `__start__` and `__end__`."""

    nodes: dict[str, str]
    """Node -> what it is called on screen."""
    edges: tuple[Edge, ...]
    does: Mapping[str, str] = field(default_factory=dict)
    """Node -> what it does, in one sentence; those that say nothing are left out."""

    @property
    def steps(self) -> dict[str, str]:
        """The nodes without beginning and end: what can run."""
        return {key: title for key, title in self.nodes.items() if key not in (START, END)}

    def leads_to(self, source: str, target: str) -> bool:
        """True if a step may come after another one, at once or later."""
        reached, waiting = set[str](), [source]
        while waiting:
            node = waiting.pop()
            new = {edge.target for edge in self.edges if edge.source == node} - reached
            reached |= new
            waiting += new
        return target in reached


@dataclass(frozen=True)
class Strategy(Generic[P]):
    """A way to answer a question, described."""

    key: str
    title: str
    idea: str
    """One sentence."""
    paper: str
    """Where it comes from, with a link or an arXiv number."""
    helps: str
    """When it helps: one sentence."""
    hurts: str
    """When it hurts, or what it costs: one sentence."""
    params: type[P]
    stages: Callable[[P], tuple[Stage, ...]]
    """The model work in the order in which it must wait."""
    build: Callable[[P], Graph]
    """The graph; its last node is `answer`."""
    colour: str
    """Its colour everywhere, as `#rrggbb`, from the Okabe-Ito palette."""
    order: int
    """Its place when all are listed: from simple to involved, as a course would take them."""
    picture: str = ""
    """Key of the kind of artefact whose picture, in `core.cards.kinds`, shows all that it did; empty: it has none."""
    family: FamilyKey = "more"
    """Key of its family, see `core.strategies.families`."""
    retrieves: bool = True
    """True if it needs a corpus."""
    explores: bool = False
    """True if it needs a knowledge graph. One that retrieves as well needs one of the two, and takes both."""
    retriever: str = ""
    """The only way in which it searches, one of `core.retrieval.kinds.RETRIEVERS`; empty: it is chosen with the
    question."""
    asks_first: bool = False
    """True if a model call comes before the first search, so that what searches can be loaded meanwhile."""
    routes: bool = False
    """True if it sends each question a way that is another strategy: an evaluation then compares it with the best of
    the others."""
    fuses: bool = False
    """True if it has several queries, whose rankings are fused into one."""
    beside: bool = False
    """True if its sub-questions are answered beside one another, so that none knows another's answer."""
    ranks: Callable[[P], bool] = lambda params: True
    """True if its evidence has an order of its own that can be judged as a ranking."""
    appends: bool = False
    """True if its evidence is the rankings of several searches in sequence; else it is one ranking."""
    also_searches: Callable[[P], str] = lambda params: ""
    """Name of a further corpus that a run with these parameters may search; empty: none."""
    recomputation: Recomputation | None = None
    """Set where a stored run tells what some other parameters would have found."""
    at_cap: tuple[str, Callable[[Any], bool]] | None = None
    """Set where a run that used up its calls may still end with an answer: the node it is then taken to have left,
    whose way on must lead to `answer` once the state has `capped`, and whether a state has enough for that."""

    @property
    def either(self) -> bool:
        """True if a corpus or a graph is enough for it."""
        return self.retrieves and self.explores

    @property
    def choosable(self) -> bool:
        """True if it can search in several ways."""
        return self.retrieves and not self.retriever

    @property
    def alone(self) -> bool:
        """True if the model answers from memory, with no documents and no graph."""
        return not self.retrieves and not self.explores

    def lacking(self, builtin: bool) -> str:
        """Why the model that answers, the built-in one or another, cannot run it, as a sentence; empty: it can."""
        unable = builtin and any(not SKILLS[key].builtin for key in self.skills)
        return needs_endpoint(self.title) if unable else ""

    @property
    def skills(self) -> tuple[str, ...]:
        """Keys of the skills it may use, with whatever parameters, in order."""
        return tuple(dict.fromkeys(stage.skill for stage in self.stages(self.params())))

    def skills_with(self, params: P) -> tuple[str, ...]:
        """Keys of the skills it may use with these parameters, in order."""
        return tuple(dict.fromkeys(stage.skill for stage in self.stages(params) if stage.count or stage.most))

    def parse(self, values: Mapping[str, Any]) -> P:
        """Parameters from a form or from `name=value` words.

        Raises:
            InputError: A name is unknown or a value out of range; the sentence names it and its bounds.
        """
        with suppress(ValidationError):
            return self.params.model_validate(values)
        try:  # words that stand for numbers and truth values
            return self.params.model_validate({name: _value(value) for name, value in values.items()})
        except ValidationError as error:
            first = error.errors()[0]
            name = shortened(".".join(map(str, first["loc"])), QUOTED_CHARS)
            if first["type"] == "extra_forbidden":
                known = ", ".join(self.params.model_fields) or "none"
                raise InputError(
                    f"'{self.key}' has no parameter '{name}'. Its parameters: {known}."
                ) from None
            value = shortened(repr(first["input"]), QUOTED_CHARS)
            raise InputError(f"Parameter '{name}': {first['msg'].lower()}, but it is {value}.") from None

    def forecast(self, params: P | None = None, methods: Mapping[str, str] | None = None) -> Forecast:
        """Rounds and calls of a run; None: default parameters, a capable model's methods (skill key -> method key)."""
        methods = methods_in_force(self.skills, CAPABLE, {}) if methods is None else methods
        return forecast(self.stages(params or self.params()), methods)

    def diagram(self, values: Mapping[str, Any] | None = None) -> Diagram:
        """The graph with these parameters; with its defaults where they are none, or none that it has now."""
        try:
            params = self.params.model_validate(values or {})
        except ValidationError:
            params = self.params()
        return _diagram(self, params)

    @property
    def tutorial(self) -> str:
        """The idea as a short plain-LangChain script; empty where it has none."""
        file = resources.files("core.strategies.tutorial") / f"{stem(self.key)}.py"
        return file.read_text(encoding="utf-8") if file.is_file() else ""


AnyStrategy: TypeAlias = Strategy[Any]
"""A strategy, whatever its parameters are."""


def _value(value: Any) -> Any:
    """A word from the command line as the number or truth value it spells."""
    try:
        return read_json(value) if isinstance(value, str) else value
    except ValueError:
        return value


@lru_cache(maxsize=256)
def _diagram(strategy: AnyStrategy, params: StrategyParams) -> Diagram:
    graph = strategy.build(params).compile().get_graph()
    metadata = {key: node.metadata or {} for key, node in graph.nodes.items()}
    nodes = {key: str(data.get("title", key)) for key, data in metadata.items()}
    edges = tuple(Edge(edge.source, edge.target, edge.conditional) for edge in graph.edges)
    return Diagram(
        nodes, edges, {key: str(data["does"]) for key, data in metadata.items() if data.get("does")}
    )
