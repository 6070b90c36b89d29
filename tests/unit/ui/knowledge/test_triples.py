"""Triples as they are drawn: hypernodes as boxes, and what two entities have in common."""

from __future__ import annotations

from core.knowledge.build.graph_building import NewTriple
from core.knowledge.records import EdgeRecord, Neighbour, Neighbourhood, NodeRecord
from core.knowledge.triples import Entity, Statement, Triple, TripleSource
from core.ui.knowledge.triples import Arrow, End, latest_column, neighbour_columns


def around(name: str, *triples: tuple[str, str, bool], hidden: int = 0) -> Neighbourhood:
    """An entity with edges: relation, other end, whether it leads away."""
    node = NodeRecord(id=name.casefold(), name=name)
    neighbours = []
    for rel, other, out in triples:
        there = NodeRecord(id=other.casefold(), name=other)
        src, dst = (node, there) if out else (there, node)
        kind = rel if rel in ("SUBJECT", "OBJECT") else "REL"
        edge = EdgeRecord(src=src.id, dst=dst.id, type=kind, rel=rel, quote=f"{name} {rel}")
        neighbours.append(Neighbour(edge=edge, node=there))
    return Neighbourhood(node=node, neighbours=tuple(neighbours), hidden=hidden)


def test_a_hypernode_holds_its_triple() -> None:
    made = Statement(subject=Entity(name="Ada"), relation="wrote", object=Entity(name="Notes"))
    source = TripleSource(chunk="d-0", document="d", quote="Ada wrote <b>Notes</b> in 1843.")
    triple = Triple(subject=made, relation="in", object=Entity(name="1843"), source=source)
    column = latest_column([NewTriple("ada.txt", triple)])
    (line,) = column.lines
    inner = Arrow(End("Ada"), "wrote", End("Notes"))
    assert line.triple == Arrow(End("(Ada)-[wrote]->(Notes)", inner, hyper=True), "in", End("1843"))
    assert (line.quote, line.where) == ("Ada wrote <b>Notes</b> in 1843.", "ada.txt")


def test_what_two_entities_have_in_common_comes_first() -> None:
    larry = around(
        "Larry Cohen",
        ("made", "Bone", True),
        ("made", "Q", True),
        ("SUBJECT", "(Larry Cohen)-[made]->(Q)", False),
        ("home of", "New York", False),
    )
    other = around("L. Cohen", ("wrote", "Q", True), ("home of", "New York", False), hidden=3)
    one, two = neighbour_columns([larry, other], 2)
    assert [(line.triple.relation, line.shared) for line in one.lines] == [("home of", True), ("made", False)]
    assert [(line.triple.relation, line.shared) for line in two.lines] == [
        ("home of", True),
        ("wrote", False),
    ]
    assert one.lines[0].triple == Arrow(End("New York"), "home of", End("Larry Cohen")), "as it is directed"
    assert (one.head, one.note, two.note) == ("Larry Cohen", "4 edges", "5 edges")


def test_every_relation_is_shown_once_before_any_is_shown_twice() -> None:
    many = around("A", ("made", "B", True), ("made", "C", True), ("saw", "D", True))
    (column, _) = neighbour_columns([many, around("Z")], 2)
    assert [line.triple.relation for line in column.lines] == ["made", "saw"]
