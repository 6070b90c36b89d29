"""Choosing a knowledge graph, and watching it being made ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from core.corpora.entries import Question
from core.knowledge.explore.explorer import Explorer
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.runs.sources.graphs import GraphJob
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.ui.fixes.ticking import ticking
from core.ui.forms.example_choice import example_choice
from core.ui.forms.recorded import answered_questions, known_questions
from core.ui.shell.progress import TICK_SECONDS, problem
from core.ui.shell.safe import literal

FIRST_GRAPH = DEMO_GRAPHS[0].name
"""That of the demo corpus."""
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
"""Questions for the graphs that come with the app and cite no corpus; the others have those of their corpus."""


def graph_beside(bench: Workbench, documents: str) -> str:
    """The name of the graph that is chosen on a form; empty: none is.

    Args:
        bench: Where it is.
        documents: Name of the corpus that is chosen on the same form; empty: none is. Then the one that the graph
            cites is chosen with it, for other forms.
    """

    def follow() -> None:
        corpus = bench.graphs.corpus_of(str(st.session_state.get("graph") or ""))
        if corpus in bench.corpora.offered():
            st.session_state["corpus"] = corpus

    return graph_select(bench, None if documents else follow)


def graph_examples(bench: Workbench, asked: Sequence[AnyStrategy], name: str, documents: str) -> None:
    """The examples of a graph, unless the corpus that it cites is chosen on the same form, with its examples.

    Args:
        bench: Where it is.
        asked: Strategies that will be asked: questions written for them come first.
        name: Of the graph; empty: none is chosen.
        documents: Name of the corpus that is chosen on the same form; empty: none is.
    """
    cited = bench.graphs.corpus_of(name)
    if not cited or cited != documents:
        known, right = known_questions(bench, asked), answered_questions(bench, asked)
        questions = _examples(bench, name, cited)
        example_choice("graph-example", questions, asked, "None with this graph", known, right)


def graph_ready(bench: Workbench, name: str) -> bool:
    """Whether the graph that is chosen can be explored; until it can, its progress is shown."""
    return bool(name) and made_ready(bench, name, "You can write your question meanwhile.") is not None


def _examples(bench: Workbench, name: str, cited: str) -> Sequence[Question]:
    """Its questions: those of the corpus that it cites which are meant for a strategy that explores."""
    exploring = {key for key, strategy in strategies().items() if strategy.explores}
    corpus = bench.corpora.offered().get(cited)
    meant = [one for one in corpus.questions if exploring & {*one.strategies}] if corpus else []
    return meant or [Question(text=text) for text in EXAMPLES.get(name, ())]


def graph_select(
    bench: Workbench,
    on_change: Callable[[], None] | None = None,
    label_visibility: Literal["visible", "collapsed"] = "visible",
) -> str:
    """The name of the graph that is chosen, on all pages the same; empty: none is."""
    names = bench.graphs.names()
    if st.session_state.get("graph", names[0]) not in names:
        st.session_state["graph"] = None  # it was deleted
    name = st.selectbox(
        "Knowledge graph",
        names,
        index=names.index(FIRST_GRAPH) if "graph" not in st.session_state else 0,
        key="graph",
        help="What is explored. The graphs that come with the app are imported when they are first chosen.",
        placeholder="Choose a graph",
        on_change=on_change,
        label_visibility=label_visibility,
        persist_state="session",
    )
    return str(name or "")


def made_ready(bench: Workbench, name: str, meanwhile: str = "") -> Explorer | None:
    """The graph, if it is ready; until then its progress is shown, or why it cannot be made ready.

    Args:
        bench: Where it is.
        name: Of the graph.
        meanwhile: What can be done while it is being made ready; our own text.
    """
    job = _job(bench, name)
    if not job.done:
        _watch(job, meanwhile)
        return None
    if error := job.error():
        st.error(literal(problem(error)), title="The graph could not be made ready")
        if st.button("Try again", key="graph-again", icon=":material/refresh:"):
            forget_graph()
            st.rerun()
        return None
    return job.result()


def forget_graph() -> None:
    """Make it ready anew with the next redraw."""
    st.session_state.pop("graph-job", None)


def _job(bench: Workbench, name: str) -> GraphJob:
    """The job that makes it ready; one that failed stays until it is asked for again."""
    held: tuple[str, GraphJob] | None = st.session_state.get("graph-job")
    if held is None or held[0] != name or _outdated(bench, held[1]):
        held = st.session_state["graph-job"] = (name, bench.graphs.prepare(name))
    return held[1]


def _outdated(bench: Workbench, job: GraphJob) -> bool:
    """Whether the graph was deleted or changed since it was made ready."""
    if not job.done or job.error():
        return False
    known = job.result().graph
    graphs = bench.graphs.graphs.catalogue.graphs()
    return not any((graph.id, graph.version) == (known.id, known.version) for graph in graphs)


@ticking(TICK_SECONDS)
def _watch(job: GraphJob, meanwhile: str) -> None:
    st.caption(f"The graph is being made ready. {meanwhile}")
    st.progress(min(1.0, job.progress.share), text=literal(job.message))
    if job.done:
        st.rerun()
