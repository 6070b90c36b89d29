"""Building a graph from a corpus: what from, how, what it will take; the work itself is in `build_watch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from core.cards.texts import named
from core.corpora.entries import Corpus
from core.knowledge.store.demo_graphs import demo_names
from core.knowledge.store.graph_catalogue import MAX_NAME, Graph
from core.models.recordings.items import BUILDING
from core.runs.allowances import ONLY_THE_TEACHER_SPENDS
from core.runs.sources.builds import BuildStatus
from core.runs.workbench import Workbench
from core.skills.base import OWN, TAUGHT
from core.skills.extract import EXTRACT
from core.ui.forms.covered import draw_choice
from core.ui.forms.params import edited_prompts, prompts_fold, prompts_in_use
from core.ui.forms.recorded import corpus_mark, playing_runs
from core.ui.knowledge.build_watch import (
    draw_example,
    draw_failures,
    forecast_line,
    free_name,
    go_on_line,
    outcome,
    standing_line,
    watch,
)
from core.ui.shell import session
from core.ui.shell.progress import watch_demo
from core.ui.shell.safe import literal
from core.ui.shell.widgets import draw_noted, errors_noted, reading_aid

CORPUS, GRAPH = "build-corpus", "build-graph"
"""Keys of the widgets."""
WANTED = "build-wanted"
"""Key of the corpus and the graph to choose when the section is next drawn."""
ERROR = "build-error"
NEW = "A new graph"
NOT_YOURS = (
    "Only whoever began this graph, and the teacher, can build on it. Choose a new graph with another name."
)
FEW = 5
"""Chunks offered at first with the built-in model, which takes seconds for each."""
DEMONSTRATION = (
    "**A demonstration.** Sentence by sentence, a tiny model {does}. It shows how a graph is built; do not rely on "
    "what is in it."
)
_DOES = {
    TAUGHT: "writes what it takes for facts, and more than half of it is wrong",
    "sentences": "only copies words, and often the wrong ones",
}
"""Method -> what it does; see research/skills/README.md."""
FORECAST_HELP = (
    "Model calls as a rule, retries left out. The time is judged from the median of the chunks that this model did "
    "before with this method, in any graph."
)


def build_section(bench: Workbench) -> None:
    """Draw the form on the left, and on the right the graph that is chosen: being built, built, or begun before."""
    offered = bench.corpora.offered()
    corpora = [corpus for corpus in offered.values() if corpus is not None]
    reading_aid(
        "A model reads a corpus chunk by chunk and writes down what each chunk states, as triples. Each triple must "
        "quote its chunk."
    )
    graphs = [
        graph
        for graph in bench.graphs.graphs.catalogue.graphs()
        if graph.corpus and not graph.native and graph.name not in demo_names()
    ]
    _choose_wanted(bench)
    chosen_job = bench.builds.job(str(st.session_state.get(GRAPH, "")))
    area = st.grid(2 if chosen_job is None or chosen_job.done else 1, min_column_width=400, gap="large")
    with area, st.container(border=True, key="graph-build"):
        st.markdown("### Build a graph")
        target = _target(bench, offered, graphs)
        if target is None:
            return
        corpus, name = target
        graph = next((graph for graph in graphs if (graph.name, graph.corpus) == (name, corpus.name)), None)
        job = bench.builds.job(name)
        running = job is not None and not job.done
        if not running:
            standing = bench.builds.status(graph) if graph else BuildStatus(corpus.chunks)
            _rest_of_form(bench, corpus, name, graph, standing)
    if job is not None and running:
        watch(bench, job)  # across: a class looks at it
    else:
        with area, st.container(key="graph-built"):
            ended = job is not None and (graph is not None or job.stopping or job.error() is not None)
            if job is not None and ended:
                outcome(job)
            else:
                draw_example()
    _others(bench, corpora, graphs, name)


def _choose_wanted(bench: Workbench) -> None:
    """Choose, before the widgets are drawn, the graph asked for elsewhere, or on a first visit the one being built."""
    wanted = st.session_state.pop(WANTED, None)
    running = bench.builds.running()
    if wanted is None and CORPUS not in st.session_state and running:
        wanted = (running[0].corpus, running[0].graph)
    if wanted is not None:
        st.session_state[CORPUS], st.session_state[GRAPH] = wanted


def _target(
    bench: Workbench, corpora: Mapping[str, Corpus | None], graphs: Sequence[Graph]
) -> tuple[Corpus, str] | None:
    """Return the corpus, and the name of the graph; None: the corpus is being made ready."""
    if st.session_state.get(CORPUS) not in corpora:
        st.session_state.pop(CORPUS, None)
    with st.grid(2, min_column_width=180, gap="small"):
        source = str(
            st.selectbox(
                "From the corpus", list(corpora), key=CORPUS, format_func=named, persist_state="session"
            )
        )
        corpus = session.searchable(bench, corpora, source)
        if corpus is None:
            watch_demo(bench, source)
            return None
        begun = [graph.name for graph in graphs if graph.corpus == corpus.name]
        starting = [job.graph for job in bench.builds.running() if job.corpus == corpus.name]
        options = list(dict.fromkeys([NEW, *begun, *starting]))
        if st.session_state.get(GRAPH) not in options:
            st.session_state.pop(GRAPH, None)
        chosen = str(st.selectbox("Into the graph", options, key=GRAPH, persist_state="session"))
    if chosen != NEW:
        return corpus, chosen
    taken = {*bench.graphs.names(), *(graph.name for graph in bench.graphs.graphs.catalogue.graphs())}
    field = st.text_input(
        "Name of the graph", free_name(corpus.name, taken), max_chars=MAX_NAME, key=f"build-name-{corpus.id}"
    )
    return corpus, field.strip()


def _rest_of_form(
    bench: Workbench, corpus: Corpus, name: str, graph: Graph | None, standing: BuildStatus
) -> None:
    if graph is not None:
        st.markdown(standing_line(standing))
        st.caption(go_on_line(standing, whole=graph.ready))
        if graph.ready and not standing.open and not standing.failed:
            return
    if graph is not None and not session.user(bench).may_change(graph.owner):
        st.caption(f":material/lock: {NOT_YOURS}")
        draw_failures(standing.failed)
        return
    how = _how(bench, standing, begun=graph is not None)
    _buttons(bench, corpus, name, graph, standing, how)
    draw_failures(standing.failed)


def _how(bench: Workbench, standing: BuildStatus, *, begun: bool) -> dict[str, Any]:
    """Draw the number of chunks, method, prompt and forecast; returns the choices as `Builds.start` wants them."""
    chat = session.chat_for_work(bench)
    kind = session.kind_for_work(bench)
    methods = {method.key: method for method in EXTRACT.offered(kind)}
    method = str(
        st.radio(
            "Method",
            list(methods),
            index=list(methods).index(EXTRACT.default_method(kind)),
            format_func=lambda key: methods[key].title,
            key=f"build-method-{kind.key}",
            persist_state="session",
        )
    )
    if kind.builtin or method not in OWN:
        does = _DOES.get(method, "is asked for what only a large one can do")
        st.warning(DEMONSTRATION.format(does=does), icon=":material/science:")
    else:
        st.caption(methods[method].explains)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        limit = st.number_input(
            "Chunks at most, this time",
            1,
            None,
            FEW if kind.builtin else None,
            key=f"build-limit-{kind.key}",
            width=260,
            placeholder="all that are left" if begun else "all",
            persist_state="session",
            help="Begin with a few and look at what comes out. The rest can follow at any time.",
        )
    used = prompts_in_use({EXTRACT.key: method})
    prompts_fold(used)
    chunks = standing.open if limit is None else min(int(limit), standing.open)
    if chunks:
        model = chat.name(bench.settings)
        forecast = bench.builds.forecast(chunks, method, model, builtin=kind.builtin)
        st.caption(f":material/schedule: {literal(forecast_line(forecast))}", help=FORECAST_HELP)
    return {
        "limit": None if limit is None else int(limit),
        "methods": {EXTRACT.key: method},
        "prompts": edited_prompts(used),
    }


def _buttons(
    bench: Workbench,
    corpus: Corpus,
    name: str,
    graph: Graph | None,
    standing: BuildStatus,
    how: dict[str, Any],
) -> None:
    """Build or continue, and retry what failed."""
    may = bench.allowances.may_spend(session.user(bench), session.chat_for_work(bench))
    asks = _undecided(bench, corpus)
    if asks:
        with st.container(border=True, key="not-covered-build", gap="small"):
            st.markdown(":material/new_label: **No recording covers the building of this graph.** Who reads?")
            draw_choice(bench, "build", [])
    left = standing.open > 0 or (graph is not None and not graph.ready)
    with st.container(horizontal=True, gap="small"):
        label = "Build" if graph is None else "Continue"
        if st.button(
            label, key="build-go", type="primary", icon=":material/hub:", disabled=not (left and may) or asks
        ):
            _start(bench, corpus, name, how)
        if standing.failed:
            count = len(standing.failed)
            retry = f"Retry the {count:,} failed" if count > 1 else "Retry the failed one"
            if st.button(retry, key="build-retry", icon=":material/refresh:", disabled=not may or asks):
                _start(bench, corpus, name, {**how, "limit": None, "only_failed": True})
    if not may:
        st.caption(f":material/lock: {ONLY_THE_TEACHER_SPENDS}")
    draw_noted(ERROR)


def _undecided(bench: Workbench, corpus: Corpus) -> bool:
    """Return True if nobody has chosen yet which model reads what no recording holds."""
    if not session.undecided(bench):
        return False
    built = {run.mark for run in playing_runs(bench) if run.strategy == BUILDING}
    return session.chat_for_work(bench).play is None or corpus_mark(bench, corpus.name) not in built


def _start(bench: Workbench, corpus: Corpus, name: str, how: dict[str, Any]) -> None:
    """Begin, or say why not; what was chosen stays."""
    with errors_noted(ERROR):
        job = bench.builds.start(
            corpus.name, name, session.user(bench), chat=session.chat_for_work(bench), **how
        )
        st.session_state[WANTED] = (job.corpus, job.graph)
    st.rerun()


def _others(bench: Workbench, corpora: Sequence[Corpus], graphs: Sequence[Graph], shown: str) -> None:
    """Draw graphs being built in this process, or begun and not finished, other than the one that is shown."""
    corpus_names = {corpus.name for corpus in corpora}
    running = {job.graph: job.corpus for job in bench.builds.running()}
    user = session.user(bench)
    cut_off = {
        graph.name: graph.corpus
        for graph in graphs
        if not graph.ready and graph.name not in running and user.may_change(graph.owner)
    }
    for name, corpus in (running | cut_off).items():
        if name == shown or corpus not in corpus_names:
            continue
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            state = "is being built" if name in running else "was not finished"
            st.markdown(f":material/info: “{literal(name)}” {state}.", width="content")
            label = "Watch it" if name in running else "Go on with it"
            if st.button(label, key=f"build-other-{name}", type="tertiary"):
                st.session_state[WANTED] = (corpus, name)
                st.rerun()
