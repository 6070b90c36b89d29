"""The form of the Playground: question, strategy, documents, parameters, Ask."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import streamlit as st

from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Corpus
from core.errors import InputError, LoupeError, StoreError
from core.models.chat_models import ChatModel
from core.models.recordings.covers import Cover
from core.models.recordings.items import KeptRun
from core.retrieval.defaults import FALLBACK
from core.runs.forecast import JUDGED_RUNS, PastTokens, past_tokens, run_forecast
from core.runs.record import Record
from core.runs.request import RunRequest
from core.runs.run_job import RunJob
from core.runs.workbench import Workbench
from core.skills import SKILLS
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
    prompts_button,
    prompts_in_use,
    skills_used,
)
from core.ui.forms.prefill import ASK_NOW, fill_question, fill_recorded
from core.ui.forms.question import documents_form, question_box
from core.ui.forms.recorded import answering, recorded_strategies
from core.ui.forms.retriever_choice import fill_retriever
from core.ui.playground.picker import STRATEGY, chosen_strategy, picker
from core.ui.playground.welcome import has_asked
from core.ui.shell import address, session
from core.ui.shell.safe import literal
from core.ui.shell.widgets import popover
from core.wording import counted

FORECAST_HELP = (
    "Rounds are calls that wait for one another. Both are counted from the strategy's graph and the methods chosen, as "
    "a rule and at most; retries are left out. Tokens are judged "
    f"from your newest finished runs of this strategy with this chat model, at most {JUDGED_RUNS}: the median "
    "tokens per call, sent and written, times the calls expected."
)
JUDGED_SECONDS = 60.0
"""How long what was judged from earlier runs is used before the store is asked again."""
BEGIN_SECONDS = 1.0
"""How long a page waits for the first event of its run, so that the first picture of it shows something."""
_PAST, _FILLED = "past-tokens", "form-filled"
"""Run whose question is in the form."""
STOP = "stop-before"
"""Key of the choice; the same for all strategies, so that who goes step by step does so with the next one, too."""
NEVER = ""
STOP_HELP = (
    "The run waits there: look, guess what will come, change what was made, and let it go on when you like, even after "
    "a restart."
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
    if started.stop_before:
        st.session_state[STOP] = started.stop_before


def form(bench: Workbench, job: RunJob | None) -> AnyStrategy:
    """Draw the form, and return the strategy; while `job` of this session is under way, nothing else can be asked."""
    with st.container(border=True, key="form", gap="xsmall"):
        beside = question_box(bench, [chosen_strategy()])
        asked = str(st.session_state.get("question") or "")
        corpus_named = str(st.session_state.get("corpus") or DEMO_CORPUS)
        strategy = picker(_kind(bench), recorded_strategies(bench, asked, corpus_named))
        ready, corpus = documents_form(bench, [strategy], beside)
        graph = str(st.session_state.get("graph") or "") if strategy.explores else None
        answers = answering(bench, strategy.key, corpus.name if corpus else None, graph)
        lacking = strategy.lacking(answers.chat.is_builtin(bench.settings))
        if lacking:
            st.info(literal(lacking), icon=":material/psychology:")
        asks = ready and not lacking and (job is None or job.done)
        before = st.container()
        with st.container(horizontal=True, vertical_alignment="center", key="actions"):
            first = st.container(width="content")
            request, covers, summary = _options(bench, strategy, corpus, graph, answers.chat, asks=asks)
            with first:
                _button(bench, request, job, ready=ready and not lacking)
            if summary:
                st.caption(f":material/speed: Forecast: {summary}", help=FORECAST_HELP, width="content")
        requests = {"": request}

        def take(run: KeptRun) -> None:
            fill_recorded(bench, run)
            st.session_state[ASK_NOW] = run.question

        def choose(key: str) -> None:
            st.session_state[STRATEGY] = key

        with before if undecided(requests, covers) else st.container():
            draw_covers(bench, requests, covers, "playground", take, choose)
        if answers.line:
            st.caption(answers.line)
        draw_refused()
    return strategy


def draw_refused() -> None:
    """Draw why the last question could not be asked."""
    if error := st.session_state.get("form-error"):
        st.error(literal(error), icon=":material/error:")


def _kind(bench: Workbench) -> ModelKind:
    """Return the kind of the model that answers about the documents that are chosen."""
    strategy, chosen = chosen_strategy(), st.session_state
    chat = answering(bench, strategy.key, chosen.get("corpus"), chosen.get("graph")).chat
    return bench.backends.kind(chat)


def _options(
    bench: Workbench,
    strategy: AnyStrategy,
    corpus: Corpus | None,
    graph: str | None,
    chat: ChatModel,
    *,
    asks: bool,
) -> tuple[RunRequest, dict[str, Cover], str]:
    """Draw parameters and methods, folded.

    Returns the request as it stands, what a recording holds of it, if it can be asked now (`asks`), and its cost in
    words.
    """
    kind = bench.backends.kind(chat)
    options = popover("Parameters and methods", key="options", icon=":material/tune:")
    draw = bool(options.open)
    left, right = options.columns(2, gap="large") if draw else (nullcontext(), nullcontext())
    with left:
        params = params_form(strategy, draw=draw)
        if draw and not params:
            st.caption("This strategy has no parameters.")
    with right:
        stop, stop_words = _stop_choice(strategy, params, draw=draw)
        skills = skills_used(strategy, params)
        methods = methods_form(skills, kind, draw=draw)
    prompts = prompts_in_use((SKILLS[key] for key in skills), methods)
    prompts_button(prompts, strategy.key)
    request = RunRequest(
        question=str(st.session_state.get("question") or ""),
        strategy=strategy.key,
        params=params,
        corpus=(corpus.name if corpus else st.session_state.get("corpus")) if strategy.retrieves else None,
        retriever=str(st.session_state.get("retriever") or FALLBACK),
        where=chosen_filter() if strategy.retrieves else (),
        graph=graph,
        methods=methods,
        prompts=edited_prompts(prompts),
        chat=chat,
        owner=session.owner(),
        stop_before=stop,
    )
    past = None if chat.play else _past_tokens(bench, strategy, chat)
    covers = covers_of(bench, {"": request}) if asks else {}
    line = forecast_line(bench, request, covers.get(""), past)
    return request, covers, " · ".join(filter(None, (line, stop_words)))


def _past_tokens(bench: Workbench, strategy: AnyStrategy, chat: ChatModel) -> PastTokens:
    """Return the tokens of earlier runs; the store is asked again when strategy or model are others, a run has ended,
    and once a minute."""
    builtin, model = chat.is_builtin(bench.settings), chat.name(bench.settings)
    run = address.read_param(address.RUN)
    job = bench.launcher.job(run) if run else None
    before = st.session_state.get(_PAST)
    ended = run if job is None or job.stored else before[0][-1] if before else None

    def read() -> PastTokens:
        try:
            return past_tokens(bench.store, session.owners(bench), strategy.key, model, builtin=builtin)
        except StoreError:
            return PastTokens(0)  # where it matters, the page says what is wrong with the store

    return session.recall(_PAST, (strategy.key, builtin, model, ended), read, JUDGED_SECONDS)


def forecast_line(bench: Workbench, request: RunRequest, cover: Cover | None, past: PastTokens | None) -> str:
    """Return the cost of a run in model calls and tokens, in words; empty for parameters that cannot be used, and where
    the built-in model may take over, which needs other calls than those recorded.

    Args:
        bench: Knows the models.
        request: Of the run.
        cover: The part of it that the recording that plays holds; None: none does.
        past: Tokens of earlier runs; None: a recording plays, whose tokens cost nothing.
    """
    play = request.chat.play
    if play and cover and cover.run is None and play.missing != "endpoint":
        return ""
    if cover and cover.run and cover.run.calls is not None:
        return (
            f"{counted(cover.run.calls, 'model call')}, as recorded" if cover.run.calls else "No model call"
        )
    try:
        forecast = run_forecast(bench.backends, request)
    except InputError:
        return ""
    if not forecast.calls_most:
        return "No model call"
    if not forecast.calls_expected:
        return f"No model call as a rule, at most {forecast.calls_most}"
    calls = _range(forecast.calls_expected, forecast.calls_most, "model call")
    rounds = _range(forecast.rounds, forecast.rounds_most, "round")
    if past is None:
        return f"{calls} in {rounds}"
    return f"{calls} in {rounds}; {_tokens(past, forecast.calls_expected)}"


def _range(usual: int, most: int, what: str) -> str:
    number = f"{usual} to {most}" if most > usual else f"{usual}"
    return f"{number} {what}{'' if number == '1' else 's'}"


def _tokens(past: PastTokens, calls: int) -> str:
    if not past.runs:
        return "tokens: no earlier run to judge from"
    sent, written = past.of(calls)
    return (
        f"about {sent:,} tokens sent and {written:,} written, judged from {counted(past.runs, 'earlier run')}"
    )


def _button(bench: Workbench, request: RunRequest, job: RunJob | None, *, ready: bool) -> None:
    """Draw the button, which asks while no run of this session is on the page and under way."""
    under_way = job is not None and job.owner == session.owner()
    # A card was clicked: it is asked as soon as it can be, unless something else is in the form by then.
    card = st.session_state.get(ASK_NOW)
    due = card is not None and card == request.question
    if card is not None and (ready or not due):
        del st.session_state[ASK_NOW]
    pressed = st.button(
        "Ask", type="primary", key="ask", icon=":material/send:", disabled=under_way or not ready
    )
    if not (pressed or (due and ready and not under_way)):
        return
    if started := ask(bench, request):
        started.wait_for_first_event(BEGIN_SECONDS)
        st.rerun()  # the form folds, and the run is the page


def ask(bench: Workbench, request: RunRequest) -> RunJob | None:
    """Start a run; if it cannot be started, keep everything that was typed and say why."""
    return _show(bench, lambda: bench.launcher.start(request))


def resume(bench: Workbench, run: str, chat: ChatModel, stop_before: str | None = None) -> RunJob | None:
    """Continue a run, to its next stop; if it cannot be continued, say why. See `RunLauncher.resume`."""
    return _show(bench, lambda: bench.launcher.resume(run, session.owner(), chat, stop_before=stop_before))


def _show(bench: Workbench, begin: Callable[[], RunJob]) -> RunJob | None:
    try:
        session.check_runs(bench)
        job = begin()
    except LoupeError as error:
        st.session_state["form-error"] = str(error)
        return None
    st.session_state["form-error"] = ""
    has_asked()
    st.session_state[_FILLED] = job.run  # from this form: what is in it stays
    address.show(address.RUN, job.run)
    return job


def _stop_choice(strategy: AnyStrategy, params: dict[str, Any], *, draw: bool) -> tuple[str, str]:
    """Draw the choice of a stop: never, before each step, or before one of the strategy's steps; `draw` as for
    `params_form`.

    Returns the stop, as of `RunStarted`, and the same in words, to follow on the cost of a run.
    """
    steps = strategy.diagram(params).steps
    names = {NEVER: "Nothing", EACH_STEP: "Each step", **steps}
    stop = str(st.session_state.get(STOP) or NEVER)
    stop = stop if stop in names else NEVER  # this strategy has no such step
    if draw:
        st.session_state[STOP] = stop
        stop = st.selectbox(
            "Stop before",
            list(names),
            format_func=names.__getitem__,
            key=STOP,
            persist_state="session",
            help=STOP_HELP,
        )
    words = "each step" if stop == EACH_STEP else f"“{names[stop]}”"
    return stop, f"stops before {words}" if stop != NEVER else ""
