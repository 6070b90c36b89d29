"""The section Cypher: queries of one's own, which can only read, examples, and the result as a table and a drawing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from core.drawings.network import Network, NetworkEdge, NetworkNode
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import DrawnNode, QueryResult, Statistics
from core.knowledge.store.query_guard import check_read_only
from core.knowledge.store.user_queries import ROW_LIMIT, SECONDS
from core.knowledge.triples import PARTS, STATEMENT
from core.runs.workbench import Workbench
from core.ui.knowledge.statistics import graph_numbers
from core.ui.knowledge.work import awaited, forget_work
from core.ui.run.network import draw_network
from core.ui.shell.widgets import reading_aid
from core.wording import counted

FIRST_ROWS = 100
MAX_CHARS = 10_000


@st.fragment
def console_section(bench: Workbench, explorer: Explorer) -> None:
    """Draw the query with its limits, examples and the schema beside it, and what it found below."""
    graph = explorer.graph
    key, query_key = f"cypher-{graph.id}", f"cypher-asked-{graph.id}"
    left, right = st.columns([3, 2], gap="large")
    with right:
        _examples(explorer, key)
        _schema(explorer)
    with left, st.container(key="knowledge-query"):
        text = st.text_area(
            "Cypher",
            key=key,
            height=190,
            max_chars=MAX_CHARS,
            placeholder="MATCH (n) RETURN n LIMIT 25",
            on_change="ignore",
            persist_state="session",
            help="Queries can only read: what would change the graph is refused before it is run.",
        )
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            first = st.container(width="content")
            rows = st.number_input("Rows at most", 1, ROW_LIMIT, FIRST_ROWS, key="cypher-rows", width=140)
            seconds = st.number_input(
                "Seconds at most", 1, int(SECONDS), int(SECONDS), key="cypher-seconds", width=140
            )
        if first.button("Run", key="cypher-run", type="primary", icon=":material/play_arrow:"):
            forget_work(query_key)
            st.session_state[query_key] = (text, rows, seconds)
    if query_key in st.session_state:
        _result(explorer, query_key)


def _result(explorer: Explorer, query_key: str) -> None:
    text, rows, seconds = st.session_state[query_key]

    def run() -> QueryResult:
        return explorer.store.query(check_read_only(text), rows, float(seconds))

    result = awaited(query_key, (text, rows, seconds), run, "Asking the graph")
    if result is None:
        return
    if not result.rows:
        st.info(f"The query found nothing, in {result.seconds:.2f} s.")
        return
    st.caption(f"{counted(len(result.rows), 'row')} in {result.seconds:.2f} s.")
    if result.truncated:
        st.warning(f"There is more: at most {rows} rows are read, and long values are cut.")
    if network := result_network(result):
        draw_network(network, f"cypher-{explorer.graph.id}", height=480)
        reading_aid("Nodes, edges and paths of the result; the same rows are in the table below.")
    # Cells of a data frame are drawn as text, so nothing needs escaping here.
    st.dataframe(pd.DataFrame(table(result)), hide_index=True, key="cypher-table", alt="Rows of the result")


def _examples(explorer: Explorer, key: str) -> None:
    numbers = graph_numbers(explorer)
    if numbers is None:
        return
    examples = cypher_examples(numbers, explorer.graph.native, explorer.statements)

    def take() -> None:
        if chosen := st.session_state.get("cypher-example"):
            st.session_state[key] = examples[chosen]

    st.selectbox(
        "Examples for this graph",
        list(examples),
        index=None,
        key="cypher-example",
        placeholder="Choose one to fill it in",
        on_change=take,
    )


def _schema(explorer: Explorer) -> None:
    with st.expander("Schema: what can be asked for", icon=":material/schema:", key="cypher-schema"):
        version = (explorer.graph.id, explorer.graph.version)
        schema = awaited("schema", version, explorer.store.schema_text, "Reading the schema")
        if schema:
            st.code(schema, language=None, wrap_lines=True, height=260)


# Examples


def cypher_examples(numbers: Statistics, native: bool, hypernodes: bool) -> dict[str, str]:
    """Return example queries by title, about the best connected node and the most frequent relation of this graph.

    It may be `native`, with labels and types of its own, or have `hypernodes`; these and their parts are not among the
    names in its numbers.
    """
    relation = numbers.relations[0].name if numbers.relations else ""
    node = numbers.connected[0][0] if numbers.connected else None
    if node is None or not relation:
        return {"All nodes": "MATCH (n) RETURN n LIMIT 25"}
    name, rel = _cypher_string(node.name), _cypher_string(relation)
    examples = {
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
        examples["Hypernodes: triples about triples"] = (
            "MATCH (h:Entity {kind: 'Statement'})-[r:REL]->(o)\n"
            "RETURN h.name AS triple, r.rel AS relation, o.name AS object LIMIT 25"
        )
    return examples


def _name(variable: str, native: bool) -> str:
    return f"coalesce({variable}.name, {variable}.title)" if native else f"{variable}.name"


def _cypher_string(text: str) -> str:
    """Return a string of Cypher; every sign that could end it is written as an escape."""
    inner = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{inner}'"


# The result, as a table of plain text and as a drawing

DRAWN = 300
"""Nodes that are drawn at most."""
CELL_CHARS = 500
_NAMES = ("name", "title", "id")


def table(result: QueryResult) -> dict[str, list[Any]]:
    """Return columns with their cells; numbers stay numbers where a whole column has nothing else."""
    names = _unique(result.columns)
    columns = {name: [row[place] for row in result.rows] for place, name in enumerate(names)}
    return {
        name: cells if _numbers(cells) else [cell_text(cell) for cell in cells]
        for name, cells in columns.items()
    }


def cell_text(value: Any) -> str:
    """Return a value in one line; nodes and edges by their name, other maps and lists as JSON."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, Mapping) and ("labels" in value or "type" in value):
        text = _element_text(value)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        text = " ".join(map(_element_text, value))
    else:
        text = "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= CELL_CHARS else text[: CELL_CHARS - 1] + "…"


def result_network(result: QueryResult) -> Network | None:
    """Return its nodes, edges and paths, at most `DRAWN` nodes; None: it holds none."""
    if not result.nodes:
        return None
    known = {key for path in result.paths for key in path}
    # A node that an edge merely ends in comes without properties; those that were asked for come first.
    ordered = sorted(result.nodes, key=lambda node: (not node.properties, node.key not in known))[:DRAWN]
    shown = {node.key for node in ordered}
    nodes = tuple(_node(node) for node in ordered)
    edges = tuple(
        NetworkEdge(
            edge.key, edge.src, edge.dst, str(edge.properties.get("rel") or edge.type), edge.type in PARTS
        )
        for edge in result.edges
        if edge.src in shown and edge.dst in shown
    )
    return Network(nodes, edges, hidden=len(result.nodes) - len(ordered))


def _node(node: DrawnNode) -> NetworkNode:
    kind = str(node.properties.get("kind") or "") if "Entity" in node.labels else ""
    kind = kind or (node.labels[0] if node.labels and "Entity" not in node.labels else "")
    label = _first(node.properties) or (node.labels[0] if node.labels else "node")
    return NetworkNode(node.key, label, kind, hypernode=kind == STATEMENT)


def _element_text(value: Mapping[str, Any]) -> str:
    if "labels" not in value and "type" in value:
        return f"—{value.get('rel') or value['type']}—"  # its direction is in the drawing
    return _first(value) or json.dumps(value, ensure_ascii=False, default=str)


def _first(properties: Mapping[str, Any]) -> str:
    return next((str(properties[key]) for key in _NAMES if properties.get(key)), "")


def _numbers(cells: Sequence[Any]) -> bool:
    return all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in cells)


def _unique(names: Sequence[str]) -> list[str]:
    """Return column names that differ, as a data frame needs them."""
    unique: list[str] = []
    for name in names:
        number, wanted = 2, name
        while wanted in unique:
            wanted, number = f"{name} ({number})", number + 1
        unique.append(wanted)
    return unique
