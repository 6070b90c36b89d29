"""The exercises of the lessons, worked out by the code that runs use: what their files say must come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

from core.corpora.documents import Document
from core.corpora.splitting import Splitter
from core.knowledge.explore.chains import Chain, chain_arrows, extend
from core.knowledge.records import Hop, NodeRecord
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.importing import demo_triples
from core.knowledge.triples import Entity, Statement, Triple, entity_id
from core.models.embedding_vectors import cosine_matrix
from core.models.embeddings import BUILTIN_MAX_TOKENS, builtin_embedder, builtin_tokenizer
from core.retrieval.dense import mean_vector
from core.retrieval.fusion import contribution, fuse
from core.retrieval.kinds import Walking
from core.retrieval.linked import stops, visits
from core.retrieval.links import Links
from core.skills import methods_in_force
from core.skills.base import CAPABLE
from core.skills.references import renumber_references
from core.skills.think import concludes
from core.strategies import corrective as corrective_strategy
from core.strategies import corrective_state, get_strategy, self_rag_state
from core.strategies import self_rag as self_rag_strategy
from core.strategies.base import Forecast
from core.strategies.lessons import stem
from core.strategies.rounds import needs
from core.strategies.search_o1 import Chain as ReasoningChain
from core.strategies.search_o1 import search_requests
from core.strategies.step_back import both_contexts
from core.trace.artefacts import Answer, Context, Fusion, Grade, Ranking, SubAnswer, Thought
from core.trace.events import ListTracer
from core.trace.passages import Hit, Passage
from tests.graphs import triple
from tools.explorables.memory_graph import MemoryGraph
from tools.explorables.recorded import done

EXAMPLES = next(demo for demo in DEMO_GRAPHS if demo.name.startswith("Hypernodes"))
"""The graph of the examples of the KG-RAG paper."""

Options = Mapping[str, str]
"""Key of an option -> its text."""


class Outcome(NamedTuple):
    """The key of the right option, and how it comes about, a line each."""

    right: str
    working: tuple[str, ...] = ()


def worked_out(lesson: str, options: Options) -> Outcome | None:
    """The outcome of a lesson's exercise; None: no code can tell it."""
    work_out: Callable[[Options], Outcome] | None = globals().get(stem(lesson))
    return work_out(options) if work_out else None


def ranked(names: str) -> Ranking:
    """A ranking of passages with one letter each."""
    hits = tuple(Hit(rank=rank, score=1 / rank, passage=_passage(name)) for rank, name in enumerate(names, 1))
    return Ranking(query=names, retriever="dense", score_name="score", k=len(names), hits=hits)


def _passage(name: str) -> Passage:
    return Passage(chunk=name, document=name, title=name, text=name, position=0, start=0, end=1)


def nearest(query: Sequence[float], chunks: Mapping[str, tuple[float, float]]) -> Outcome:
    """Which of the chunks a search with this vector finds first."""
    cosines = cosine_matrix([query], list(chunks.values()))[0]
    found = dict(zip(chunks, cosines, strict=True))
    working = tuple(f"{name}: cosine {cosine:.3f}" for name, cosine in found.items())
    return Outcome(max(found, key=lambda name: found[name]), working)


def forecast(key: str, **params: int) -> Forecast:
    """Calls and rounds of a strategy with a model that does everything."""
    strategy = get_strategy(key)
    return strategy.forecast(strategy.parse(params), methods_in_force(strategy.skills, CAPABLE, {}))


def adaptive(options: Options) -> Outcome:
    """The cheaper of router and long way, where nine of ten questions need several searches."""
    one, several = (forecast(key).calls_expected for key in ("plain", "ircot"))
    easy, hard = 0.1, 0.9
    routed = 1 + easy * one + hard * several
    working = (
        f"Router: 1 + {easy} · {one} + {hard} · {several} = {routed:.1f} calls a question",
        f"All the long way: {several} calls a question",
    )
    return Outcome("router" if routed < several else "all" if routed > several else "same", working)


def closed_book(options: Options) -> Outcome:
    """Whether other documents change the answer."""
    return Outcome("changes" if get_strategy("closed-book").retrieves else "same")


def corrective(options: Options) -> Outcome:
    """The steps after a search of whose six passages two hold a part of the answer each."""
    params = corrective_state.Params(rewrite=False)
    runtime: Any = SimpleNamespace(context=SimpleNamespace(params=params, tracer=ListTracer()))
    state: corrective_state.State = {
        "grades": [
            (
                place,
                Grade(what="Holds", verdict=verdict, passes=verdict != "no", passage=_passage(str(place))),
            )
            for place, verdict in enumerate(("partly", "partly", "no", "no", "no", "no"))
        ]
    }
    state["grades"] += done(corrective_strategy.judge(state, runtime))["grades"]
    return Outcome(" ".join(corrective_state.ways(state, params)))


def decomposition_sequential(options: Options) -> Outcome:
    """The parts that build on the first of four."""
    parts = ("Who composed Fidelio?", "Who composed Carmen?", "Where was #1 born?", "Where was #2 born?")
    needed = [
        needs(parts, place, "Were both composers born in the same town?") for place in range(len(parts))
    ]
    told = [" and ".join(f"part {one + 1}" for one in sorted(places)) or "no other part" for places in needed]
    working = [f"Part {number} needs {names}" for number, names in enumerate(told, 1)]
    return Outcome(
        "and".join(str(place + 1) for place, places in enumerate(needed) if 0 in places), tuple(working[1:])
    )


def hyde(options: Options) -> Outcome:
    """What is nearest to the mean of question and passage."""
    question, invented = (1.0, 0.0), (0.0, 1.0)
    chunks = {"A": (1.0, 0.1), "B": (0.1, 1.0), "C": (1.0, 1.0)}
    mean = mean_vector([question, invented])
    both, alone = nearest(mean, chunks), nearest(invented, chunks)
    working = (
        f"The mean at length 1: ({mean[0]:.3f}, {mean[1]:.3f})",
        "; ".join(both.working),
        f"With the passage alone: {'; '.join(alone.working)}",
    )
    return Outcome(both.right, working)


def indexing(options: Options) -> Outcome:
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


def ircot(options: Options) -> Outcome:
    """The sentence at which the chain ends."""
    return Outcome(next(key for key, sentence in options.items() if concludes(sentence)))


def kg_rag(options: Options) -> Outcome:
    """Where a chain ends that goes back over the relation it came by."""
    facts = (("F1", "Ann"), ("F1", "Bob"), ("F2", "Ann"), ("F3", "Cid"))
    graph = MemoryGraph(triple(film, "directed_by", person) for film, person in facts)
    chain = Chain(start=NodeRecord(id="ann", name="Ann"))
    working = []
    for hop in (Hop(rel="directed_by", direction="in"), Hop(rel="directed_by")):
        chain = extend(graph, chain, hop) or chain
        working.append(f"{chain_arrows(chain)}: {', '.join(node.name for node in chain.nodes)}")
    return Outcome("".join(node.name for node in chain.nodes), tuple(working))


def former_husbands() -> list[str]:
    """The second hop that the lesson on KG-RAG works out: where it starts, and the cosines of the two relations from
    there that are nearest to the step of the plan."""
    graph, model = MemoryGraph(demo_triples(EXAMPLES, None)), builtin_embedder().embeddings
    taylor = NodeRecord(id=entity_id("Elizabeth Taylor"), name="Elizabeth Taylor")
    men = extend(graph, Chain(start=taylor), Hop(rel="married"))
    assert men is not None
    hops = [hop for hop, _ in graph.hops([man.id for man in men.nodes]) if extend(graph, men, hop)]
    step = model.embed_query("died in, to see who died in Chichester")
    near = cosine_matrix([step], model.embed_queries([hop.name for hop in hops]))[0]
    return [f"From the {len(men.nodes)} men", *(f"{cosine:.2f}" for cosine in sorted(near, reverse=True)[:2])]


def least_to_most(options: Options) -> Outcome:
    """The list that ends with the question itself, after what it needs."""
    question = "Where was the composer of Fidelio born?"
    for key, text in options.items():
        parts = text.split(" → ")
        if parts[-1] == question and renumber_references(parts, parts) == (tuple(parts), ()):
            return Outcome(key)
    raise ValueError("no list ends with the question itself")


def linked_passages(options: Options) -> Outcome:
    """Where a walk from Anna ends, but for herself."""
    texts = {
        "Anna": "Anna met Bert and Cora.",
        "Bert": "A pilot.",
        "Cora": "Cora knew Dora.",
        "Dora": "A sailor.",
    }
    passages = [
        Passage(chunk=name, document=name, title=name, text=text, position=0, start=0, end=len(text))
        for name, text in texts.items()
    ]
    chances = stops(visits(Links(passages, {name: name for name in texts}), {0: 1.0}), Walking().restart)
    found = dict(zip(texts, chances.tolist(), strict=True))
    working = tuple(f"{name}: {chance:.3f}" for name, chance in found.items())
    return Outcome(max(list(texts)[1:], key=lambda name: found[name]), working)


def plain(options: Options) -> Outcome:
    """What is nearest by the cosine."""
    return nearest((1, 0), {"A": (0.9, 0.1), "B": (3, 3), "C": (0.5, 0)})


def _sum(fusion: Fusion, name: str) -> str:
    """A row of the score table, as one would write it on the board."""
    row = next(row for row in fusion.rows if row.passage.chunk == name)
    ranks = [rank for rank in row.ranks if rank is not None]
    parts = " + ".join(f"1/{1 / contribution(rank, fusion.k, fusion.first_rank):.0f}" for rank in ranks)
    return f"{name}: {parts} = {row.score:.4f}"


def rag_fusion(options: Options) -> Outcome:
    """Which passage leads two fused lists, with the sums behind it."""
    lists = [ranked("ABCX"), ranked("DEXF")]
    fused, other = fuse(lists), fuse(lists, k=1)
    turned = f"With k = 1 instead: {_sum(other, other.rows[0].passage.chunk)}; {_sum(other, 'X')}"
    return Outcome(fused.rows[0].passage.chunk, (*(_sum(fused, name) for name in "XAD"), turned))


def search_o1(options: Options) -> Outcome:
    """Where the name in a passage can still come from that was read as nothing that helps: not from the chain, if that
    does not hold the passage, nor from an answer, which copies what the last thought says."""
    name = "Henrik Vane"
    thoughts = [Thought(index=0, text="Who is the father?", written="", queries=("father",))]
    note = SubAnswer(index=0, question="father", searched="father", text="", abstained=True)
    requests = search_requests(thoughts, 5)
    chain = ReasoningChain(thoughts, requests, {0: [name]}, {0: note}, [_passage(name)])
    whole = ReasoningChain(thoughts, requests, {0: [name]}, {}, [_passage(name)])
    assert name in whole.text()
    return Outcome("look" if name in chain.text() else "search")


def self_rag(options: Options) -> Outcome:
    """The step after a draft that is supported in full and of no use."""
    grades = (
        Grade(what="IsSup", verdict="fully", passes=True),
        Grade(what="IsUse", verdict="1", passes=False),
    )
    state: self_rag_state.State = {
        "drafts": [(1, Answer(text="", final=False), Context(passages=()))],
        "grades": [(0, grade) for grade in grades],
    }
    return Outcome(self_rag_strategy.worth(state, self_rag_state.Params()))


def step_back(options: Options) -> Outcome:
    """What is given of two lists that share two passages."""

    def letters(given: int) -> list[str]:
        evidence = both_contexts(ranked("ABCD"), ranked("CDEF"), given)
        return [item.passage.chunk for item in evidence.passages if item.given]

    return Outcome("".join(letters(4)), (f"With room for eight: {', '.join(letters(8))}",))


def storing_a_graph(options: Options) -> Outcome:
    """The nodes of a triple about a triple about a triple."""
    fact = Statement(subject=Entity(name="Family Guy"), relation="is broadcast by", object=Entity(name="Fox"))
    since = Statement(subject=fact, relation="since", object=Entity(name="1999"))
    nodes = Triple(subject=since, relation="stated in", object=Entity(name="almanac")).nodes
    return Outcome(str(len(nodes)), tuple(node.name for node in nodes))
