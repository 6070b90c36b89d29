"""The form of the Playground: question, strategy, documents, parameters, Ask."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer

from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Corpus
from core.models.chat_models import ChatModel
from core.models.spending import day_budget
from core.retrieval.defaults import FALLBACK
from core.runs.record import Record
from core.runs.request import RunRequest
from core.runs.run_job import RunJob
from core.runs.workbench import Workbench
from core.skills.base import ModelKind
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.trace.events import EACH_STEP
from core.ui.forms.covered import covers_of, draw_covers, undecided
from core.ui.forms.filter_choice import chosen_filter
from core.ui.forms.params import (
    edited_prompts,
    methods_form,
    params_form,
    prompts_fold,
    prompts_in_use,
    skills_used,
)
from core.ui.forms.prefill import ASK_NOW, STOP, ask_recorded, fill_question
from core.ui.forms.question import COLUMN_PIXELS, documents_form, question_box
from core.ui.forms.recorded import Answering, answering, recorded_strategies
from core.ui.forms.retriever_choice import default_here, fill_retriever, follow
from core.ui.playground.forecast import FORECAST_HELP, draw_savings, forecast_of
from core.ui.playground.picker import STRATEGY, chosen_strategy, picker
from core.ui.playground.welcome import IS_NEW
from core.ui.shell import address, session
from core.ui.shell.safe import literal
from core.ui.shell.widgets import draw_noted, errors_noted, fill

BEGIN_SECONDS = 1.0
"""How long a page waits for the first event of its run, so that the first picture of it shows something."""
REFUSED = "form-error"
"""Key, in the session, of the reason why the last question could not be asked."""
_FILLED = "form-filled"
"""Run whose question is in the form."""
NEVER = ""
STOP_HELP = (
    "The run waits there, so that you can look, guess what comes next and change what was made. It goes on when you "
    "like, even after a restart."
)


def restore(bench: Workbench, shown: Record | None) -> None:
    """Fill the form with the question and settings of the run on the page, once: what is chosen afterwards stays."""
    if shown is None or shown.started is None:
        return
    started = shown.started
    if st.session_state.get(_FILLED) == started.run and "question" in st.session_state:
        return
    st.session_state[_FILLED] = started.run
    fill_question(bench, started, started.corpus)
    if started.strategy in strategies():
        st.session_state[STRATEGY] = started.strategy
    fill_retriever(bench, started.strategy, started.corpus or "", started.retriever or "")
    st.session_state[STOP] = started.stop_before


def new_question() -> None:
    """Leave the run for the start page, with an empty question and all settings as they are; a callback."""
    st.session_state["question"] = st.session_state[REFUSED] = ""
    st.session_state.pop(_FILLED, None)  # its question is filled in again where somebody goes back to it
    address.show(address.RUN, None)


def form(bench: Workbench, job: RunJob | None) -> AnyStrategy:
    """Draw the form, and return the strategy; while `job` of this session is under way, nothing else can be asked."""
    with st.container(border=True, key="form", gap="xsmall"):
        below = question_box(bench, [chosen_strategy()])
        first, examples = (
            below.container(width="content", horizontal=True, vertical_alignment="center"),
            below.container(horizontal=True),
        )
        question = str(st.session_state.get("question") or "")
        corpus_named = str(st.session_state.get("corpus") or DEMO_CORPUS)
        kind = bench.backends.kind(_answering(bench, _documents(bench)).chat)
        strategy = picker(kind, recorded_strategies(bench, question, corpus_named))
        documents, cost, before = st.container(), st.container(), st.container()
        options = st.expander(
            "Parameters and methods", icon=":material/tune:", key="options", on_change="rerun"
        )
        settings = options.container()
        with documents:
            ready, corpus = documents_form(bench, [strategy], examples, options)
        answers = _answering(bench, corpus)
        lacking = strategy.lacking(answers.chat.is_builtin(bench.settings)) or _spent(bench, answers.chat)
        if lacking:
            before.info(literal(lacking), icon=":material/psychology:")
        stop_words = _options(options, settings, strategy, bench.backends.kind(answers.chat))
        request = form_request(bench, corpus, answers.chat)
        ready = ready and not lacking
        with first:
            _button(bench, request, job, ready=ready)
            if stop_words:
                st.markdown(f":orange-badge[:material/pause_circle: {literal(stop_words)}]", width="content")
        covers = covers_of(bench, {"": request}) if ready and (job is None or job.done) else {}
        forecast = forecast_of(bench, request, covers.get(""))
        filtered = f"filter: {literal(', '.join(request.where))}" if request.where else ""
        if summary := " · ".join(filter(None, (forecast.line, filtered))):
            cost.caption(f":material/speed: Forecast: {summary}", help=FORECAST_HELP, width="content")
        with cost:
            draw_savings(bench, request, forecast)
        requests, choose = {"": request}, partial(st.session_state.__setitem__, STRATEGY)
        with before if undecided(requests, covers) else st.container():
            draw_covers(bench, requests, covers, "playground", partial(ask_recorded, bench), choose)
        if answers.line:
            st.caption(answers.line)
        draw_noted(REFUSED)
    return strategy


def _spent(bench: Workbench, chat: ChatModel) -> str:
    """Return a sentence where a run would stop at its first call; empty: it would not, or a recording may have it."""
    budget = day_budget(bench.settings, chat, session.user(bench)) if chat.play is None else None
    return budget.spent() if budget else ""


def _documents(bench: Workbench) -> Corpus | None:
    """Return the corpus that is chosen, if it can be searched and the strategy searches one."""
    name = str(st.session_state.get("corpus") or DEMO_CORPUS)
    retrieves = chosen_strategy().retrieves
    return session.searchable(bench, bench.corpora.offered(), name) if retrieves else None


def _answering(bench: Workbench, corpus: Corpus | None) -> Answering:
    """Return the model that answers about a corpus and the graph that is chosen."""
    strategy = chosen_strategy()
    graph = str(st.session_state.get("graph") or "") if strategy.explores else None
    return answering(bench, strategy.key, corpus.name if corpus else None, graph)


def form_request(bench: Workbench, corpus: Corpus | None, chat: ChatModel) -> RunRequest:
    """Return the request that the form makes of a corpus (None: it cannot be searched, or the strategy searches none)
    and a model, from its values in the session: whether it was drawn with them or not."""
    state, strategy = st.session_state, chosen_strategy()
    params = params_form(strategy, draw=False)
    methods = methods_form(skills_used(strategy, params), bench.backends.kind(chat), draw=False)
    return RunRequest(
        question=str(state.get("question") or ""),
        strategy=strategy.key,
        params=params,
        corpus=str(state.get("corpus") or DEMO_CORPUS) if strategy.retrieves else None,
        retriever=str(state.get("retriever") or FALLBACK),
        where=chosen_filter(bench, corpus),
        graph=str(state.get("graph") or "") if strategy.explores else None,
        methods=methods,
        prompts=edited_prompts(prompts_in_use(methods)),
        chat=chat,
        owner=session.owner(),
        teacher=session.user(bench).teacher,
        stop_before=_stop(strategy, params),
    )


def _options(
    options: ExpanderContainer, settings: DeltaGenerator, strategy: AnyStrategy, kind: ModelKind
) -> str:
    """Draw parameters and methods into the place for settings, and prompts at the end of the options, if these are
    unfolded; returns the stop that is chosen, in words, empty for none."""
    draw = bool(options.open)
    grid = settings.grid(2, min_column_width=COLUMN_PIXELS, gap="large") if draw else None
    left, right = (grid.container(), grid.container()) if grid else (nullcontext(), nullcontext())
    with left:
        params = params_form(strategy, draw=draw)
        if draw and not params:
            st.caption("This strategy has no parameters.")
    with right:
        stop_words = _stop_choice(strategy, params, draw=draw)
        methods = methods_form(skills_used(strategy, params), kind, draw=draw)
    if draw:
        with options:
            prompts_fold(prompts_in_use(methods))
    return stop_words


def _button(bench: Workbench, request: RunRequest, job: RunJob | None, *, ready: bool) -> None:
    """Draw the button, which asks while no run of this session is on the page and under way."""
    under_way = job is not None and job.owner == session.owner()
    # A card was clicked: it is asked as soon as it can be, unless something else is in the form by then.
    card = st.session_state.get(ASK_NOW)
    due = card is not None and card == request.question
    if card is not None and (ready or not due):
        del st.session_state[ASK_NOW]
    st.button(
        "Ask",
        type="primary",
        key="ask",
        icon=":material/send:",
        disabled=under_way or not ready,
        on_click=_pressed,
        args=(bench,),
    )
    if due and ready and not under_way and ask(bench, request):
        st.rerun()  # the form folds, and the run is the page


def _pressed(bench: Workbench) -> None:
    """Ask before the page is drawn, which then is that of the run; what was chosen since the form was drawn counts."""
    run = address.read_param(address.RUN)
    if run and (job := bench.launcher.job(run)) and not job.done and job.owner == session.owner():
        return  # clicked twice, before the page was that of the run
    with errors_noted(REFUSED):
        if corpus := _documents(bench):
            follow("retriever", default_here(bench, chosen_strategy().key, corpus, session.chat(bench)))
        ask(bench, form_request(bench, corpus, _answering(bench, corpus).chat))


def ask(bench: Workbench, request: RunRequest) -> RunJob | None:
    """Start a run; if it cannot be started, keep everything that was typed and say why."""
    job = _show(bench, lambda: bench.launcher.start(request))
    if job is not None:
        job.wait_for_first_event(BEGIN_SECONDS)
    return job


def resume(bench: Workbench, run: str, chat: ChatModel, stop_before: str | None = None) -> RunJob | None:
    """Continue a run, to its next stop; if it cannot be continued, say why. See `RunLauncher.resume`."""
    me = session.user(bench)
    begin = partial(bench.launcher.resume, stop_before=stop_before, teacher=me.teacher)
    return _show(bench, lambda: begin(run, me.owner, chat))


def _show(bench: Workbench, begin: Callable[[], RunJob]) -> RunJob | None:
    with errors_noted(REFUSED):
        session.check_runs(bench)
        job = begin()
        st.session_state[IS_NEW] = False  # it is not welcomed again
        st.session_state[_FILLED] = job.run  # from this form: what is in it stays
        address.show(address.RUN, job.run)
        return job
    return None


def _stop(strategy: AnyStrategy, params: dict[str, Any]) -> str:
    """Return the stop that is chosen; never, where the strategy has no such step with these parameters."""
    stop = str(st.session_state.get(STOP) or NEVER)
    # Its graph is asked only for a step: to import what graphs are made of holds up the first page.
    return stop if stop in (NEVER, EACH_STEP) or stop in strategy.diagram(params).steps else NEVER


def _stop_choice(strategy: AnyStrategy, params: dict[str, Any], *, draw: bool) -> str:
    """Draw the choice of a stop: never, before each step, or before one of the strategy's steps; `draw` as for
    `params_form`. Returns it in words, to stand beside Ask; empty for none."""
    stop = _stop(strategy, params)
    if draw:
        names = {NEVER: "Nothing", EACH_STEP: "Each step", **strategy.diagram(params).steps}
        fill(STOP, stop)
        stop = st.selectbox(
            "Stop before",
            list(names),
            format_func=names.__getitem__,
            key=STOP,
            persist_state="session",
            help=STOP_HELP,
        )
    if stop == NEVER:
        return ""
    return "Stops before " + (
        "each step" if stop == EACH_STEP else f"“{strategy.diagram(params).steps[stop]}”"
    )
