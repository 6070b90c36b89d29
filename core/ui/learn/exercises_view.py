"""What comes out in the exercises of the lessons, worked out by the code that runs use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.corpora.documents import Document
from core.corpora.splitting import Splitter
from core.knowledge.explore.chains import Chain, drawn, extended
from core.knowledge.explore.memory_graph import MemoryGraph
from core.knowledge.records import Hop, NodeRecord
from core.knowledge.triples import triple
from core.models.builtin import builtin_tokenizer
from core.models.embeddings import BUILTIN_MAX_TOKENS
from core.models.vectors import cosine_matrix
from core.retrieval.fusion import contribution, fuse
from core.retrieval.mean import mean_vector
from core.retrieval.union import unite
from core.skills import methods_in_force
from core.skills.think import concludes
from core.strategies import get_strategy, self_rag, self_rag_nodes
from core.strategies.agentic_nodes import ready_now
from core.strategies.base import Forecast
from core.strategies.step_back import both_contexts
from core.trace.artefacts import Context, Fusion, Ranking
from core.trace.passages import Hit, Passage

Options = Mapping[str, str]


@dataclass(frozen=True)
class Outcome:
    """What happens in an exercise."""

    right: str
    """Key of the option that says so."""
    working: tuple[str, ...] = ()
    """How it comes about, a line each; plain text."""


def outcome(lesson: str, options: Options) -> Outcome:
    """What happens in the exercise of a lesson.

    Args:
        lesson: Its key; one of `EXERCISES`.
        options: Key -> what the option says.
    """
    return EXERCISES[lesson](options)


def _ranking(names: str) -> Ranking:
    """A ranking of passages with one letter each."""
    hits = tuple(Hit(rank=rank, score=1 / rank, passage=_passage(name)) for rank, name in enumerate(names, 1))
    return Ranking(query=names, retriever="dense", score_name="score", k=len(names), hits=hits)


def _passage(name: str) -> Passage:
    return Passage(chunk=name, document=name, title=name, text=name, position=0, start=0, end=1)


def _letters(context: Context) -> str:
    return "".join(item.passage.chunk for item in context.passages if item.given)


def _forecast(strategy: str, **params: int) -> Forecast:
    """Calls and rounds with a model that does everything."""
    found = get_strategy(strategy)
    return found.forecast(found.parse(params), methods_in_force(found.skills, False, {}))


def _nearest(query: Sequence[float], chunks: Mapping[str, tuple[float, float]]) -> Outcome:
    cosines = cosine_matrix([query], list(chunks.values()))[0]
    found = dict(zip(chunks, cosines, strict=True))
    working = tuple(f"{name}: cosine {cosine:.3f}" for name, cosine in found.items())
    return Outcome(max(found, key=lambda name: found[name]), working)


def _indexing(_: Options) -> Outcome:
    """Seventy sentences of ten tokens each, cut by the code that cuts documents."""
    tokenizer, most = builtin_tokenizer(), BUILTIN_MAX_TOKENS
    sentence, length = "The sky is blue and so is the sea. ", 10
    document = Document(id="document", name="document", title="", text=sentence * 70)

    def cut(size: int) -> list[tuple[int, int]]:
        """The first and the last token of each chunk."""
        chunks = Splitter(tokenizer, 2 * size, size, 50).split(document)
        ends = ((chunk.start // len(sentence), -(-chunk.end // len(sentence))) for chunk in chunks)
        return [(start * length + 1, end * length) for start, end in ends]

    working = [f"Chunk {number}: tokens {start} to {end}" for number, (start, end) in enumerate(cut(300), 1)]
    other = f"With {most} tokens, the most with the built-in embeddings, there are {len(cut(most))}"
    return Outcome(str(len(working)), (*working, other))


def _closed_book(_: Options) -> Outcome:
    return Outcome("changes" if get_strategy("closed-book").retrieves else "same")


def _plain(_: Options) -> Outcome:
    return _nearest((1, 0), {"A": (0.9, 0.1), "B": (3, 3), "C": (0.5, 0)})


def _multi_query(_: Options) -> Outcome:
    rows = unite([_ranking("ABC"), _ranking("BDA"), _ranking("CEB")]).rows
    return Outcome(
        str(len(rows)), ("The pool, best rank first: " + ", ".join(row.passage.chunk for row in rows),)
    )


def _rag_fusion(_: Options) -> Outcome:
    lists = [_ranking("ABCX"), _ranking("DEXF")]
    fused = fuse(lists)
    other = fuse(lists, k=1)
    working = tuple(_sum(fused, name) for name in "XAD")
    turned = f"With k = 1 instead: {_sum(other, other.rows[0].passage.chunk)}; {_sum(other, 'X')}"
    return Outcome(fused.rows[0].passage.chunk, (*working, turned))


def _sum(fusion: Fusion, name: str) -> str:
    """A row of the score table, as one would write it on the board."""
    row = next(row for row in fusion.rows if row.passage.chunk == name)
    ranks = [rank for rank in row.ranks if rank is not None]
    parts = " + ".join(f"1/{1 / contribution(rank, fusion.k, fusion.first_rank):.0f}" for rank in ranks)
    return f"{name}: {parts} = {row.score:.4f}"


def _sequential(_: Options) -> Outcome:
    return Outcome(str(_forecast("decomposition-sequential", n=3).rounds))


def _independent(_: Options) -> Outcome:
    forecast = _forecast("decomposition-independent", n=5)
    return Outcome(str(forecast.rounds), (f"{forecast.calls_expected} calls in {forecast.rounds} rounds",))


def _least_to_most(_: Options) -> Outcome:
    # With filled-in references the question at the end takes one call more, to be searched by the names found.
    mine = _forecast("least-to-most", n=3, resolve_references=False).calls_expected
    other = _forecast("decomposition-sequential", n=3).calls_expected
    working = (f"Least-to-most: {mine} calls", f"Sequential decomposition: {other} calls")
    return Outcome("fewer" if mine < other else "more" if mine > other else "same", working)


def _ircot(options: Options) -> Outcome:
    return Outcome(next(key for key, sentence in options.items() if concludes(sentence)))


def _step_back(_: Options) -> Outcome:
    lists = (_ranking("ABCD"), _ranking("CDEF"))
    wide = ", ".join(_letters(both_contexts(*lists, given=8)))
    return Outcome(_letters(both_contexts(*lists, given=4)), (f"With room for eight: {wide}",))


def _hyde(_: Options) -> Outcome:
    question, invented = (1.0, 0.0), (0.0, 1.0)
    chunks = {"A": (1.0, 0.1), "B": (0.1, 1.0), "C": (1.0, 1.0)}
    mean = mean_vector([question, invented])
    both, alone = _nearest(mean, chunks), _nearest(invented, chunks)
    return Outcome(
        both.right,
        (
            f"The mean at length 1: ({mean[0]:.3f}, {mean[1]:.3f})",
            "; ".join(both.working),
            f"With the passage alone: {'; '.join(alone.working)}",
        ),
    )


def _self_rag(_: Options) -> Outcome:
    params = self_rag_nodes.Params()
    none: self_rag_nodes.State = {"context": Context(passages=())}
    return Outcome(self_rag.relevance(none, params))


def _kg_rag(_: Options) -> Outcome:
    facts = (("F1", "Ann"), ("F1", "Bob"), ("F2", "Ann"), ("F3", "Cid"))
    graph = MemoryGraph(triple(film, "directed_by", person) for film, person in facts)
    chain = Chain(start=NodeRecord(id="ann", name="Ann"))
    working = []
    for hop in (Hop(rel="directed_by", direction="in"), Hop(rel="directed_by")):
        chain = extended(graph, chain, hop) or chain
        working.append(f"{drawn(chain)}: {', '.join(node.name for node in chain.nodes)}")
    return Outcome("".join(node.name for node in chain.nodes), tuple(working))


def _agentic(_: Options) -> Outcome:
    questions = ("Who directed Heat?", "When was #1 born?", "Who wrote Alien?")
    done: set[int] = set()
    working: list[str] = []
    while ready := ready_now(questions, done):
        working.append(f"Turn {len(working) + 1}: {' and '.join(questions[index] for index in ready)}")
        done |= set(ready)
    return Outcome(str(len(working)), tuple(working))


EXERCISES: dict[str, Callable[[Options], Outcome]] = {
    "indexing": _indexing,
    "closed-book": _closed_book,
    "plain": _plain,
    "multi-query": _multi_query,
    "rag-fusion": _rag_fusion,
    "decomposition-sequential": _sequential,
    "decomposition-independent": _independent,
    "least-to-most": _least_to_most,
    "ircot": _ircot,
    "step-back": _step_back,
    "hyde": _hyde,
    "self-rag": _self_rag,
    "kg-rag": _kg_rag,
    "agentic": _agentic,
}
"""Lesson (key of a strategy, or `indexing`) -> its exercise; the texts are in `lessons/exercises.toml`."""
