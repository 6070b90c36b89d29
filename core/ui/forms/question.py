"""Question, documents, graph, retriever and examples: what is asked of what; the same on every page that asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from core.cards.texts import named
from core.corpora.entries import Corpus, Question
from core.knowledge.store.demo_graphs import example_questions
from core.runs.workbench import Workbench
from core.strategies import strategies as all_strategies
from core.strategies.base import AnyStrategy
from core.ui.forms.filter_choice import filter_choice
from core.ui.forms.graph_choice import graph_explorer, graph_select
from core.ui.forms.recorded import answered_questions, first_questions, known_questions
from core.ui.forms.retriever_choice import default_here, retriever_choice
from core.ui.shell import session
from core.ui.shell.progress import MEANWHILE, watch_demo
from core.ui.shell.safe import literal
from core.wording import counted

COLUMN_PIXELS = 340
"""Least width of a column: where there is no room for all, they lie below one another."""
FOR_ALL = "◎"
"""Before a question that is recorded through every strategy: at the end of a long one it would be cut."""
ANSWERED = "answered"
"""Mark of a question that the model which answers was seen to answer rightly."""


def question_box(bench: Workbench, strategies: Sequence[AnyStrategy]) -> DeltaGenerator:
    """Draw the field of the question, which is in the session under `question`; returns the row below it, for examples
    and what asks."""
    retrieves = any(strategy.retrieves for strategy in strategies)
    explores = any(strategy.explores for strategy in strategies)
    of_what = (
        "the graph and the documents can answer together"
        if retrieves and explores
        else "the graph can answer"
        if explores
        else "the documents can answer"
    )
    st.text_area(
        "Question",
        key="question",
        height=70,
        placeholder=f"Ask something that {of_what}",
        on_change="ignore",
        persist_state="session",
    )
    return st.container(horizontal=True, vertical_alignment="center", gap="small", key="below-question")


def documents_form(
    bench: Workbench,
    strategies: Sequence[AnyStrategy],
    examples: DeltaGenerator,
    options: ExpanderContainer | None = None,
) -> tuple[bool, Corpus | None]:
    """Draw the choice of what is searched and explored; the values are in the session, under `corpus` and `graph`.

    The strategies that will be asked say whether documents are searched and a graph is explored. Example questions
    stand in `examples`, see `question_box`, and the filter in `options`; None: it stands beside the documents, and the
    retriever is chosen elsewhere. Returns True if it can be asked, and the corpus, if it can be searched.
    """
    ready, corpus, name, problem, graph = True, None, "", "", ""
    retrieves = any(strategy.retrieves for strategy in strategies)
    explores = any(strategy.explores for strategy in strategies)
    retriever = options is not None and any(strategy.choosable for strategy in strategies)
    columns = retrieves + retriever + explores  # none: the model is asked alone
    with st.grid(max(1, columns), min_column_width=COLUMN_PIXELS, vertical_alignment="top"):
        if retrieves:
            with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
                corpus, name = _corpus(bench, alone=not explores)
                problem = filter_choice(bench, corpus, within=options)
            ready = corpus is not None and not problem
            if retriever:
                usual = default_here(bench, strategies[0].key, corpus, session.chat(bench))
                retriever_choice("retriever", usual)
        if explores:
            graph = _graph(bench, alone=not retrieves)
    with examples:
        if retrieves:
            missing = "none with these documents" if corpus else "soon"
            first = first_questions(bench)
            own = corpus.questions if corpus else ()
            _example_choice(bench, "example", "More questions", own, strategies, missing, first)
        cited = bench.graphs.corpus_of(graph) if explores else ""
        if explores and not (cited and cited == name):  # else the examples of the corpus are for both
            title = "Questions for the graph" if retrieves else "More questions"
            questions = _graph_questions(bench, graph, cited)
            _example_choice(bench, "graph-example", title, questions, strategies, "none with this graph")
    if retrieves and corpus is None:
        watch_demo(bench, name)
    elif problem:
        st.warning(literal(problem), icon=":material/filter_alt_off:")
    if explores:
        explorer = graph_explorer(bench, graph, MEANWHILE) if graph else None
        ready = explorer is not None and ready
    return ready, corpus


def _corpus(bench: Workbench, *, alone: bool) -> tuple[Corpus | None, str]:
    """Draw the choice of documents; returns the corpus, if it can be asked, and its name.

    Where it stands `alone`, the graph that cites the corpus is chosen with it, for other forms.
    """

    def follow() -> None:
        if graph := bench.graphs.of_corpus(str(st.session_state.get("corpus") or "")):
            st.session_state["graph"] = graph

    corpora = bench.corpora.offered()
    name = st.selectbox(
        "Documents",
        list(corpora),
        format_func=lambda name: _corpus_label(corpora.get(name), name),
        key="corpus",
        help="The documents that are searched. Add your own on the page Documents.",
        on_change=follow if alone else None,
        persist_state="session",
    )
    return session.searchable(bench, corpora, name), name


def _corpus_label(corpus: Corpus | None, name: str) -> str:
    chunks = f", {counted(corpus.chunks, 'chunk')}" if corpus is not None and corpus.chunks else ""
    return f"{named(name)}{chunks}"


def _graph(bench: Workbench, *, alone: bool) -> str:
    """Draw the choice of a graph; returns its name, empty where none is chosen.

    Where it stands `alone`, the corpus that the graph cites is chosen with it, for other forms.
    """

    def follow() -> None:
        corpus = bench.graphs.corpus_of(str(st.session_state.get("graph") or ""))
        if corpus in bench.corpora.offered():
            st.session_state["corpus"] = corpus

    return graph_select(bench, follow if alone else None)


def _graph_questions(bench: Workbench, graph: str, cited: str) -> Sequence[Question]:
    """Return the questions of a graph: of those of the corpus that it cites, the ones for strategies that explore."""
    exploring = {key for key, strategy in all_strategies().items() if strategy.explores}
    corpus = bench.corpora.offered().get(cited)
    meant = (
        [question for question in corpus.questions if exploring & {*question.strategies}] if corpus else []
    )
    return meant or [Question(text=text) for text in example_questions().get(graph, ())]


def _example_choice(
    bench: Workbench,
    key: str,
    title: str,
    questions: Sequence[Question],
    strategies: Sequence[AnyStrategy],
    missing: str,
    first: Collection[str] = (),
) -> None:
    """Draw the list of example questions; the one that is chosen is filled into the form.

    Questions in `first`, by their texts, stand before all others, then those written for the strategies that will be
    asked. Where there are none, `missing` stands behind the title.
    """
    recorded, answered = known_questions(bench, strategies), answered_questions(bench, strategies)
    labels = order_questions(questions, {one.key for one in strategies}, recorded, answered, first)
    hints = {
        f"Questions with {FOR_ALL} are recorded with every strategy; they come first.": bool(first),
        f"Questions marked “{ANSWERED}” come first: the built-in model got them right.": any(
            question.id in answered for question in questions
        ),
        "Then come questions written for the chosen strategy.": any(
            question.strategies for question in questions
        ),
        "Recorded questions come before the others.": bool(recorded),
    }

    def take() -> None:
        if chosen := st.session_state.get(key):
            st.session_state["question"] = chosen

    st.selectbox(
        title,
        list(labels),
        index=None,
        key=key,
        format_func=lambda text: labels.get(text, text),
        placeholder=title if labels else f"{title}: {missing}",
        disabled=not labels,
        on_change=take,
        label_visibility="collapsed",
        help=" ".join(hint for hint, holds in hints.items() if holds) or None,
    )


def order_questions(
    questions: Sequence[Question],
    strategies: set[str],
    recorded: Collection[str] = (),
    answered: Collection[str] = (),
    first: Collection[str] = (),
) -> dict[str, str]:
    """Return the text of each question and its label, which ends with its kind.

    Those that are recorded through every strategy (texts in `first`) come first, then those that were seen to be
    answered (ids in `answered`); of these, and of the others, those written for one of the strategies (keys), of these
    the recorded ones (texts). Kinds alternate, so that a glance at the list sees them all.
    """
    seen: Counter[tuple[bool, bool, bool, bool, str]] = Counter()
    places = []
    for question in questions:
        unfit = strategies.isdisjoint(question.strategies)
        text, new = question.text, question.text not in recorded
        group = (text not in first, question.id not in answered, unfit, new, question.type)
        places.append((*group[:4], seen[group]))
        seen[group] += 1
    labels: dict[str, str] = {}
    for _, question in sorted(zip(places, questions, strict=True), key=lambda pair: pair[0]):
        marks = [
            question.type.replace("_", " "),
            "recorded" if question.text in recorded else "",
            ANSWERED if question.id in answered else "",
        ]
        label = " · ".join(filter(None, [question.text, *marks]))
        labels[question.text] = f"{FOR_ALL} {label}" if question.text in first else label
    return labels
