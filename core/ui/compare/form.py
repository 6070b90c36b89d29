"""The form of Compare: the question, and a strategy with its settings for each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from core.cards.texts import named
from core.charts.columns import MARKS
from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Corpus
from core.errors import StoreError
from core.models.chat_models import ChatModel, EndpointModel
from core.models.recordings.items import KeptRun
from core.runs.comparisons import COLUMNS_LEAST, COLUMNS_MOST, even_out
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import BASELINE, AnyStrategy
from core.trace.gold import Gold
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
from core.ui.shell.widgets import draw_noted, errors_noted, fill, popover
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
_ERROR, _GOLD = "compare-error", "compare-gold"
_EVEN, _EVEN_CHOSEN = "compare-even", "compare-even-chosen"
_OFFERED = "compare-lineup-offered"


def take_like(bench: Workbench) -> None:
    """Fill in the question of the run in the address, its own strategy beside the baseline; called first."""
    run = st.query_params.pop(address.LIKE, None)
    if run is None:
        return
    address.show(address.COMPARISON, None)  # the form is what was asked for, not what was compared before
    try:
        job = bench.launcher.job(run)
        started = record(job.events[:] if job else bench.store.events(run)).started
    except StoreError as error:
        st.warning(literal(str(error)), title="The run to compare is missing", icon=":material/search_off:")
        return
    if started is None:
        return
    fill_question(bench, started, started.corpus)
    if started.corpus and started.corpus not in bench.corpora.offered():
        st.warning(
            f"The run searched “{literal(named(started.corpus), 80)}”. Choose other documents below.",
            title="The documents of this run are missing",
            icon=":material/description:",
        )
    if choice := choice_of(bench, started):
        usual = usual_columns(playing_runs(bench), started.question)
        COLUMNS.fill(columns_with(choice, usual), session.kind(bench))
        played = [known.id for known in models.known().values() if known.name == started.recording]
        for number in COLUMNS.numbers if played else ():
            st.session_state[_model_key(number)] = models.Option("recording", played[0])


def take_indexes(bench: Workbench) -> None:
    """Fill in the two indexes in the address, plain retrieval from each; called first."""
    ids = st.query_params.pop(address.INDEXES, None)
    if ids is None:
        return
    address.show(address.COMPARISON, None)
    names = {corpus.id: corpus.name for corpus in bench.corpora.catalogue.corpora()}
    corpora = [names[key] for key in ids.split(".")[:COLUMNS_MOST] if key in names]
    if len(corpora) < COLUMNS_LEAST:
        st.warning("The corpora to compare are no longer in this app.", icon=":material/search_off:")
        return
    st.session_state["corpus"] = corpora[0]
    COLUMNS.fill([SettingDraft(BASELINE), *(SettingDraft(BASELINE, corpus=name) for name in corpora[1:])])


def columns_with(
    choice: SettingDraft, usual: Sequence[SettingDraft] = LINEUPS[FIRST]
) -> tuple[SettingDraft, ...]:
    """Return a run's strategy among others: beside the baseline, and the baseline itself beside the usual others.

    All search as the run did, where they can: only the strategies differ.
    """
    known = strategies()
    retriever = choice.retriever if known[choice.strategy].choosable else ""
    others = [SettingDraft(BASELINE)] if choice.strategy != BASELINE else usual
    columns = [
        draft
        if draft.retriever or not known[draft.strategy].choosable
        else replace(draft, retriever=retriever)
        for draft in others
        if draft.strategy != choice.strategy
    ]
    return (*columns, choice) if choice.strategy != BASELINE else (choice, *columns)


def compare_form(bench: Workbench) -> None:
    """Draw the form; when it is sent, the comparison comes into the address."""
    runs = [run for run in playing_runs(bench) if run.question]  # not those that built a graph
    question = _question()
    matching = [run for run in runs if run.question == question]
    COLUMNS.begin(usual_columns(runs, question))
    numbers = COLUMNS.numbers
    above = st.container(border=True, key="compare-question")
    whole = offered(runs, question)
    COLUMNS.chooser(
        whole,
        lambda name: f"{name} · not recorded" if runs and not whole.get(name) else name,
        {run.strategy for run in matching},
    )
    _lineup_question(matching, runs)
    matching = [run for run in runs if run.question == _question()]
    with st.grid(len(numbers), min_column_width=230, gap="small"):
        columns = [_column(bench, *card, matching) for card in zip(MARKS, numbers, strict=False)]
    chosen = [strategies()[column.strategy] for column in columns]
    with above:
        ready, corpus = documents_form(bench, chosen, question_box(bench, chosen))
    pairs = list(zip(columns, chosen, strict=True))
    reasons = (strategy.lacking(column.chat.is_builtin(bench.settings)) for column, strategy in pairs)
    lacking = next(filter(None, reasons), "")
    if lacking:
        ready = False
        st.info(literal(lacking), icon=":material/psychology:")
    name = corpus.name if corpus else st.session_state.get("corpus")
    requests = [
        replace(
            column,
            question=str(st.session_state.get("question") or ""),
            corpus=(column.corpus or name) if strategy.retrieves else None,
            where=chosen_filter(bench, corpus) if strategy.retrieves else (),
            graph=str(st.session_state.get("graph") or "") if strategy.explores else None,
        )
        for column, strategy in pairs
    ]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        requests = _evened(bench, requests, chosen)
    by_mark = dict(zip(MARKS, requests, strict=False))
    covers = covers_of(bench, by_mark) if ready else {}
    open_ = undecided(by_mark, covers)
    above = st.container()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        start = st.button(
            "Compare",
            type="primary",
            key="compare-ask",
            icon=":material/compare:",
            disabled=not ready or open_,
        )
        with above if open_ else st.container():
            draw_covers(bench, by_mark, covers, "compare")
    if start:
        _start(bench, requests)
    draw_noted(_ERROR)


def _question() -> str:
    return str(st.session_state.get("question") or "").strip()


def _lineup_question(matching: Sequence[KeptRun], runs: Sequence[KeptRun]) -> None:
    """Offer the question for which the chosen line-up differs; at once where none is written, another line-up's, or
    one that was recorded (`matching`) with other columns."""
    chosen = st.session_state.get("compare-lineup")
    name = chosen or FIRST
    question, current = question_of(name, runs), _question()
    if not question or st.session_state.get("corpus", DEMO_CORPUS) != DEMO_CORPUS:
        return
    if current and not chosen and matching:  # the columns are those that were recorded for it
        return
    if st.session_state.get(_OFFERED) != name:  # chosen just now
        st.session_state[_OFFERED] = name
        otherwise = bool(matching) and not all(recorded(draft, matching) for draft in LINEUPS[name])
        if not current or current in {question_of(lineup, runs) for lineup in LINEUPS} or otherwise:
            st.session_state["question"] = current = question
    if current == question:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"A question for which these strategies differ: “{literal(question)}”", width="content")
        st.button(
            "Use it",
            key="compare-lineup-question",
            icon=":material/north:",
            on_click=st.session_state.__setitem__,
            args=("question", question),
        )


def _evened(
    bench: Workbench, requests: list[RunRequest], strategies: Sequence[AnyStrategy]
) -> list[RunRequest]:
    """Return the columns with the same number of passages, where that is wanted.

    At first it is, unless a recording holds the replies to this question: they answer prompts with the usual numbers.
    """
    even = even_out(requests)
    if not even.number:
        return requests
    played = bool(even.changed) and _question() in known_questions(bench, strategies)
    if not st.session_state.get(_EVEN_CHOSEN):
        fill(_EVEN, not played)
    on = st.toggle(
        f"Same number of passages: {even.number}",
        key=_EVEN,
        on_change=st.session_state.__setitem__,
        args=(_EVEN_CHOSEN, True),
        width="content",
        help="More passages alone already find more evidence. A number set in one column holds for all.",
    )
    marks = [f"{MARKS[place]} ({strategies[place].title})" for place in even.without]
    several = "take as many as their searches find"
    brings = "takes as many as its searches find" if len(marks) == 1 else several
    alone = f"{listed(marks)} {brings}." if marks else ""
    if played and not on:
        usual = "Off: the recorded replies were made with each strategy's usual number of passages."
        alone = f"{usual} {alone}"
    if alone:
        st.caption(literal(alone.strip()), width="content")
    return list(even.requests) if on else requests


def _column(bench: Workbench, mark: str, number: int, matching: Sequence[KeptRun]) -> RunRequest:
    """Draw one column's card; returns its request, without the question, the documents and the graph of all columns.
    `matching` are the runs of the question in the recording that plays."""
    with st.container(border=True, key=f"{COLUMNS.scope(number)}card", gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            strategy = strategy_choice(f"Column {mark}", COLUMNS.scope(number))
            COLUMNS.remover(number, f"column {mark}")
        about = st.container()
        fold = popover(
            "Settings", icon=":material/tune:", key=f"{COLUMNS.scope(number)}settings", width="stretch"
        )
        with fold:
            if fold.open:
                st.caption(literal(strategy.idea))
            request, usual = _settings(bench, strategy, number, draw=bool(fold.open))
        chosen = st.session_state.get(_model_key(number), OWN) != OWN
        play = request.chat.play if chosen else None
        parts = [f"recording “{play.recording.name}”" if play else "", named(request.corpus or "")]
        how = ", ".join(filter(None, [*parts, *unusual(strategy, request.retriever, request.params, usual)]))
        if how:
            about.caption(f"**With: {literal(how)}.**")
        if matching and not chosen and not any(run.strategy == strategy.key for run in matching):
            about.caption(":material/warning: Not recorded for this question.")
        return request


def _settings(bench: Workbench, strategy: AnyStrategy, number: int, *, draw: bool) -> tuple[RunRequest, str]:
    """Draw the settings of a column; returns its request, and the default retriever. `draw` as for `params_form`."""
    corpora = bench.corpora.offered()
    corpus = _corpus(corpora, number, draw=draw) if strategy.retrieves else OWN
    chat = _chat(bench, number, strategy, corpus, draw=draw)
    name = str(corpus or st.session_state.get("corpus") or "")
    usual = default_here(bench, strategy.key, corpora.get(name), chat)
    chosen = setting_form(strategy, COLUMNS.scope(number), bench.backends.kind(chat), usual, draw=draw)
    request = RunRequest(
        question="",
        strategy=strategy.key,
        corpus=corpus,
        chat=chat,
        owner=session.owner(),
        teacher=session.user(bench).teacher,
        **vars(chosen),
    )
    return request, usual.retriever


def _corpus(corpora: Mapping[str, Corpus | None], number: int, *, draw: bool) -> str:
    """Draw the choice of other documents for this column than all have, such as another index of the same."""
    key = f"{COLUMNS.scope(number)}corpus"
    names = [OWN, *(name for name, corpus in corpora.items() if corpus is not None)]
    if st.session_state.get(key) not in names:
        st.session_state.pop(key, None)
    if draw:
        st.selectbox(
            "Documents",
            names,
            format_func=lambda name: named(name) or "as for all columns",
            key=key,
            persist_state="session",
            help="To compare two indexes of the same documents, use one strategy in two columns with an index each.",
        )
    return str(st.session_state.get(key) or OWN)


def _chat(bench: Workbench, number: int, strategy: AnyStrategy, corpus: str, *, draw: bool) -> ChatModel:
    """Draw the choice of another model or recording for this column, where there is one; returns the model."""
    name, graph = corpus or st.session_state.get("corpus"), st.session_state.get("graph")
    usual, endpoint = answering(bench, strategy.key, name, graph).chat, models.endpoint()
    key = _model_key(number)
    if not draw and st.session_state.get(key, OWN) == OWN:
        return usual
    options, own = [*models.options(bench)], models.chosen(bench)
    if len(options) < 2 and endpoint is None:
        return usual
    labels: dict[models.Option | str, str] = dict(titles(bench, options).items())
    labels[OWN] = f"{labels[own]}, as in the sidebar"
    if st.session_state.get(key) == own:
        st.session_state[key] = OWN
    # At an endpoint of one's own any name may be tried.
    value = st.session_state.get(key, OWN)
    if value not in labels and (own != models.TYPED or isinstance(value, models.Option)):
        st.session_state.pop(key)
    if draw:
        st.selectbox(
            "Model",
            [OWN, *(option for option in options if option != own)],
            format_func=lambda option: labels.get(option, str(option)),
            key=key,
            persist_state="session",
            accept_new_options=own == models.TYPED,
            help="To compare two models, choose one strategy in two columns and a model in each. A recording plays the "
            "replies of a model."
            + (" Write the name of another model of your endpoint to use it." if own == models.TYPED else ""),
        )
    chosen = st.session_state.get(key) or OWN
    if chosen in (OWN, own):
        return usual
    if isinstance(chosen, models.Option):
        return session.chat(bench, chosen)
    return EndpointModel(replace(endpoint, model=chosen)) if endpoint else usual


def _model_key(number: int) -> str:
    return f"{COLUMNS.scope(number)}model"


def know_gold(question: str, corpus: str, gold: Sequence[Gold]) -> None:
    """Remember, in this session alone, the evidence for a question according to a data set."""
    st.session_state[_GOLD] = (question, corpus, tuple(gold))


def _start(bench: Workbench, requests: list[RunRequest]) -> None:
    """Begin; if it cannot begin, keep everything that was typed and say why."""
    question, corpus, gold = st.session_state.get(_GOLD, ("", "", ()))
    searches = {(request.question.strip(), request.corpus) for request in requests if request.corpus}
    with errors_noted(_ERROR):
        session.check_runs(bench, len(requests))
        comparison = bench.comparing.start(requests, gold if searches == {(question.strip(), corpus)} else ())
        address.show(address.COMPARISON, comparison.id)
    st.rerun()
