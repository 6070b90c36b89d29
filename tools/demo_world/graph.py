"""The facts as a knowledge graph: a triple for each, and what is said of it as triples about that triple."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from core.corpora.documents import Document
from core.corpora.labels import finder
from core.errors import InputError
from core.knowledge.explore.graph_index import IndexEntry, What, embedded_text
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from core.models.embeddings import Embedder
from tools.demo_world.facts import Fact, Named, Said, read_facts, read_names
from tools.demo_world.parsing import passages_of

CALLED = "is also called"
TRADE = "was by trade"
IN_THE_YEAR = "in the year"
"""Joins a date to its year, so that both can be asked for."""
_YEAR = re.compile(r"\d{4}")
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"(?:(?:\d\d? )?(?:{_MONTH})|autumn|summer|Summer)(?: (?P<year>\d{{4}}))?")
_STATUS = {"disputed": ("disputed", "is disputed by"), "outdated": ("out of date", "was replaced by")}
"""What a fact of this status is, and how it is joined to the other one."""
Cite = Callable[[Said], TripleSource]


def make_triples(world: Path, documents: Sequence[Document], embedder: Embedder) -> tuple[Triple, ...]:
    """Write `triples.jsonl`; returns what it holds.

    Args:
        world: Where the facts are, and where to write.
        documents: Of the demo corpus.
        embedder: The built-in embeddings, by whose tokens documents are cut.

    Raises:
        InputError: A document does not hold the words that a fact quotes.
    """
    ids = {document.name: document.id for document in documents}
    holding = finder(passages_of(documents, embedder))

    def cite(said: Said) -> TripleSource:
        document = ids.get(said.document, "")
        chunks = holding(document, said.quote)
        if not chunks:
            raise InputError(f"“{said.document}” does not hold the words “{said.quote}”.")
        return TripleSource(chunk=chunks[0], document=document, quote=said.quote)

    triples = triples_of(read_facts(world), read_names(world), cite)
    lines = "".join(f"{one.model_dump_json()}\n" for one in triples)
    (world / "triples.jsonl").write_text(lines, encoding="utf-8", newline="\n")
    return triples


def names_in(triples: Iterable[Triple]) -> Iterator[str]:
    """Every name of the graph as it is embedded for its search index."""
    for triple in triples:
        for node in triple.nodes:
            what: What = "entity" if isinstance(node, Entity) else "hypernode"
            yield embedded_text(IndexEntry(what=what, id=node.id, name=node.name))
        inner = [node.relation for node in triple.nodes if isinstance(node, Statement)]
        for relation in (triple.relation, *inner):
            yield embedded_text(IndexEntry(what="relation", id=relation, name=relation))


def triples_of(facts: Iterable[Fact], names: Iterable[Named], cite: Cite) -> tuple[Triple, ...]:
    """The triples of facts, each once for every document that says it; in their order.

    Args:
        facts: All of them, since some name others.
        names: Give the kinds of entities.
        cite: Where a triple comes from.
    """
    by_id = {fact.id: fact for fact in facts}
    kinds = {one.name: one.kind for one in names}
    for fact in by_id.values():
        if fact.relation == CALLED:
            kinds[fact.object] = kinds[fact.subject]
        elif fact.relation == TRADE:
            kinds[fact.object] = "trade"
    found = (triple for fact in by_id.values() for triple in _triples(fact, by_id, kinds, cite))
    return tuple(dict.fromkeys(found))


def kind_of(name: str, kinds: Mapping[str, str]) -> str:
    """What an entity is; empty: nothing that has a kind."""
    if name in kinds:
        return kinds[name]
    if _YEAR.fullmatch(name):
        return "year"
    if _DATE.fullmatch(name):
        return "date"
    return "number" if name[:1].isdigit() else ""


def _triples(fact: Fact, by_id: Mapping[str, Fact], kinds: Mapping[str, str], cite: Cite) -> Iterator[Triple]:
    about = _statement(fact, kinds)
    for said in fact.said:
        source = cite(said)
        yield Triple(subject=about.subject, relation=about.relation, object=about.object, source=source)
        for word, value in fact.quals.items():
            yield Triple(subject=about, relation=word, object=_entity(value, kinds), source=source)
        if fact.status:
            what, _ = _STATUS[fact.status]
            yield Triple(subject=about, relation="is", object=_entity(what, kinds), source=source)
        for name in (fact.subject, fact.object, *fact.quals.values()):
            if (date := _DATE.fullmatch(name)) and date["year"]:
                day, year = _entity(name, kinds), _entity(date["year"], kinds)
                yield Triple(subject=day, relation=IN_THE_YEAR, object=year, source=source)
    if fact.status:
        _, joined = _STATUS[fact.status]
        other = by_id[fact.against]
        for said in other.said:
            yield Triple(subject=about, relation=joined, object=_statement(other, kinds), source=cite(said))


def _statement(fact: Fact, kinds: Mapping[str, str]) -> Statement:
    return Statement(
        subject=_entity(fact.subject, kinds), relation=fact.relation, object=_entity(fact.object, kinds)
    )


def _entity(name: str, kinds: Mapping[str, str]) -> Entity:
    return Entity(name=name, kind=kind_of(name, kinds))
