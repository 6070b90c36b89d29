"""Reading files of triples and scripts; what is written is tested on the server."""

from __future__ import annotations

import pytest

from core.errors import InputError
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.exporting import _table
from core.knowledge.store.importing import read_json_triples, read_triples
from core.knowledge.store.query_guard import RefusedQuery, read_script
from core.knowledge.triples import TripleSource
from tests.cases import cases
from tests.graphs import triple


def test_columns() -> None:
    found = read_triples(
        "subject\trelation\tobject\nAda\tborn in\tLondon\nAda\tknew\tBabbage\tAda knew.\tc1\n\n"
    )
    assert [(t.subject.name, t.relation, t.object.name) for t in found] == [
        ("Ada", "born in", "London"),
        ("Ada", "knew", "Babbage"),
    ]
    assert (found[1].source.quote, found[1].source.chunk) == ("Ada knew.", "c1")


@cases(
    ("line", "cells"),
    [
        ('"Anna ""A"" Ek"\tknows\tBo', ('Anna "A" Ek', "knows", "Bo")),
        ('"Anna"\t"knows"\t"Bo"', ("Anna", "knows", "Bo")),
        ('Anna\tsays\t"a\tb"', ("Anna", "says", "a b")),
        ('Anna\tsays\t"a\nb"\r', ("Anna", "says", "a b")),
        ('"Full ""Moon"""\tis\ta film', ('Full "Moon"', "is", "a film")),
        ('"Hello" she\tsaid\tso', ('"Hello" she', "said", "so")),
        ('"Hello\tsaid\tso', ('"Hello', "said", "so")),
        ('5" disk\tis\t3" high', ('5" disk', "is", '3" high')),
    ],
)
def test_cells_in_quotes_are_read_as_spreadsheets_write_them(line: str, cells: tuple[str, ...]) -> None:
    rows = read_triples(f"subject\trelation\tobject\n{line}\nCy\tknows\tDi\n")
    assert [(one.subject.name, one.relation, one.object.name) for one in rows] == [
        cells,
        ("Cy", "knows", "Di"),
    ]


@cases("name", ['"', '"Full Moon"', '"a" b', '""', 'a "b"', '"a'])
def test_names_in_quotes_come_back_as_they_were(name: str) -> None:
    one = triple(name, name, name, TripleSource(quote=name))
    assert read_triples("".join(_table([one]))) == [one]


@cases(
    ("text", "message"),
    [
        ("a\tb\tc\nd\te", "Line 2 has 2 columns"),
        ("a\tb\tc\td\te\tf\tg\th\ti", "Line 1 has 9 columns"),
        (
            "a\tb\t(c)-[d]->(e)\t\t\t\t\tStatement",
            "Line 1: a subject or object of the kind “Statement” must be",
        ),
        ("a\t\tc", "Line 1: subject, relation and object must not be empty"),
        ("a\tb\t\u200e\x07", "Line 1: subject"),
        ("\n\n", "There is no triple"),
    ],
)
def test_bad_lines_are_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_triples(text)


def test_hypernodes() -> None:
    line = (
        '{"subject": {"type": "statement", "subject": {"type": "entity", "name": "A"}, "relation": "r",'
        ' "object": {"type": "entity", "name": "B"}}, "relation": "in", "object": {"type": "entity", "name": "1999"}}'
    )
    one = read_json_triples(line)[0]
    assert one.subject.name == "(A)-[r]->(B)"
    assert [node.name for node in one.nodes] == ["A", "B", "(A)-[r]->(B)", "1999"]
    with pytest.raises(InputError, match="Line 2 is not a triple"):
        read_json_triples(line + "\n{}")


def test_shipped_files_can_be_read() -> None:
    pellamar, metaqa, movies, wikidata, hypernodes = (
        demo.file.read_text(encoding="utf-8") for demo in DEMO_GRAPHS
    )
    assert len(read_json_triples(pellamar)) > 1000
    assert len(read_triples(metaqa)) == 6132
    assert len(read_script(movies)) == 1
    assert len(read_triples(wikidata)) == 149
    assert max(node.nesting for t in read_json_triples(hypernodes) for node in t.nodes) == 2


@pytest.mark.parametrize(
    "script",
    [
        "CREATE (a:A {x: 'LOAD ; CALL'})-[:CALL]->(b:Load);\nMERGE (c:C) ON CREATE SET c.x = 1 ON MATCH SET c.y = 2;",
        "CREATE CONSTRAINT x IF NOT EXISTS FOR (n:N) REQUIRE n.id IS UNIQUE; CREATE INDEX FOR (n:N) ON (n.x)",
        "MATCH (a:A), (b:B) CREATE p = (a)-[:R]->(b)",
        "UNWIND [{x: 1}] AS row CREATE (n:N) SET n = row",
    ],
)
def test_scripts_that_make_graphs(script: str) -> None:
    assert "".join(read_script(script))


@cases(
    "statement",
    [
        "LOAD CSV FROM 'file:///etc/passwd' AS l CREATE (:L {l: l})",
        "CALL apoc.load.json('http://x') YIELD value CREATE (:X)",
        "CALL { CREATE (:X) }",
        "DROP DATABASE x",
        "MATCH (n) DETACH DELETE n",
        "MATCH (n) REMOVE n.x",
        "CREATE USER x SET PASSWORD 'y'",
        "CREATE DATABASE x",
        "CREATE OR REPLACE DATABASE x",
        "CREATE ALIAS x FOR DATABASE y",
        "CREATE ROLE x",
        "USE system CREATE (:X)",
        "GRANT ALL ON GRAPH * TO x",
        "MATCH (n) FOREACH (x IN [1] | CREATE (:X))",
        "RETURN 1",
        "SHOW USERS",
        "ALTER USER x SET PASSWORD 'y'",
        "CREATE (:X) CREATE (:Y) // \\u000a DROP",
        "MATCH (n) WHERE n.x = 'a' LOAD CSV FROM 'x' AS y SET n.x = y",
    ],
)
def test_scripts_that_do_anything_else_are_refused(statement: str) -> None:
    with pytest.raises(RefusedQuery):
        read_script(f"CREATE (:Fine);\n{statement};")


def test_the_line_is_named() -> None:
    with pytest.raises(RefusedQuery, match="Line 3: a script may only create nodes and edges"):
        read_script("CREATE (:A);\n\nDROP INDEX x;")
    with pytest.raises(InputError, match="no statement"):
        read_script("// nothing\n;;")
