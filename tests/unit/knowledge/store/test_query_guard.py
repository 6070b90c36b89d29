"""The read-only guard: every trick that would get a write past it, and reads that merely look like writes."""

from __future__ import annotations

import pytest

from core.knowledge.store.query_guard import CHANGING, MAX_CHARS, RefusedQuery, check_read_only
from tests.cases import cases
from tests.unit.work import little_work

REFUSED = [
    # plain writes
    "CREATE (n:Person {name: 'x'})",
    "MATCH (n) DELETE n",
    "MATCH (n) DETACH DELETE n",
    "MATCH (n) NODETACH DELETE n",
    "MATCH (n) SET n.name = 'x'",
    "MATCH (n) SET n:Person",
    "MATCH (n) REMOVE n.name",
    "MERGE (n:Person {name: 'x'}) RETURN n",
    "MATCH (n) WITH * DELETE n",
    "MATCH (n) WITH n DELETE (n)",
    "MATCH (n)\nDeLeTe\nn",
    "MATCH (n) FOREACH (x IN [1] | SET n.a = x)",
    "MATCH (n) FOREACH (x IN [1] | CREATE (:X)) RETURN n",
    "UNWIND [1] AS x CREATE (:X)",
    "WITH 1 AS x MERGE (:X)",
    "INSERT (:X)",
    "MATCH (n) INSERT (:X)",
    "MATCH (n) WHERE EXISTS { MATCH (n) DELETE n } RETURN n",
    "CALL { CREATE (:X) } RETURN 1",
    "CALL { MATCH (n) DETACH DELETE n }",
    "MATCH (n) CALL (n) { SET n.x = 1 } RETURN n",
    "MATCH (n) CALL { WITH n DELETE n } IN TRANSACTIONS OF 10 ROWS",
    "RETURN 1 UNION CREATE (:X) RETURN 2",
    "OPTIONAL MATCH (n) DELETE n",
    # schema, users, server
    "CREATE INDEX FOR (n:X) ON (n.y)",
    "DROP INDEX x",
    "DROP DATABASE neo4j",
    "ALTER USER neo4j SET PASSWORD 'x'",
    "GRANT ALL ON DATABASE * TO x",
    "DENY READ {*} ON GRAPH * TO x",
    "REVOKE ROLE x FROM y",
    "SHOW USERS",
    "SHOW DATABASES",
    "CALL { SHOW USERS } RETURN 1",
    "TERMINATE TRANSACTION 'x'",
    "USE system MATCH (n) RETURN n",
    "MATCH (n) CALL { USE other MATCH (m) RETURN m } RETURN m",
    "EXPLAIN CREATE (:X)",
    "PROFILE MATCH (n) RETURN n",
    "CYPHER 5 MATCH (n) RETURN n",
    ":param x => 1",
    # files, networks, extensions
    "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
    "UNWIND [1] AS x LOAD CSV FROM 'http://10.0.0.1/' AS line RETURN line",
    "COPY x TO 'file'",
    "EXPORT DATABASE 'x'",
    "IMPORT DATABASE 'file:///x'",
    "CALL apoc.export.csv.all('x', {})",
    "CALL apoc.load.json('http://x') YIELD value RETURN value",
    "CALL dbms.listConfig()",
    "CALL `apoc`.`load`.`json`('x')",
    "CALL db.createLabel('X')",
    "CALL/**/apoc.x()",
    "OPTIONAL CALL apoc.x()",
    "RETURN apoc.cypher.runFirstColumnSingle('CREATE (n)', {})",
    "RETURN `apoc`.`load`('x')",
    "RETURN apoc . load('x')",
    "RETURN eval('x')",
    "RETURN `eval`('x')",
    "MATCH (n) RETURN n.create('x')",
    "{sql} DELETE FROM V",
    "SELECT FROM V",
    "INSERT INTO V SET x = 1",
    # two statements
    "MATCH (n) RETURN n; MATCH (n) DELETE n",
    "RETURN 1; RETURN 2",
    "RETURN 1;;CREATE (:X)",
    "RETURN ';' ; CREATE (:X)",
    "RETURN 1 /* ; */ ; // x\nCREATE (:X)",
    # comments
    "MATCH (n) /* harmless */ DELETE n",
    "MATCH (n) // harmless\nDELETE n",
    "MATCH (n) // harmless\rDELETE n",
    "MATCH (n) // ' \r DELETE n // '",
    "MATCH (n) //\u2028DELETE n",
    "MATCH (n) //\x85DELETE n",
    "MATCH (n) /* not closed RETURN n",
    "MATCH (n) DE/**/TACH DELETE n",
    "/* RETURN */ DELETE n",
    "MATCH (n) /* \\u002a\\u002f DELETE n /* */ RETURN n",
    "MATCH (n) // \\u000a DELETE n",
    # strings
    "MATCH (n) WHERE n.x = 'a\\'' DELETE n //'",
    "MATCH (n) WHERE n.x = \"'\" DELETE n //'",
    "MATCH (n) WHERE n.x = 'it\\\\' DELETE n",
    "RETURN 'not closed",
    "RETURN 'not closed\\'",
    'RETURN "not closed',
    "RETURN `not closed",
    "MATCH (n) WHERE n.x = '\\u0027 DELETE n //' RETURN n",
    "MATCH (n) WHERE n.x = '\\\\u0027 DELETE n //' RETURN n",
    "MATCH (n) WHERE n.x = '\\uu0027 DELETE n //' RETURN n",
    "MATCH (n) WHERE n.x = '\\U00000027 DELETE n //' RETURN n",
    "MATCH (n) WHERE n.x = '\\u005c' DELETE n //' RETURN n",
    "RETURN '\\u00'",
    # backticks
    "MATCH (n) WHERE n.`a``b` = 1 DELETE n",
    "MATCH (n:`x`) DELETE n",
    "MATCH (n:`\\u0060) DELETE n //`) RETURN n",
    "MATCH (`n`) DETACH DELETE `n`",
    # Unicode
    "MATCH (n) \\u0044ELETE n",
    "MATCH (n) D\\u0045LETE n",
    "MATCH (n) ſET n.x = 1",
    "MATCH (n) deleteſ, n DELETE n",
    "MATCH (n) ＤＥＬＥＴＥ n",
    "MATCH (n) DEL\u00adETE n",
    "MATCH (n)\u200bDELETE n",
    "MATCH (n)\u00a0DELETE n",
    "MATCH (n)\x00DELETE n",
    "ＣREATE (n)",
    # names that are none
    "MATCH (n) WHERE n.as DELETE n",
    "MATCH (as) WITH as DELETE as",
    "MATCH (as) WITH DISTINCT as DELETE as",
    "MATCH (as) WHERE as DELETE as",
    "MATCH (n) WITH 1 AS as DELETE n",
    "MATCH (n) WITH n AS x DELETE x",
    "MATCH (n) WITH n AS `as` DELETE n",
    "MATCH (n) WHERE n.x = 1.DELETE n",
    "MATCH (n) WHERE n.x = 1 .DELETE n",
    "MATCH (n) WHERE n:Set SET n.x = 1",
    "MATCH (n) WHERE n.set SET n.x = 1",
    "MATCH (n) WITH {set: n} AS m SET m.set.x = 1",
    "MATCH (n) RETURN [x IN [1] | x] CREATE (:X)",
    "MATCH (n) WHERE $delete DELETE n",
    "CREATE = 1",
    # nothing to run
    "",
    "  // only a comment",
    ";",
    "x" * 3,
    "RETURN '" + "x" * MAX_CHARS + "'",
]

READS = [
    "MATCH (n) RETURN n",
    "MATCH (n) RETURN n;",
    "MATCH (n) RETURN n ; // done",
    "match (n) return n limit 5",
    "  \n// first a word\nMATCH (n) RETURN n",
    "/* CREATE */ MATCH (n) /* DELETE n */ RETURN n // SET",
    "RETURN 'CREATE (n) DELETE n; DROP'",
    'RETURN "it\'s; SET"',
    "RETURN 'it\\'s; DELETE'",
    "RETURN 'back\\\\' AS slash",
    "RETURN 'a // b' AS x, 'c /* d' AS y",
    "RETURN '\\u00e9t\\u00E9' AS summer, '\\U0001F600' AS smile",
    "MATCH (n:Set) RETURN n",
    "MATCH (n:Person:Delete) RETURN n",
    "MATCH (n:Create|Merge) RETURN n",
    "MATCH (n:!Set&Person) RETURN n",
    "MATCH (a)-[:CREATE]->(b) RETURN b",
    "MATCH (a)-[r:LOAD|SET*1..3]-(b) RETURN r",
    "MATCH (n) RETURN n.create, n.set, n . delete",
    "MATCH (n {set: 1, delete: $delete}) RETURN n",
    "MATCH (n) WHERE n.name = $create RETURN n",
    "MATCH (n) RETURN n.name AS set, count(*) AS delete ORDER BY n.name",
    "MATCH (n) WITH n AS create RETURN 1",
    "MATCH (n) RETURN {set: n.x, drop: 2} AS map",
    "MATCH (n:`CREATE ; DELETE`) RETURN n.`set` AS `drop``this`",
    "MATCH (`delete`) RETURN `delete`",
    "MATCH (n) WHERE EXISTS { MATCH (n)--(m) WHERE m.set } RETURN n",
    "MATCH (n) CALL { WITH n MATCH (n)--(m) RETURN count(m) AS c } RETURN n, c",
    "MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN m } RETURN m",
    "MATCH (n) RETURN COUNT { (n)--() } AS degree",
    "CALL db.labels() YIELD label RETURN label",
    "CALL db.relationshipTypes()",
    "MATCH p = shortestPath((a:Person {name: 'x'})-[*..4]-(b:Person {name: 'y'})) RETURN p",
    "UNWIND range(1, 10) AS i WITH i WHERE i % 2 = 0 RETURN collect(i)",
    "MATCH (n) RETURN CASE WHEN n.born > 1950 THEN 'new' ELSE 'old' END AS age",
    "MATCH (a)-[r]->(b) RETURN type(r), count(*) ORDER BY count(*) DESC SKIP 1 LIMIT 2",
    "MATCH (n) WHERE n.name =~ '(?i).*set.*' AND NOT (n)--(:Movie) RETURN n",
    "MATCH (n) WHERE n.name STARTS WITH 'CREATE' OR (n.born IN [1, 2]) RETURN DISTINCT n",
    "RETURN [x IN range(1, 3) WHERE x > 1 | x * 2] AS xs, reduce(s = 0, x IN [1, 2] | s + x) AS total",
    "MATCH p = (start)-[:REL*1..3]-(stop) RETURN nodes(p), relationships(p), length(p)",
    "MATCH (show:Show) WHERE show.title CONTAINS 'x' RETURN show",
    "RETURN date('2020-01-01') AS d, date.truncate('year', date()) AS y, datetime().year AS z",
    "MATCH (n) RETURN n UNION MATCH (m) RETURN m AS n",
    "OPTIONAL MATCH (größe:Maß) RETURN größe.länge",
    "WITH 1.5e3 AS x, .5 AS y, 0xFF AS z RETURN x + y - z",
    "MATCH (n)\r\nRETURN n\r\n",
    "MATCH (m:Movie) RETURN m {.title, set: m.released} AS movie",
    "MATCH (a)<-[r]-(b) WHERE (a)-[:FOLLOWS]->(b) RETURN any(x IN labels(a) WHERE x = 'Set')",
]


@cases("query", REFUSED)
def test_is_refused(query: str) -> None:
    with pytest.raises(RefusedQuery):
        check_read_only(query)


@cases("query", READS)
def test_is_let_through(query: str) -> None:
    checked = check_read_only(query)
    assert checked.rstrip("; ") == checked.strip()
    assert checked in query.replace("\r\n", "\n")


@cases("word", sorted(CHANGING))
def test_every_word_that_changes_something_is_refused_as_a_clause_and_let_through_as_a_name(
    word: str,
) -> None:
    for form in (word, word.lower(), word.title()):
        with pytest.raises(RefusedQuery, match=f"{form} is not reading"):
            check_read_only(f"MATCH (n) WITH n {form} n")
        check_read_only(f"MATCH (n:{form} {{{form}: 1}})-[:{form}]-() RETURN n.{form} AS {form}, ${form}")


def test_how_long_a_look_takes_grows_with_the_query_and_not_faster() -> None:
    """Each would take from seconds to centuries if a look began anew at every sign or token."""
    with little_work():
        check_read_only(f"RETURN '{chr(92) * (MAX_CHARS - 20)}'")
        check_read_only("RETURN 1 " + "AS " * 6_000)
        with pytest.raises(RefusedQuery):
            check_read_only("MATCH (n) " + "CALL (" * 3_000 + ") { RETURN 1 }")


def test_the_sentence_says_what_to_do() -> None:
    with pytest.raises(RefusedQuery) as caught:
        check_read_only("MATCH (n) SET n.x = 1")
    assert str(caught.value) == (
        "Only reading is allowed, and SET is not reading. If it is meant as a name, put it in backticks."
    )
