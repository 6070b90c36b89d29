"""The Cypher texts that read a graph; `cypher_writing` has those that change one. A docstring says what the text does.

Only what Neo4j and ArcadeDB both understand and answer alike. Values are parameters, never part of the text.

A graph made of triples has nodes `Entity {id, name, kind}` and edges `REL {rel, chunk, document, quote}`; a
hypernode has `SUBJECT` and `OBJECT` edges to its ends (see `core.knowledge.triples`). A *native* graph came
with labels and types of its own; there a node's id is its `id`, `name` or `title`, whatever it has.
"""

from __future__ import annotations

_NATIVE_ID = "coalesce(toString({n}.id), toString({n}.name), toString({n}.title))"
_LABEL = {True: "", False: ":Entity"}
"""What a pattern says of a node's label, by whether the graph is native."""
_REL = "coalesce({r}.rel, type({r}))"
_SOURCE = "chunk: {r}.chunk, document: {r}.document, quote: {r}.quote"
_EDGE = "{{src: {a}, dst: {b}, type: type({r}), rel: " + _REL + ", " + _SOURCE + "}}"

ANY_NODE = "MATCH (n) RETURN 1 AS found LIMIT 1"
"""A row, unless the database is empty."""

COUNT_NODES = "MATCH (n) RETURN count(n) AS count"
COUNT_EDGES = "MATCH ()-[r]->() RETURN count(r) AS count"
COUNT_STATEMENTS = "MATCH (n:Entity {kind: 'Statement'}) RETURN count(n) AS count"

COUNT_RELATIONS = f"MATCH ()-[r]->() RETURN {_REL.format(r='r')} AS rel, count(*) AS count ORDER BY count DESC, rel LIMIT $limit"  # noqa: E501
"""The most frequent relations."""

COUNT_LABELS = "MATCH (n) UNWIND labels(n) AS label RETURN label, count(*) AS count ORDER BY count DESC, label LIMIT $limit"  # noqa: E501
"""The most frequent labels."""

NODE_PROPERTIES = """MATCH (n) WITH n LIMIT $sample UNWIND labels(n) AS label UNWIND keys(n) AS key
RETURN label, key, head(collect(n[key])) AS example, count(*) AS count ORDER BY label, key LIMIT $limit"""
"""The properties of the nodes of each label, each with an example, in a sample of them."""

EDGE_PROPERTIES = """MATCH ()-[r]->() WITH r LIMIT $sample UNWIND keys(r) AS key
RETURN type(r) AS type, key, head(collect(r[key])) AS example, count(*) AS count ORDER BY type, key LIMIT $limit"""
"""The properties of the edges of each type, each with an example, in a sample of them."""

EDGE_PATTERNS = """MATCH (a)-[r]->(b)
RETURN head(labels(a)) AS source, type(r) AS type, head(labels(b)) AS target, count(*) AS count
ORDER BY count DESC, source, type, target LIMIT $limit"""
"""The labels that the edges of each type join."""


def node_id(variable: str, native: bool) -> str:
    """Return the expression of a node's id."""
    return _NATIVE_ID.format(n=variable) if native else f"{variable}.id"


def node_map(variable: str, native: bool) -> str:
    """Return the expression of a node as a map of id, name, kind."""
    if not native:
        return f"{{id: {variable}.id, name: {variable}.name, kind: {variable}.kind}}"
    ident = node_id(variable, native)
    name = f"coalesce(toString({variable}.name), toString({variable}.title), {ident})"
    return f"{{id: {ident}, name: {name}, kind: head(labels({variable}))}}"


def _pattern(variable: str, parameter: str, native: bool) -> tuple[str, str]:
    """Return the pattern of a node with a given id, and what must stand in WHERE."""
    if native:  # without an index, since no label is known: 5 ms for 10,000 nodes
        return f"({variable})", f"{node_id(variable, native)} = ${parameter}"
    return f"({variable}:Entity {{id: ${parameter}}})", "true"


def _edge(native: bool) -> str:
    return _EDGE.format(a=node_id("startNode(r)", native), b=node_id("endNode(r)", native), r="r")


def find(native: bool) -> str:
    """Find nodes whose name holds $text, without regard to case; exact ones first, then the shortest names."""
    name = "coalesce(toString(e.name), toString(e.title))" if native else "e.name"
    ident = node_id("e", native)
    return f"""MATCH (e{_LABEL[native]}) WHERE toLower({name}) CONTAINS $text OR {ident} = $id
RETURN {node_map("e", native)} AS node,
CASE WHEN {ident} = $id OR toLower({name}) = $text THEN 0 WHEN toLower({name}) STARTS WITH $text THEN 1 ELSE 2 END
AS place, size({name}) AS length ORDER BY place, length, node.id LIMIT $limit"""


def get(native: bool) -> str:
    """Find the node with $id."""
    pattern, where = _pattern("e", "id", native)
    return f"MATCH {pattern} WHERE {where} RETURN {node_map('e', native)} AS node LIMIT 1"


def neighbours(native: bool) -> str:
    """Find the edges of the node with $id and what is at their other ends."""
    pattern, where = _pattern("a", "id", native)
    return f"""MATCH {pattern}-[r]-(b) WHERE {where} WITH DISTINCT r, b
RETURN {_edge(native)} AS edge, {node_map("b", native)} AS node
ORDER BY edge.rel, node.id, edge.src, edge.chunk LIMIT $limit"""


def count_neighbours(native: bool) -> str:
    """Count the edges of the node with $id."""
    pattern, where = _pattern("a", "id", native)
    return f"MATCH {pattern}-[r]-() WHERE {where} RETURN count(DISTINCT r) AS count"


def relations(native: bool) -> str:
    """Find the relations of each node in $ids, by direction, and count the different nodes at the other end."""
    ident = node_id("a", native)
    return f"""{_start("a", native)} MATCH (a)-[r]-(b)
WITH {ident} AS id, {_REL.format(r="r")} AS rel, type(r) AS type,
CASE WHEN {node_id("startNode(r)", native)} = {ident} THEN 'out' ELSE 'in' END AS direction,
{node_id("b", native)} AS other
RETURN id, rel, type, direction, count(DISTINCT other) AS count ORDER BY id, count DESC, rel, direction"""


def paths(hops: int, native: bool) -> str:
    """Find paths of at most `hops` edges, in any direction, from the node with $s to the one with $t; short ones first.

    A variable number of hops cannot be a parameter in Cypher.
    """
    a, where_a = _pattern("a", "s", native)
    b, where_b = _pattern("b", "t", native)
    types = "" if native else ":REL|SUBJECT|OBJECT"
    return f"""MATCH p = {a}-[{types}*1..{int(hops)}]-{b} WHERE {where_a} AND {where_b}
WITH p, length(p) AS hops ORDER BY hops LIMIT $limit
RETURN hops, [n IN nodes(p) | {node_map("n", native)}] AS nodes, [r IN relationships(p) | {_edge(native)}] AS edges"""


def most_connected(native: bool) -> str:
    """Find the nodes with the most edges."""
    return f"""MATCH (e{_LABEL[native]})-[r]-() WITH e, count(r) AS count
ORDER BY count DESC, {node_id("e", native)} LIMIT $limit RETURN {node_map("e", native)} AS node, count"""


# Browsing: what is around some nodes, with filters. Look-ups in a map take a tenth of the time of `IN` with a list.

_SHOWN = f"""(size($relations) = 0 OR {_REL.format(r="r")} IN $relations)
AND (size($documents) = 0 OR coalesce(r.document, startNode(r).document, '') IN $documents)"""
"""Edges that a filter lets pass; a hypernode's edges to its ends count as its document's."""


def centres(native: bool) -> str:
    """Find the nodes in $ids, with their number of edges."""
    start = _start("a", native)
    return f"""{start} OPTIONAL MATCH (a)-[x]-()
RETURN {node_map("a", native)} AS node, count(x) AS degree"""


def around(native: bool) -> str:
    """Find, for each node in $ids, its $limit neighbours with the most edges, without $centres."""
    return f"""{_near(native)}
WITH DISTINCT a, b MATCH (b)-[x]-()
WITH {node_id("a", native)} AS id, {node_map("b", native)} AS node, count(x) AS degree ORDER BY degree DESC, node.id
RETURN id, collect({{node: node, degree: degree}})[..$limit] AS best ORDER BY id"""


def count_around(native: bool) -> str:
    """Count the neighbours of the nodes in $ids that are not in $centres, each once."""
    return f"{_near(native)} RETURN count(DISTINCT {node_id('b', native)}) AS count"


def edges_among(native: bool) -> str:
    """Find the edges between the nodes in $ids, which are also the keys of $among; those of $centres first."""
    first = f"$centres[{node_id('a', native)}] OR $centres[{node_id('b', native)}]"
    return f"""{_start("a", native)} MATCH (a)-[r]->(b{_LABEL[native]})
WHERE $among[{node_id("b", native)}] AND {_SHOWN}
RETURN {_edge(native)} AS edge, CASE WHEN {first} THEN 0 ELSE 1 END AS place
ORDER BY place, edge.src, edge.rel, edge.dst, edge.chunk LIMIT $limit"""


def edges_out(native: bool) -> str:
    """Find the edges that begin at the nodes in $ids."""
    return f"{_start('a', native)} MATCH (a)-[r]->(b) RETURN {_edge(native)} AS edge"


def kinds(native: bool) -> str:
    """Count the nodes of each kind, the most frequent first."""
    kind = "head(labels(n))" if native else "n.kind"
    return f"MATCH (n{_LABEL[native]}) RETURN {kind} AS kind, count(*) AS count ORDER BY count DESC, kind LIMIT $limit"


COUNT_DOCUMENTS = """MATCH ()-[r]->() WHERE r.document <> ''
RETURN r.document AS document, count(*) AS count ORDER BY count DESC, document LIMIT $limit"""
"""The documents that state the most edges."""


def _start(variable: str, native: bool) -> str:
    """Match the nodes in $ids."""
    if native:
        return f"MATCH ({variable}) WHERE {node_id(variable, native)} IN $ids"
    return f"UNWIND $ids AS id MATCH ({variable}:Entity {{id: id}})"


def _near(native: bool) -> str:
    kind = "head(labels(b))" if native else "b.kind"
    other = node_id("b", native)
    entities = "true" if native else f"($hypernodes OR {_NO_STATEMENT})"
    return f"""{_start("a", native)} MATCH (a)-[r]-(b{_LABEL[native]})
WHERE {other} IS NOT NULL AND $centres[{other}] IS NULL AND (size($kinds) = 0 OR {kind} IN $kinds)
AND {entities} AND {_SHOWN}"""


# Exploring: relations of many nodes at a time, and through hypernodes

_ENDS = "[:SUBJECT|OBJECT*1..2]"
"""From a hypernode to its ends, and to the ends of a hypernode within it."""
_NO_STATEMENT = "b.kind <> 'Statement'"


def nodes(native: bool) -> str:
    """Find a page of all nodes with what the search index keeps of them, in an order that does not change."""
    source = "'' AS chunk, '' AS document" if native else "e.chunk AS chunk, e.document AS document"
    return f"""MATCH (e{_LABEL[native]}) RETURN {node_map("e", native)} AS node, {source}
ORDER BY {node_id("e", native)} SKIP $skip LIMIT $limit"""


def _one_hop(native: bool) -> tuple[str, str, str]:
    """Return the patterns of both ends of an edge from the nodes in $ids to others, and what must stand in WHERE."""
    if native:
        return "MATCH (a)", "(b)", f"{node_id('a', True)} IN $ids"
    return "UNWIND $ids AS id MATCH (a:Entity {id: id})", "(b:Entity)", _NO_STATEMENT


def hops(native: bool) -> str:
    """Find the relations by which one gets from the nodes in $ids to other nodes, and count these."""
    a, b, where = _one_hop(native)
    return f"""{a}-[r]-{b} WHERE {where}
WITH {_REL.format(r="r")} AS rel, {node_id("b", native)} AS other,
CASE WHEN {node_id("startNode(r)", native)} = {node_id("a", native)} THEN 'out' ELSE 'in' END AS direction
RETURN '' AS statement, rel, direction, count(DISTINCT other) AS count ORDER BY rel, direction"""


def statement_hops(direction: str) -> str:
    """Do as `hops`, through hypernodes: from an end to what is said of the triple, or from there to its ends."""
    return f"""UNWIND $ids AS id {_through(direction)}
RETURN h.rel AS statement, r.rel AS rel, '{direction}' AS direction, count(DISTINCT b.id) AS count
ORDER BY statement, rel"""


def follow(direction: str, native: bool) -> str:
    """Find the nodes that a relation leads to from any of the nodes in $ids, with the edges."""
    left, right = ("-", "->") if direction == "out" else ("<-", "-")
    a, b, where = _one_hop(native)
    return f"""{a}{left}[r]{right}{b} WHERE {where} AND {_REL.format(r="r")} = $rel
RETURN {node_id("a", native)} AS source, {node_map("b", native)} AS node, {_edge(native)} AS edge, '' AS statement
ORDER BY node.id, source, edge.chunk LIMIT $limit"""


def follow_statement(direction: str) -> str:
    """Do as `follow`, through hypernodes whose own relation is $statement."""
    return f"""UNWIND $ids AS id {_through(direction)} AND h.rel = $statement AND r.rel = $rel
RETURN id AS source, {node_map("b", False)} AS node, {_edge(False)} AS edge, h.name AS statement
ORDER BY node.id, source, edge.chunk LIMIT $limit"""


def _through(direction: str) -> str:
    way = (
        f"(a:Entity {{id: id}})<-{_ENDS}-(h:Entity)-[r:REL]-(b:Entity)"
        if direction == "out"
        else f"(a:Entity {{id: id}})-[r:REL]-(h:Entity {{kind: 'Statement'}})-{_ENDS}->(b:Entity)"
    )
    return f"MATCH {way} WHERE {_NO_STATEMENT} AND b.id <> id"


QUALIFYING_RELATIONS = """MATCH (h:Entity {kind: 'Statement'})-[r:REL]->(:Entity)
RETURN h.rel AS statement, r.rel AS rel, count(*) AS count ORDER BY count DESC, statement, rel LIMIT $limit"""
"""The relations by which hypernodes say more of facts, with the facts' own relations."""

ENTITIES = """MATCH (e:Entity) WHERE e.kind <> 'Statement' OPTIONAL MATCH (e)-[r]-()
RETURN e.id AS id, e.name AS name, e.kind AS kind, count(r) AS edges ORDER BY id SKIP $skip LIMIT $limit"""
"""A page of all entities that are no hypernodes, with their number of edges."""

PRESENT = "UNWIND $ids AS id MATCH (e:Entity {id: id}) RETURN e.id AS id, e.name AS name, e.kind AS kind"
"""The entities with one of $ids that are in the graph."""

EDGES_OUT = """MATCH (a:Entity {id: $id})-[r]->(b:Entity)
RETURN type(r) AS type, a.id AS s, r.rel AS rel, b.id AS t,
r.chunk AS chunk, r.document AS document, r.quote AS quote"""
"""The edges of a node that begin there, each once."""

EDGES_IN = """MATCH (b:Entity)-[r]->(a:Entity {id: $id}) WHERE b.id <> $id
RETURN type(r) AS type, b.id AS s, r.rel AS rel, a.id AS t,
r.chunk AS chunk, r.document AS document, r.quote AS quote"""
"""The edges of a node that end there; those that also begin there are among `EDGES_OUT`."""
