"""The graph that is shipped is the one that the facts give, and its sources are passages of the demo corpus."""

from __future__ import annotations

from collections import Counter

import pytest

from core.corpora.demo import DEMO_CORPUS, WORLD
from core.corpora.labels import finder
from core.knowledge.store.demo_graphs import DEMO_GRAPHS, GRAPH_VECTORS
from core.knowledge.store.importing import read_json_triples
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from core.models.embedding_vectors import PrecomputedEmbeddings, load_vectors
from core.trace.passages import Passage
from tests.unit.world.the_world import documents, facts, names, tight
from tools.demo_world.facts import Said
from tools.demo_world.graph import CALLED, IN_THE_YEAR, names_in, triples_of
from tools.demo_world.parsing import passages_of
from tools.demo_world.vectors import builtin


@pytest.fixture(scope="module")
def shipped() -> list[Triple]:
    return read_json_triples((WORLD / "triples.jsonl").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def passages() -> dict[str, Passage]:
    return {one.chunk: one for one in passages_of(list(documents().values()), builtin())}


def test_the_triples_are_those_that_the_facts_give(
    shipped: list[Triple], passages: dict[str, Passage]
) -> None:
    holding = finder(passages.values())

    def cite(said: Said) -> TripleSource:
        document = documents()[said.document].id
        return TripleSource(chunk=holding(document, said.quote)[0], document=document, quote=said.quote)

    assert shipped == list(triples_of(facts().values(), names().values(), cite))


def test_every_source_is_a_passage_with_its_words(
    shipped: list[Triple], passages: dict[str, Passage]
) -> None:
    whole = 0
    for one in shipped:
        passage = passages[one.source.chunk]
        assert passage.document == one.source.document
        whole += tight(one.source.quote) in tight(passage.text)
    # A few quotes are parted by the end of a passage, which then holds the longer part.
    assert whole > 0.97 * len(shipped)


def test_every_fact_is_a_triple_and_what_is_said_of_it_a_triple_about_that(shipped: list[Triple]) -> None:
    plain = {(t.subject.name, t.relation, t.object.name) for t in shipped if isinstance(t.subject, Entity)}
    said = {
        (t.subject.subject.name, t.subject.relation, t.subject.object.name, t.relation, t.object.name)
        for t in shipped
        if isinstance(t.subject, Statement) and isinstance(t.object, Entity)
    }
    for fact in facts().values():
        whole = (fact.subject, fact.relation, fact.object)
        assert whole in plain
        for word, value in fact.quals.items():
            assert (*whole, word, value) in said
        if fact.status:
            assert (*whole, "is", {"outdated": "out of date"}.get(fact.status, fact.status)) in said
    years = {t.object.name for t in shipped if t.relation == IN_THE_YEAR}
    assert {"1889", "1919", "1974"} <= years


def test_times_and_places_are_shared(shipped: list[Triple]) -> None:
    ends = Counter(node.name for t in shipped for node in (t.subject, t.object) if isinstance(node, Entity))
    assert ends["1921"] >= 6
    assert ends["Port Ansel"] >= 10
    kinds = {
        node.name: node.kind for t in shipped for node in (t.subject, t.object) if isinstance(node, Entity)
    }
    assert (kinds["1921"], kinds["14 March 1889"], kinds["Ternick"]) == ("year", "date", "place")
    assert kinds["Mother Kite"] == kinds["Berit Sallow"] == "person"
    assert CALLED in {t.relation for t in shipped}


def test_what_differs_is_joined(shipped: list[Triple]) -> None:
    joined = {(t.subject.name, t.object.name) for t in shipped if t.relation == "is disputed by"}
    assert all((other, one) in joined for one, other in joined)
    assert len(joined) == sum(fact.status == "disputed" for fact in facts().values())
    outdated = [t for t in shipped if t.relation == "was replaced by"]
    assert all(
        "1994" in t.subject.name or "2016" in t.subject.name or "Lantern" in t.subject.name for t in outdated
    )


def test_the_vectors_of_its_names_are_shipped(shipped: list[Triple]) -> None:
    embedder = builtin()
    texts = list(dict.fromkeys(names_in(shipped)))
    known = PrecomputedEmbeddings(embedder.embeddings, load_vectors(GRAPH_VECTORS, embedder.key))
    assert known.knows(texts)
    some = texts[:: len(texts) // 20]
    for one, other in zip(
        known.embed_documents(some), embedder.embeddings.embed_documents(some), strict=True
    ):
        assert sum(a * b for a, b in zip(one, other, strict=True)) > 0.999


def test_it_comes_first_and_under_the_name_of_its_corpus() -> None:
    assert (DEMO_GRAPHS[0].name, DEMO_GRAPHS[0].corpus) == (DEMO_CORPUS, DEMO_CORPUS)
