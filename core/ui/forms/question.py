"""Question, documents, graph, retriever and examples: what is asked of what; the same on every page that asks."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.cards.texts import named
from core.corpora.entries import Corpus
from core.runs.workbench import Workbench
from core.strategies.base import AnyStrategy
from core.ui.forms.example_choice import example_choice
from core.ui.forms.filter_choice import filter_choice
from core.ui.forms.graph_choice import graph_beside, graph_examples, graph_ready
from core.ui.forms.recorded import answered_questions, first_questions, known_questions
from core.ui.forms.retriever_choice import default_here, retriever_choice
from core.ui.shell import session
from core.ui.shell.progress import watch_demo
from core.ui.shell.safe import literal
from core.wording import counted

COLUMN_PIXELS = 340
"""Least width of a column: where there is no room for all, they lie below one another."""


def question_form(
    bench: Workbench, strategies: Sequence[AnyStrategy], *, retriever: bool = True
) -> tuple[bool, Corpus | None]:
    """What is asked and what is searched; see `question_box` and `documents_form`."""
    beside = question_box(bench, strategies)
    return documents_form(bench, strategies, beside, retriever=retriever)


def question_box(bench: Workbench, strategies: Sequence[AnyStrategy]) -> DeltaGenerator:
    """What is asked; it is in the session, under `question`.

    Args:
        bench: How long it may be.
        strategies: That will be asked.

    Returns:
        The place beside it, for examples.
    """
    retrieves = any(strategy.retrieves for strategy in strategies)
    explores = any(strategy.explores for strategy in strategies)
    of_what = (
        "the graph and the documents can answer together"
        if retrieves and explores
        else "the graph can answer"
        if explores
        else "the documents can answer"
    )
    asked, beside = st.columns([3, 1.25]) if retrieves or explores else (st.container(), st.empty())
    asked.text_area(
        "Question",
        key="question",
        height=70,
        placeholder=f"Ask something that {of_what}",
        on_change="ignore",
        persist_state="session",
        help=f"At most {bench.settings.max_question_chars:,} characters.",
    )
    return beside


def documents_form(
    bench: Workbench, strategies: Sequence[AnyStrategy], beside: DeltaGenerator, *, retriever: bool = True
) -> tuple[bool, Corpus | None]:
    """What is searched, and example questions to it; the values are in the session, under `corpus` and `graph`.

    Args:
        bench: Where corpora and graphs are.
        strategies: That will be asked; they say whether documents are searched and a graph is explored.
        beside: Where the examples stand, see `question_box`.
        retriever: Whether to choose it here.

    Returns:
        Whether it can be asked, and the corpus, if it can be searched.
    """
    ready, corpus, name, problem = True, None, "", ""
    retrieves = any(strategy.retrieves for strategy in strategies)
    explores = any(strategy.explores for strategy in strategies)
    retriever = retriever and any(strategy.choosable for strategy in strategies)
    columns = retrieves + retriever + explores  # none: the model is asked alone
    with st.grid(max(1, columns), min_column_width=COLUMN_PIXELS, vertical_alignment="top"):
        if retrieves:
            with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
                corpus, name = _corpus(bench, alone=not explores)
                problem = filter_choice(bench, corpus)
            ready = corpus is not None and not problem
            if retriever:
                usual = default_here(bench, strategies[0].key, corpus, session.chat(bench))
                retriever_choice("retriever", usual)
        graph = graph_beside(bench, name) if explores else ""
    with beside:
        if retrieves:
            questions = corpus.questions if corpus else ()
            missing = "None with these documents" if corpus else "Soon"
            known, right = known_questions(bench, strategies), answered_questions(bench, strategies)
            first = first_questions(bench)
            example_choice("example", questions, strategies, missing, known, right, first)
        if explores:
            graph_examples(bench, strategies, graph, name)
    if retrieves and corpus is None:
        watch_demo(bench, name)
    elif problem:
        st.warning(literal(problem), icon=":material/filter_alt_off:")
    if explores:
        ready = graph_ready(bench, graph) and ready
    return ready, corpus


def _corpus(bench: Workbench, *, alone: bool) -> tuple[Corpus | None, str]:
    """The corpus that is chosen, if it can be asked, and its name.

    Args:
        bench: Where it is.
        alone: Whether no graph is chosen beside it: the one that cites it is, on other forms, with it.
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
        help="What is searched. Add your own on the page Documents.",
        on_change=follow if alone else None,
        persist_state="session",
    )
    return session.searchable(bench, corpora, name), name


def _corpus_label(info: Corpus | None, name: str) -> str:
    many = f", {counted(info.chunks, 'chunk')}" if info is not None and info.chunks else ""
    return f"{named(name)}{many}"
