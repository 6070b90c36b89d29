"""Chains of relations on a graph in memory, and their scores."""

from __future__ import annotations

import numpy as np

from core.knowledge.explore.chain_scoring import EmbeddingCache, content_words, kind_words, mask_name, scores
from core.knowledge.explore.chains import (
    Chain,
    best,
    chain_arrows,
    chain_text,
    extend,
    narrow,
    shared,
    triples,
)
from core.knowledge.explore.mentions import Names
from core.knowledge.records import Hop, NodeRecord
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from core.models.embeddings import open_embedder
from core.settings import Settings
from tests.cases import cases
from tests.graphs import triple
from tools.explorables.memory_graph import MemoryGraph

DIRECTED = Hop(rel="directed_by")
MADE = Hop(rel="directed_by", direction="in")
TAYLOR, WILDING = Entity(name="Elizabeth Taylor"), Entity(name="Michael Wilding")
MARRIED = Statement(subject=TAYLOR, relation="married", object=WILDING)


def films() -> MemoryGraph:
    return MemoryGraph(
        triple(film, "directed_by", person)
        for film, person in (("F1", "Ann"), ("F1", "Bob"), ("F2", "Ann"), ("F3", "Cid"))
    )


def couples() -> MemoryGraph:
    wed = [
        Triple(
            subject=TAYLOR,
            relation="married",
            object=Entity(name=name),
            source=TripleSource(chunk="c1", quote="q"),
        )
        for name in ("Michael Wilding", "Mike Todd", "Richard Burton")
    ]
    died = [triple("Michael Wilding", "died in", "Chichester"), triple("Mike Todd", "died in", "Grants")]
    until = Triple(
        subject=MARRIED, relation="until", object=Entity(name="1957"), source=TripleSource(chunk="c1")
    )
    return MemoryGraph([*wed, *died, until])


def node(name: str) -> NodeRecord:
    return NodeRecord(id=name.casefold(), name=name)


def walk(graph: MemoryGraph, start: str, *hops: Hop) -> Chain:
    chain = Chain(start=node(start))
    for hop in hops:
        longer = extend(graph, chain, hop)
        assert longer is not None
        chain = longer
    return chain


def names(chain: Chain) -> list[str]:
    return [item.name for item in chain.nodes]


def test_a_chain_follows_relations_both_ways_and_never_returns_to_its_start() -> None:
    chain = walk(films(), "Ann", MADE, DIRECTED)
    assert names(chain) == ["Bob"]
    assert [item.name for item in chain.levels[0]] == ["F1", "F2"]
    assert extend(films(), walk(films(), "Cid", MADE), DIRECTED) is None


def test_the_triples_of_a_chain_are_those_that_lead_to_its_end() -> None:
    chain = walk(films(), "Ann", MADE, DIRECTED)
    made = [(t.hop, t.subject, t.object, t.inverse) for t in triples(films(), chain)]
    assert made == [(1, "F1", "Ann", True), (2, "F1", "Bob", False)]


def test_a_hypernode_is_one_hop() -> None:
    graph = couples()
    hop = Hop(rel="until", statement="married")
    assert (hop, 1) in graph.hops(["elizabeth taylor"])
    assert all(not other.statement for other, _ in graph.hops(["elizabeth taylor"], hypernodes=False))
    chain = walk(graph, "Elizabeth Taylor", hop)
    assert names(chain) == ["1957"]
    (found,) = triples(graph, chain)
    assert found.hypernode
    assert (found.subject, found.object) == (MARRIED.name, "1957")
    back = walk(graph, "1957", hop.model_copy(update={"direction": "in"}))
    assert names(back) == ["Elizabeth Taylor", "Michael Wilding"]


def test_what_the_question_names_is_no_answer_but_leads_to_it() -> None:
    graph = couples()
    husbands = walk(graph, "Elizabeth Taylor", Hop(rel="married"))
    way, answers = narrow(graph, husbands, ["chichester"])
    assert [item.name for item in answers] == ["Michael Wilding"]
    assert [t.object for t in triples(graph, way)] == ["Michael Wilding", "Chichester"]
    places = walk(graph, "Elizabeth Taylor", Hop(rel="married"), Hop(rel="died in"))
    way, answers = narrow(graph, places, ["chichester"])
    assert [item.name for item in answers] == ["Michael Wilding"]
    assert [t.object for t in triples(graph, way)] == ["Michael Wilding", "Chichester"]
    assert narrow(graph, husbands, ["nobody"]) == (husbands, husbands.nodes)
    assert narrow(graph, husbands, []) == (husbands, husbands.nodes)


def test_the_beam_keeps_the_best_and_of_equals_the_shorter() -> None:
    one = Chain(start=node("a"), hops=(MADE, DIRECTED), levels=((), ()), score=1.0)
    two = Chain(start=node("a"), hops=(MADE,), levels=((),), score=1.0)
    three = Chain(start=node("a"), hops=(DIRECTED,), levels=((),), score=2.0)
    assert best([one, two, three], 2) == (three, two)


def test_chains_in_words() -> None:
    assert chain_text((MADE, DIRECTED)) == "the directed by of what directed by X"
    assert (
        chain_arrows(Chain(start=node("Ann"), hops=(MADE, DIRECTED))) == "Ann ←directed by— —directed by→ ●"
    )


def test_a_hop_through_a_hypernode_is_drawn_with_the_fact_that_it_says_more_of() -> None:
    said = Hop(rel="in", statement="died_in")
    assert chain_arrows(Chain(start=node("Ann"), hops=(said,))) == "Ann —died in→ (said of it: in) → ●"
    back = said.model_copy(update={"direction": "in"})
    assert chain_arrows(Chain(start=node("1979"), hops=(back,))) == "1979 ← (said of it: in) ←died in— ●"


def test_what_a_hop_does_not_use_of_its_share_is_for_the_others() -> None:
    assert [len(part) for part in shared([[1] * 4, [2] * 65, [3] * 9], 40)] == [4, 27, 9]
    assert [len(part) for part in shared([[1] * 30, [2] * 30], 40)] == [20, 20]
    assert shared([[], [1]], 40) == [[], [1]]
    graph = MemoryGraph(triple(f"Film {n}", "directed_by", "Ann") for n in range(60))
    ways = walk(graph, "Ann", Hop(rel="directed_by", direction="in"))
    assert [len(triples(graph, ways)), len(triples(graph, ways, limit=None))] == [40, 60]


def test_words_that_name_kinds_do_not_count_but_those_of_relations_do() -> None:
    kinds = kind_words({"film / movie", "genre", "city"}, ["has_genre", "directed_by"])
    assert kinds == {"film", "films", "movie", "movies", "city", "cities"}
    assert content_words("what genre are the films of X", kinds) == ["genre"]
    assert content_words("who is it", kinds) == ["thing"]
    assert mask_name("films by ann", "Ann") == "films by X"


async def test_the_chain_that_the_question_asks_for_has_the_best_score() -> None:
    meanings = EmbeddingCache(open_embedder(Settings(_env_file=None)))
    chains = [(MADE,), (DIRECTED,), (Hop(rel="release_year"),), (DIRECTED, MADE)]
    found = await scores(meanings, "what is the release year of X", chains)
    assert int(np.argmax(found)) == 2
    again = await scores(meanings, "what is the release year of X", chains)
    assert again == found
    assert await scores(meanings, "what is the release year of X", []) == []


@cases(
    ("text", "found"),
    [
        ("who directed The Dark Knight Rises", ["The Dark Knight Rises"]),
        ("who directed the dark knight", ["The Dark Knight"]),
        ("films of the Beijing school", ["Beijing"]),
        ("in which films is the drama of Paris", ["Paris (Texas)", "drama"]),
        ("영화 기생충은 누가 감독했나", ["기생충"]),
        ("what is it", []),
    ],
)
def test_names_are_found_word_for_word_the_longest_first(text: str, found: list[str]) -> None:
    known = Names(
        node(name)
        for name in (
            "The Dark Knight",
            "The Dark Knight Rises",
            "Beijing",
            "drama",
            "Paris (Texas)",
            "it",
            "기생충",
        )
    )
    assert [mention.node.name for mention in known.mentioned(text)] == found


def test_a_name_that_was_lost_in_a_merge_is_found_unless_somebody_is_called_so() -> None:
    mikko, other, work = node("Mikko Johannes Leppilampi"), node("Cohen"), node("leppilampi of the films")
    lost = [("Mikko Leppilampi", mikko), ("Leppilampi", mikko), ("Cohen", mikko)]
    known = Names([mikko, other, work], lost)
    found = known.mentioned("Mikko Leppilampi and Cohen")
    assert [(mention.node, mention.text) for mention in found] == [
        (mikko, "Mikko Leppilampi"),
        (other, "Cohen"),
    ]
    # As good as a name of its own: it comes before a longer mere word.
    assert [mention.node for mention in known.mentioned("Leppilampi of the films")] == [mikko]
