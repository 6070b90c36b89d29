"""What is to be compared: the question, and a strategy with its settings for each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.charts.columns import MARKS
from core.corpora.demo import DEMO_CORPUS
from core.errors import LoupeError, StoreError
from core.models.chat_models import ChatModel, EndpointModel
from core.models.recordings.items import KeptRun
from core.runs.comparisons import COLUMNS_LEAST, COLUMNS_MOST, even_out
from core.runs.gold import Gold
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import BASELINE, AnyStrategy
from core.ui.compare.line_ups import FIRST, LINEUPS, offered, question_of, recorded, usual_columns
from core.ui.forms.covered import covers_of, draw_covers, undecided
from core.ui.forms.filter_choice import chosen_filter
from core.ui.forms.prefill import choice_of, fill_question
from core.ui.forms.question import documents_form, question_box
from core.ui.forms.recorded import answering, known_questions, playing_runs
from core.ui.forms.retriever_choice import default_here
from core.ui.forms.setting import DynamicRows, SettingDraft, setting_form, strategy_choice, unusual
from core.ui.shell import address, models, session
from core.ui.shell.another_model import titles
from core.ui.shell.safe import literal
from core.wording import listed

COLUMNS = DynamicRows(
    name="column",
    key="compare",
    lineups=LINEUPS,
    first=FIRST,
    placeholder="Choose one, or set the columns yourself",
    least=COLUMNS_LEAST,
    most=COLUMNS_MOST,
)
OWN = ""
"""The model that the sidebar shows; the documents of all columns."""
_GOLD = "compare-gold"
_EVEN, _EVEN_CHOSEN = "compare-even", "compare-even-chosen"
_OFFERED = "compare-lineup-offered"


def take_like(bench: Workbench) -> None:
    """Fill in what the run in the address was asked, its own strategy beside the baseline; to be called first."""
    run = st.query_params.pop(address.LIKE, None)
    if run is None:
        return
    address.show(address.COMPARISON, None)  # the form is what was asked for, not what was compared before
    try:
        job = bench.launcher.job(run)
        started = record(job.events[:] if job else bench.store.events(run)).started
    except StoreError as error:
        st.warning(literal(str(error)), title="The run to compare is not here", icon=":material/search_off:")
        return
    if started is None:
        return
    fill_question(bench, started, started.corpus)
    if started.corpus and started.corpus not in bench.corpora.offered():
        st.warning(
            f"The run searched “{literal(started.corpus, 80)}”. Choose other documents below.",
            title="The documents of this run are not here",
            icon=":material/description:",
        )
    if choice := choice_of(bench, started):
        usual = usual_columns(playing_runs(bench), started.question)
        COLUMNS.fill(columns_with(choice, usual), session.kind(bench))
        if played := next((one for one in models.known().values() if one.name == started.recording), None):
            for number in COLUMNS.numbers:
                st.session_state[_model_key(number)] = models.Option("recording", played.id)


def take_indexes(bench: Workbench) -> None:
    """Fill in the two indexes in the address, plain retrieval from each; to be called first."""
    wanted = st.query_params.pop(address.INDEXES, None)
    if wanted is None:
        return
    address.show(address.COMPARISON, None)
    names = {corpus.id: corpus.name for corpus in bench.corpora.catalogue.corpora()}
    found = [names[one] for one in wanted.split(".")[:COLUMNS_MOST] if one in names]
    if len(found) < COLUMNS_LEAST:
        st.warning("The corpora to compare are not here any more.", icon=":material/search_off:")
        return
    st.session_state["corpus"] = found[0]
    COLUMNS.fill([SettingDraft(BASELINE), *(SettingDraft(BASELINE, corpus=one) for one in found[1:])])


def columns_with(
    choice: SettingDraft, usual: Sequence[SettingDraft] = LINEUPS[FIRST]
) -> tuple[SettingDraft, ...]:
    """A run's strategy among others: beside the baseline, and the baseline itself beside the others of what is usual.

    All search as the run did, where they can: only the strategies differ.
    """
    retriever = choice.retriever if strategies()[choice.strategy].choosable else ""
    if choice.strategy != BASELINE:
        return _searching(SettingDraft(BASELINE), retriever), choice
    return (choice, *(_searching(one, retriever) for one in usual if one.strategy != BASELINE))


def _searching(choice: SettingDraft, retriever: str) -> SettingDraft:
    """With this retriever, unless it has one already or its strategy has its own."""
    if choice.retriever or not strategies()[choice.strategy].choosable:
        return choice
    return replace(choice, retriever=retriever)


def compare_form(bench: Workbench) -> None:
    """The form; when it is sent, the comparison comes into the address."""
    runs = playing_runs(bench)
    written = _question()
    asked = [run for run in runs if run.question == written]
    COLUMNS.begin(usual_columns(runs, written))
    numbers = COLUMNS.numbers
    above = st.container(border=True, key="compare-question")
    whole = offered(runs, written)
    COLUMNS.chooser(
        whole,
        lambda name: f"{name} · not recorded" if runs and not whole.get(name) else name,
        {run.strategy for run in asked},
    )
    _lineup_question(asked, runs)
    asked = [run for run in runs if run.question == _question()]
    with st.grid(len(numbers), min_column_width=230, gap="small"):
        columns = [_column(bench, mark, number, asked) for mark, number in zip(MARKS, numbers, strict=False)]
    found = [strategies()[column.strategy] for column in columns]
    with above:
        ready, corpus = documents_form(bench, found, question_box(bench, found), retriever=False)
    pairs = zip(columns, found, strict=True)
    lacking = next(
        filter(None, (one.lacking(column.chat.is_builtin(bench.settings)) for column, one in pairs)), ""
    )
    if lacking:
        ready = False
        st.info(literal(lacking), icon=":material/psychology:")
    if error := st.session_state.get("compare-error"):
        st.error(literal(error), icon=":material/error:")
    name = corpus.name if corpus else st.session_state.get("corpus")
    requests = [
        replace(
            column,
            question=str(st.session_state.get("question") or ""),
            corpus=(column.corpus or name) if strategy.retrieves else None,
            where=chosen_filter() if strategy.retrieves else (),
            graph=str(st.session_state.get("graph") or "") if strategy.explores else None,
        )
        for column, strategy in zip(columns, found, strict=True)
    ]
    requests = _evened(bench, requests, found)
    named = dict(zip(MARKS, requests, strict=False))
    covers = covers_of(bench, named) if ready else {}
    draw_covers(bench, named, covers, "compare")
    if st.button(
        "Compare",
        type="primary",
        key="compare-ask",
        icon=":material/compare:",
        disabled=not ready or undecided(named, covers),
    ):
        _start(bench, requests)


def _question() -> str:
    return str(st.session_state.get("question") or "").strip()


def _lineup_question(asked: Sequence[KeptRun], runs: Sequence[KeptRun]) -> None:
    """Offer the question for which the chosen line-up differs; at once where none is written, another line-up's, or
    one that was recorded (`asked`) with other columns."""
    chosen = st.session_state.get("compare-lineup")
    question = question_of(chosen or FIRST, runs)
    written = _question()
    if not question or st.session_state.get("corpus", DEMO_CORPUS) != DEMO_CORPUS:
        return
    if written and not chosen and asked:  # the columns are those that were recorded for it
        return
    if st.session_state.get(_OFFERED) != (chosen or FIRST):  # chosen just now
        st.session_state[_OFFERED] = chosen or FIRST
        otherwise = bool(asked) and not all(recorded(one, asked) for one in LINEUPS[chosen or FIRST])
        if not written or written in {question_of(name, runs) for name in LINEUPS} or otherwise:
            st.session_state["question"] = written = question
    if written == question:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"A question for which this line-up differs: “{literal(question)}”", width="content")
        st.button(
            "Use it",
            key="compare-lineup-question",
            icon=":material/north:",
            on_click=_write,
            args=(question,),
        )


def _write(question: str) -> None:
    st.session_state["question"] = question


def _evened(
    bench: Workbench, requests: list[RunRequest], strategies: Sequence[AnyStrategy]
) -> list[RunRequest]:
    """The columns with the same number of passages, where that is wanted.

    It is, unless somebody says otherwise, or a recording holds the replies to this question: they answer prompts with
    the usual numbers of passages.
    """
    made = even_out(requests)
    if not made.number:
        return requests
    played = bool(made.changed) and _question() in known_questions(bench, strategies)
    if not st.session_state.get(_EVEN_CHOSEN):
        st.session_state[_EVEN] = not played
    on = st.toggle(
        f"Same number of passages: {made.number}",
        key=_EVEN,
        on_change=_even_chosen,
        help="More passages hold more evidence, whatever found them. A number set in one column holds for all.",
    )
    marks = [f"{MARKS[place]} ({strategies[place].title})" for place in made.without]
    brings = (
        "takes in as many as its searches bring"
        if len(marks) == 1
        else "take in as many as their searches bring"
    )
    alone = f"{listed(marks)} {brings}." if marks else ""
    if played and not on:
        alone = f"Off, since the replies of the recording belong to the usual numbers of passages. {alone}"
    if alone:
        st.caption(literal(alone.strip()))
    return list(made.requests) if on else requests


def _even_chosen() -> None:
    st.session_state[_EVEN_CHOSEN] = True


def _column(bench: Workbench, mark: str, number: int, asked: Sequence[KeptRun]) -> RunRequest:
    """One column's card; its request, without the question, the documents and the graph, which all columns share.

    Args:
        asked: How its question was asked while the recording that plays was made; empty: it was not.
    """
    with st.container(border=True, key=f"{COLUMNS.scope(number)}card", gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            strategy = strategy_choice(f"Column {mark}", COLUMNS.scope(number))
            COLUMNS.remover(number, f"column {mark}")
        about = st.container()
        with st.popover(
            "Settings", icon=":material/tune:", key=f"{COLUMNS.scope(number)}settings", width="stretch"
        ):
            request, usual = _settings(bench, strategy, number)
        chosen = st.session_state.get(_model_key(number), OWN) != OWN
        play = request.chat.play if chosen else None
        other = [f"recording “{play.recording.name}”" if play else "", request.corpus or ""]
        how = ", ".join(filter(None, [*other, *unusual(strategy, request.retriever, request.params, usual)]))
        about.caption(literal(strategy.idea) + (f" **With: {literal(how)}.**" if how else ""))
        if asked and not chosen and not any(run.strategy == strategy.key for run in asked):
            about.caption(":material/warning: Not recorded for this question.")
        return request


def _settings(bench: Workbench, strategy: AnyStrategy, number: int) -> tuple[RunRequest, str]:
    """The request, and the default retriever."""
    corpus = _corpus(bench, number) if strategy.retrieves else OWN
    chat = _chat(bench, number, strategy, corpus)
    name = str(corpus or st.session_state.get("corpus") or "")
    usual = default_here(bench, strategy.key, bench.corpora.offered().get(name), chat)
    chosen = setting_form(strategy, COLUMNS.scope(number), bench.backends.kind(chat), usual)
    request = RunRequest(
        question="",
        strategy=strategy.key,
        corpus=corpus,
        params=chosen.params,
        retriever=chosen.retriever,
        methods=chosen.methods,
        prompts=chosen.prompts,
        chat=chat,
        owner=session.owner(),
    )
    return request, usual.retriever


def _corpus(bench: Workbench, number: int) -> str:
    """Other documents for this column than all have, such as another index of the same."""
    key = f"{COLUMNS.scope(number)}corpus"
    names = [OWN, *(name for name, one in bench.corpora.offered().items() if one is not None)]
    if st.session_state.get(key) not in names:
        st.session_state.pop(key, None)
    chosen = st.selectbox(
        "Documents",
        names,
        format_func=lambda name: name or "as for all columns",
        key=key,
        persist_state="session",
        help="Two columns with one strategy and two indexes of the same documents compare the indexes.",
    )
    return str(chosen or OWN)


def _chat(bench: Workbench, number: int, strategy: AnyStrategy, corpus: str) -> ChatModel:
    """Another model or recording for this column, where there is one; else what the sidebar shows."""
    name, graph = corpus or st.session_state.get("corpus"), st.session_state.get("graph")
    usual, endpoint = answering(bench, strategy.key, name, graph).chat, models.endpoint()
    there, own = models.options(bench), models.chosen(bench)
    if len(there) < 2 and endpoint is None:
        return usual
    named: dict[models.Option | str, str] = dict(titles(bench, there).items())
    named[OWN] = f"{named[own]}, as in the sidebar"
    key = _model_key(number)
    if st.session_state.get(key) == own:
        st.session_state[key] = OWN
    # At an endpoint of one's own any name may be tried.
    kept = st.session_state.get(key, OWN)
    if kept not in named and (own != models.TYPED or isinstance(kept, models.Option)):
        st.session_state.pop(key)
    choices: list[models.Option | str] = [OWN, *(option for option in there if option != own)]
    wanted = (
        st.selectbox(
            "Model",
            choices,
            format_func=lambda one: named.get(one, str(one)),
            key=key,
            persist_state="session",
            accept_new_options=own == models.TYPED,
            help="Two columns with one strategy and two models compare the models; a recording plays what a model "
            "replied."
            + (" Write the name of another model of your endpoint to use it." if own == models.TYPED else ""),
        )
        or OWN
    )
    if wanted in (OWN, own):
        return usual
    if isinstance(wanted, models.Option):
        return session.chat(bench, wanted)
    return EndpointModel(replace(endpoint, model=wanted)) if endpoint else usual


def _model_key(number: int) -> str:
    return f"{COLUMNS.scope(number)}model"


def know_gold(question: str, corpus: str, gold: Sequence[Gold]) -> None:
    """Remember, in this session alone, where a data set says that the evidence for a question is."""
    st.session_state[_GOLD] = (question, corpus, tuple(gold))


def _start(bench: Workbench, requests: list[RunRequest]) -> None:
    """Begin; if it cannot begin, keep everything that was typed and say why."""
    question, corpus, gold = st.session_state.get(_GOLD, ("", "", ()))
    asked = {(one.question.strip(), one.corpus) for one in requests if one.corpus}
    try:
        session.check_runs(bench, len(requests))
        made = bench.comparing.start(requests, gold if asked == {(question.strip(), corpus)} else ())
    except LoupeError as error:
        st.session_state["compare-error"] = str(error)
    else:
        st.session_state["compare-error"] = ""
        address.show(address.COMPARISON, made.id)
    st.rerun()
