"""Choosing a knowledge graph, and watching it being made ready."""

from __future__ import annotations

import streamlit as st

from core.knowledge.importing import DEMO_GRAPHS
from core.runs.graphs import GraphJob
from core.runs.workbench import Workbench
from core.ui.progress import TICK_SECONDS, problem
from core.ui.safe import literal

FIRST_GRAPH = DEMO_GRAPHS[-1].name
"""The smallest: ready within seconds."""
EXAMPLES = {
    "Hypernodes (KG-RAG examples)": (
        "Which former husband of Elizabeth Taylor died in Chichester?",
        "Since when is Family Guy broadcast by Fox?",
        "Where did Mike Todd die?",
    ),
    "Movie questions (MetaQA)": (
        "what is a film directed by Tatia Rosenthal",
        "which person wrote the films directed by Baltasar Kormákur",
    ),
    "Movies (Neo4j example)": (
        "Who directed The Matrix?",
        "Who acted in Cloud Atlas?",
        "Who acted in films directed by Rob Reiner?",
    ),
    "Wikipedia demo (Wikidata)": (
        "Who is the sibling of Abaqa Khan?",
        "Who directed A Family?",
        "Where was A. R. Rahman born?",
    ),
}
"""Questions for the graphs that come with the app."""


def graph_choice(bench: Workbench) -> bool:
    """The graph and its examples; whether it can be explored."""
    with st.grid(2, min_column_width=280, vertical_alignment="bottom"):
        names = bench.graphs.names()
        name = st.selectbox(
            "Knowledge graph",
            names,
            index=names.index(FIRST_GRAPH) if "graph" not in st.session_state else 0,
            key="graph",
            help="What is explored. The graphs that come with the app are imported when they are first chosen.",
            persist_state="session",
        )
        job = _job(bench, str(name))
        _examples(str(name))
    if not job.done:
        _watch(job)
        return False
    if error := job.error():
        st.error(literal(problem(error)), title="The graph could not be made ready")
        if st.button("Try again", key="graph-again", icon=":material/refresh:"):
            st.session_state.pop("graph-job", None)
            st.rerun()
        return False
    return True


def _job(bench: Workbench, name: str) -> GraphJob:
    """The job that makes it ready; one that failed stays until it is asked for again."""
    held: tuple[str, GraphJob] | None = st.session_state.get("graph-job")
    if held is None or held[0] != name:
        held = st.session_state["graph-job"] = (name, bench.graphs.prepare(name))
    return held[1]


@st.fragment(run_every=TICK_SECONDS)
def _watch(job: GraphJob) -> None:
    st.caption("The graph is being made ready. You can write your question meanwhile.")
    st.progress(min(1.0, job.share), text=literal(job.message))
    if job.done:
        st.rerun()


def _examples(name: str) -> None:
    def take() -> None:
        if chosen := st.session_state.get("graph-example"):
            st.session_state["question"] = chosen

    questions = EXAMPLES.get(name, ())
    st.selectbox(
        "Example questions",
        questions,
        index=None,
        key="graph-example",
        placeholder="Choose one to fill it in" if questions else "None with this graph",
        disabled=not questions,
        on_change=take,
    )
