"""A graph in numbers, and its schema as text; by queries of our own, since no two servers agree on theirs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from core.knowledge.records import Statistics, count_records, node_record
from core.knowledge.store import cypher
from core.knowledge.triples import PARTS

Read = Callable[..., list[dict[str, Any]]]
"""Runs one of our statements with its parameters."""
SAMPLE = 2000
"""Nodes, and edges, whose properties are looked at."""
SCHEMA_LINES = 60
"""Of each kind; a larger schema is no help for a model either."""
_EXAMPLE_CHARS = 40
_HIDDEN = {("Entity", "chunk"), ("Entity", "document"), ("Entity", "quote")}


def statistics(read: Read, native: bool, limit: int) -> Statistics:
    """The graph in numbers; lists have at most `limit` entries."""
    return Statistics(
        nodes=_count(read, cypher.COUNT_NODES),
        edges=_count(read, cypher.COUNT_EDGES),
        statements=0 if native else _count(read, cypher.COUNT_STATEMENTS),
        relations=count_records(read(cypher.COUNT_RELATIONS, limit=limit), "rel"),
        labels=count_records(read(cypher.COUNT_LABELS, limit=limit), "label"),
        connected=tuple(
            (node_record(row["node"]), row["count"])
            for row in read(cypher.most_connected(native), limit=limit)
        ),
    )


def properties(read: Read) -> dict[str, list[str]]:
    """The names of the properties that nodes of each label have."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in read(cypher.NODE_PROPERTIES, sample=SAMPLE, limit=SCHEMA_LINES):
        if (row["label"], row["key"]) not in _HIDDEN:
            found[str(row["label"])].append(str(row["key"]))
    return dict(found)


def schema_text(read: Read) -> str:
    """Labels with their properties, types with theirs, which labels each type joins, and the relations of `REL`."""
    patterns = read(cypher.EDGE_PATTERNS, limit=SCHEMA_LINES)
    lines = ["Node properties:"]
    lines += _properties(read(cypher.NODE_PROPERTIES, sample=SAMPLE, limit=SCHEMA_LINES), "label")
    edges = _properties(read(cypher.EDGE_PROPERTIES, sample=SAMPLE, limit=SCHEMA_LINES), "type")
    if edges:
        lines += ["Relationship properties:", *edges]
    lines.append("The relationships:")
    lines += [f"(:{_name(p['source'])})-[:{_name(p['type'])}]->(:{_name(p['target'])})" for p in patterns]
    if any(pattern["type"] == "REL" for pattern in patterns):
        rows = read(cypher.COUNT_RELATIONS, limit=SCHEMA_LINES)
        names = [f'"{row["rel"]}" ({row["count"]})' for row in rows if row["rel"] not in PARTS]
        lines.append(f"Values of `rel` on REL, with their number: {', '.join(names)}")
    return "\n".join(lines)


def _count(read: Read, text: str) -> int:
    rows = read(text)
    return int(rows[0]["count"]) if rows else 0


def _properties(rows: list[dict[str, Any]], key: str) -> list[str]:
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if (row[key], row["key"]) not in _HIDDEN:
            found[row[key]].append(f"{_name(row['key'])}: {_kind(row['example'])}")
    return [f"{_name(name)} {{{', '.join(properties)}}}" for name, properties in found.items()]


def _kind(value: Any) -> str:
    """Type and example of a property."""
    if isinstance(value, bool):
        return "BOOLEAN"
    if isinstance(value, int | float):
        return f"{'INTEGER' if isinstance(value, int) else 'FLOAT'} e.g. {value}"
    if isinstance(value, list):
        return "LIST"
    if isinstance(value, str):
        return f"STRING e.g. {value[:_EXAMPLE_CHARS]!r}"
    return type(value).__name__.upper()


def _name(name: Any) -> str:
    text = str(name)
    return text if text.isidentifier() else "`" + text.replace("`", "``") + "`"
