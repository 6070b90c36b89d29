from __future__ import annotations

import pytest
from pydantic import ValidationError

from core.errors import InputError
from core.knowledge.triples import MAX_NESTING, Entity, Statement, Triple, clean, entity_id
from tests.cases import cases
from tests.graphs import triple


@cases(
    ("one", "other"),
    [
        ("Ada  Lovelace", "ada lovelace"),
        ("ＡＤＡ", "Ada"),
        ("Stra\u00dfe", "STRASSE"),
        ("e\u0301", "\u00e9"),
        ("Orrin Vale\u200b", "Orrin Vale"),
        ("\ufeffOrrin\u00ad Vale", "Orrin Vale"),
        ("A\u034fda\uffa0", "Ada"),
    ],
)
def test_mentions_of_one_entity_share_an_id(one: str, other: str) -> None:
    assert entity_id(one) == entity_id(other)


def test_names_are_kept_as_they_are_but_for_what_drives_terminals_and_pages() -> None:
    assert clean("a\x00b\x1b[31m\u202ec\n d\ud800") == "ab[31mc d"
    assert clean("MATCH (n) DETACH DELETE n //'\"`") == "MATCH (n) DETACH DELETE n //'\"`"
    assert len(clean("x" * 1000)) == 300
    assert Entity(name="Orrin\u200b Vale\u00ad").name == "Orrin Vale"
    assert Entity(name="می\u200cخواهم").name == "می\u200cخواهم"
    with pytest.raises(InputError):
        entity_id(" \x07 ")
    with pytest.raises(InputError):
        entity_id("\u200b\u3164")
    with pytest.raises(ValidationError):
        Entity(name="\x07")


def test_statements_differ_where_their_triples_do() -> None:
    a, b, c = (Entity(name=name) for name in "abc")
    ids = {
        Statement(subject=s, relation=r, object=o).id
        for s, r, o in [(a, "r", b), (b, "r", a), (a, "q", b), (a, "r", c), (a, "r)->(b", c)]
    }
    assert len(ids) == 5
    tricky = Statement(subject=Entity(name="a)-[r]->(b"), relation="r", object=c)
    plain = Statement(subject=a, relation="r", object=Entity(name="b)-[r]->(c"))
    assert tricky.name == plain.name
    assert tricky.id != plain.id
    long = [
        Statement(subject=Entity(name="x" * 299), relation="r", object=Entity(name=n * 299)) for n in "yz"
    ]
    assert long[0].id != long[1].id


def test_nesting_ends() -> None:
    node: Entity | Statement = Entity(name="a")
    for _ in range(MAX_NESTING):
        node = Statement(subject=node, relation="r", object=Entity(name="b"))
    assert Triple(subject=node, relation="in", object=Entity(name="c")).nodes[-2] == node
    deeper = Statement(subject=node, relation="r", object=Entity(name="b"))
    with pytest.raises(InputError, match="at most 4 deep"):
        _ = Triple(subject=deeper, relation="in", object=Entity(name="c")).nodes


def test_a_triple_of_names() -> None:
    assert triple("A", "r", "B") == Triple(subject=Entity(name="A"), relation="r", object=Entity(name="B"))
