"""Cypher that fits a graph: examples to try in the console, made from what is in it."""

from __future__ import annotations

from core.knowledge.records import Statistics


def cypher_examples(numbers: Statistics, native: bool, hypernodes: bool) -> dict[str, str]:
    """Title -> query, about the best connected node and the most frequent relation of this graph.

    Args:
        numbers: Of the graph; hypernodes and their parts are not among the names in it.
        native: Whether it has labels and types of its own.
        hypernodes: Whether it has any.
    """
    relation = numbers.relations[0].name if numbers.relations else ""
    node = numbers.connected[0][0] if numbers.connected else None
    if node is None or not relation:
        return {"All nodes": "MATCH (n) RETURN n LIMIT 25"}
    name, rel = _quoted(node.name), _quoted(relation)
    found = {
        "A node and its neighbours": (
            f"MATCH p = (e)-[r]-(n)\nWHERE {_name('e', native)} = {name}\nRETURN p LIMIT 25"
        ),
        "Relations with their number": (
            f"MATCH ()-[r]->()\nRETURN {'type(r)' if native else 'coalesce(r.rel, type(r))'} AS relation, "
            "count(*) AS number\nORDER BY number DESC"
        ),
        "All triples of one relation": (
            f"MATCH (a)-[r]->(b)\nWHERE {'type(r)' if native else 'r.rel'} = {rel}\n"
            f"RETURN {_name('a', native)} AS subject, {_name('b', native)} AS object LIMIT 25"
        ),
        "What is two hops away": (
            f"MATCH (a)-[r]-(b)-[s]-(c)\nWHERE {_name('a', native)} = {name}\n"
            f"RETURN DISTINCT {_name('b', native)} AS via, {_name('c', native)} AS reached LIMIT 25"
        ),
    }
    if hypernodes:
        found["Hypernodes: triples about triples"] = (
            "MATCH (h:Entity {kind: 'Statement'})-[r:REL]->(o)\n"
            "RETURN h.name AS triple, r.rel AS relation, o.name AS object LIMIT 25"
        )
    return found


def _name(variable: str, native: bool) -> str:
    return f"coalesce({variable}.name, {variable}.title)" if native else f"{variable}.name"


def _quoted(text: str) -> str:
    """A string of Cypher; every sign that could end it is written as an escape."""
    inner = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{inner}'"
