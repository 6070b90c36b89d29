"""The section Cypher: queries of one's own, which can only read."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import QueryResult
from core.knowledge.store.query_guard import check_read_only
from core.knowledge.store.user_queries import ROW_LIMIT, SECONDS
from core.runs.workbench import Workbench
from core.ui.knowledge.examples_view import cypher_examples
from core.ui.knowledge.query_result_view import result_network, table
from core.ui.knowledge.statistics import graph_numbers
from core.ui.knowledge.work import awaited, forget_work
from core.ui.run.network import draw_network
from core.ui.shell.theme import reading_aid
from core.wording import counted

FIRST_ROWS = 100
MAX_CHARS = 10_000


@st.fragment
def console_section(bench: Workbench, explorer: Explorer) -> None:
    """The query with its limits, examples and the schema beside it, and what it found below."""
    graph = explorer.graph
    key, asked = f"cypher-{graph.id}", f"cypher-asked-{graph.id}"
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
            forget_work(asked)
            st.session_state[asked] = (text, rows, seconds)
    if asked in st.session_state:
        _result(explorer, asked)


def _result(explorer: Explorer, asked: str) -> None:
    text, rows, seconds = st.session_state[asked]

    def run() -> QueryResult:
        return explorer.store.query(check_read_only(text), rows, float(seconds))

    result = awaited(asked, (text, rows, seconds), run, "Asking the graph")
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
