"""Nodes and helpers that several strategies share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar

from core.errors import StoreError
from core.retrieval.repeats import holder_of
from core.skills.answer import answer as answer_skill
from core.skills.rerank import RERANK, windows
from core.strategies.base import END, START, Graph, NodeRuntime, RagState, RunContext, StrategyParams, Update
from core.strategies.costs import Stage
from core.trace.artefacts import EVAL_CUTOFF, Artefact, Context, Ranking, RankRow
from core.trace.events import emit_artefact
from core.trace.passages import Hit, Passage
from core.wording import counted

if TYPE_CHECKING:  # a strategy is described without it
    from core.retrieval.retriever import Retriever

T = TypeVar("T")

TITLES, TITLE_CHARS = 8, 60
"""Titles of documents that a model is told, and characters of each."""


class Branch(TypedDict):
    """The state of one branch of a fan-out: its place in the order, and the text it works on."""

    index: int
    label: str


@dataclass(frozen=True)
class Node:
    """One node of a graph: an async function of state (or branch) and runtime, and what pages say of it."""

    name: str
    title: str
    """Its name on screen."""
    does: str
    """Its work, in one sentence for anyone who waits for it."""
    run: Callable[..., Any]
    branches: Callable[[Any], Sequence[Branch]] | None = None
    """Set where it runs once per branch, all at once: the branches from the state."""

    def __call__(self, state: Any, runtime: Any) -> Any:
        """Run it outside a graph."""
        return self.run(state, runtime)


def node(
    name: str, title: str, branches: Callable[[Any], Sequence[Branch]] | None = None
) -> Callable[[Callable[..., Any]], Node]:
    """Decorates the function of a node; the first paragraph of its docstring is what pages say that it does."""

    def decorated(run: Callable[..., Any]) -> Node:
        does = " ".join((run.__doc__ or "").partition("\n\n")[0].split())
        return Node(name, title, does, run, branches)

    return decorated


def chain(state: type, *nodes: Node) -> Graph:
    """A graph whose nodes run one after the other; a node with branches waits for all of them."""
    from langgraph.types import Send

    def fan_out(name: str, branches: Callable[[Any], Sequence[Branch]]) -> Callable[[Any], list[Send]]:
        return lambda values: [Send(name, branch) for branch in branches(values)]

    graph, before = unconnected(state, *nodes), START
    for node in nodes:
        if node.branches is None:
            graph.add_edge(before, node.name)
        else:
            graph.add_conditional_edges(before, fan_out(node.name, node.branches), [node.name])
        before = node.name
    graph.add_edge(before, END)
    return graph


def unconnected(state: type, *nodes: Node) -> Graph:
    """A graph of these nodes that has no edges yet; a diagram shows them in this order."""
    from langgraph.graph import StateGraph

    graph: Graph = StateGraph(state, context_schema=RunContext)
    for node in nodes:
        add(graph, node)
    return graph


def add(graph: Graph, node: Node, *, defer: bool = False) -> None:
    """One more node; a deferred one waits until nothing else is under way."""
    graph.add_node(node.name, node.run, metadata={"title": node.title, "does": node.does}, defer=defer)


def connect(graph: Graph, *names: str) -> None:
    """Let nodes follow one another."""
    for source, target in pairwise(names):
        graph.add_edge(source, target)


def per_query(state: Any) -> list[Branch]:
    """One branch for each of the state's queries."""
    return [Branch(index=index, label=query.text) for index, query in enumerate(state["queries"].queries)]


def in_order(results: Iterable[tuple[int, T]]) -> list[T]:
    """The results of a fan-out's branches, each with its index, in the order of the branches."""
    return [result for _, result in sorted(results, key=lambda pair: pair[0])]


def given_first(ranked: Iterable[tuple[Passage, float | None]], count: int) -> Context:
    """Evidence in its final order; the first `count` passages go to the answer."""
    return Context.of((passage, score, rank <= count, "") for rank, (passage, score) in enumerate(ranked, 1))


def best_first(places: Iterable[Hit | RankRow], count: int) -> Context:
    """Evidence in the order of a ranking; the first `count` passages go to the answer."""
    return given_first(((place.passage, place.score) for place in places), count)


def reported(run: RunContext[Any], /, **artefacts: Artefact) -> Update:
    """Report artefacts; the update puts each into the state channel that it is passed under."""
    for artefact in artefacts.values():
        emit_artefact(run.tracer, artefact)
    return dict(artefacts)


async def search(context: RunContext[Any], query: str) -> Ranking:
    """Search with one query for `k` chunks, and report the ranking."""
    ranking = await context.retriever.search(query, context.params.k)
    emit_artefact(context.tracer, ranking)
    return ranking


async def search_for_new(
    context: RunContext[Any], query: str, known: Sequence[Passage]
) -> tuple[Ranking, list[Hit]]:
    """Search for `k` passages that are not known yet, reading on down the ranking until there are so many.

    What repeats one of them is not new either.

    Returns:
        The ranking, not yet reported, whose `k` says how deep it was read; and the new hits, at most `k`.
    """
    k = context.params.k
    ranking = await context.retriever.search(query, k, depth=max(EVAL_CUTOFF, k + len(known)))
    new = new_hits(ranking.places, known)[:k]
    read = max((place for place, hit in enumerate(ranking.places, 1) if hit in new), default=0)
    return ranking.model_copy(update={"k": max(k, read)}), new


def new_hits(hits: Iterable[Hit], known: Sequence[Passage]) -> list[Hit]:
    """The hits, in their order, that are none of the known passages and repeat none of them."""
    ids = {ident for passage in known for ident in passage.ids}
    return [hit for hit in hits if hit.passage.chunk not in ids and holder_of(known, hit.passage) is None]


@node("answer", "Answer")
async def answer(state: RagState, runtime: NodeRuntime[StrategyParams]) -> Update:
    """The question is answered from the passages that are given."""
    result = await answer_skill(runtime.context.skills, state["question"], state["context"].given_passages)
    return reported(runtime.context, answer=result)


async def documents_of(retriever: Retriever, fields: str = "") -> str:
    """Name and size of a corpus, with some of its titles, and by what they can be filtered, if that is said."""
    corpus = retriever.corpus
    try:
        titles = await retriever.titles(TITLES)
    except StoreError:  # the search that comes next will say so
        titles = ()
    some = " · ".join(cut(title, TITLE_CHARS) for title in titles)
    line = f"“{corpus.name}”, {counted(corpus.documents, 'document')}{f', e.g. {some}' if some else ''}"
    return f"{line}. Fields: {fields}" if fields else line


def cut(text: str, limit: int) -> str:
    """A text on one line, cut behind a word."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[:limit].rpartition(" ")[0]
    return f"{(head if len(head) > limit // 2 else text[:limit]).rstrip(' ,;:')}…"


class Searching(Protocol):
    """The parameters that say how much is reranked."""

    @property
    def k(self) -> int:
        """Hits that a search brings in."""

    @property
    def rerank(self) -> int:
        """Hits that are reranked; 0: none."""


def reranking(
    params: Searching,
    searches: int = 1,
    *,
    most: int | None = None,
    depth: int = EVAL_CUTOFF,
    beside: bool = False,
) -> tuple[Stage, ...]:
    """The stages of reranking what several searches at once find: one for each window, since each waits for the last.

    Args:
        searches: As a rule; 0: only in a further turn of a loop.
        most: Largest number of searches; None: as `searches`.
        beside: True if the first window runs at once with the stage before it.
    """
    if not params.rerank:
        return (Stage(RERANK.key, 0),)
    count = sum(1 for _ in windows(max(params.rerank, params.k, depth)))
    return tuple(Stage(RERANK.key, searches, most, beside and not number) for number in range(count))
