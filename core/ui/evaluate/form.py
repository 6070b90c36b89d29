"""A new evaluation: which questions, through which settings, judged how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.errors import LoupeError
from core.evaluation.dataset_catalogue import Description, data_sets_of
from core.evaluation.datasets import sample
from core.evaluation.default_retriever import default_of
from core.evaluation.evaluations import ONLY_THE_TEACHER, may_evaluate
from core.evaluation.pairs import asks_model, check_settings
from core.evaluation.plan import Setting
from core.evaluation.recorded_set import RECORDED
from core.evaluation.runner import New
from core.models.choice import ChatChoice
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate import setting_rows
from core.ui.evaluate.covered_line import draw_covered
from core.ui.evaluate.forecast_line import forecast_line
from core.ui.evaluate.jobs import EVALUATION, begin, chat_for
from core.ui.evaluate.noted import draw_noted, noted
from core.ui.evaluate.telling import draw_telling
from core.ui.shell import session
from core.ui.shell.safe import literal

QUESTIONS = 20
"""A sample that shows something within minutes, also with the built-in model."""
SEARCH, ANSWERS = "Search", "Answers too"
WEAK = (
    "These settings ask the tiny built-in model. What a weak model writes can lead a search astray: a strategy may "
    "come out worse here than with a strong model. The results say where that shows."
)


@dataclass(frozen=True)
class _Draft:
    """The choices of the form."""

    data: Description
    count: int
    """Questions."""
    seed: int
    settings: Sequence[Setting]
    baseline: str
    only: bool
    """Whether only the search is judged."""


def new_evaluation(bench: Workbench) -> None:
    """The form; when it is sent, its job is begun."""
    setting_rows.ROWS.begin()
    with st.container(border=True, key="evaluation-questions"):
        data, count, seed, only = _questions(bench)
    setting_rows.ROWS.chooser()
    chat = chat_for(bench, data.key)
    kind = bench.backends.kind(chat)
    with st.container(border=True, key="evaluation-settings", gap="small"):
        settings = setting_rows.settings(kind, lambda strategy: default_of(bench, data.key, strategy, chat))
        baseline = _baseline(settings)
        alone = next((one for one in strategies().values() if one.alone), None)
        if not only and alone and all(one.strategy != alone.key for one in settings):
            beside = st.toggle(
                f"{alone.title} beside them",
                value=True,
                key="evaluation-closed",
                persist_state="session",
                help="The model alone, without any document. A public data set may be in what the model was trained "
                "on: what closed book gets right was known by heart, and no search can be praised for it.",
            )
            settings += [Setting(label=alone.title, strategy=alone.key)] if beside else []
    _send(bench, _Draft(data, count, seed, settings, baseline, only), chat, builtin=kind.builtin)


def data_set_choice(bench: Workbench, key: str, last: str = "") -> Description:
    """A choice among the data sets with questions that a visitor may use: those that come with the app stand first.

    Args:
        bench: Where they are.
        key: Of the widget.
        last: Key of one that stands at the end.

    Raises:
        StoreError: The database cannot be read.
    """
    there = data_sets_of(bench).described(session.owners(bench))
    ordered = sorted(there, key=lambda one: (one.key == last, one.origin != "shipped"))
    found = {one.key: one for one in ordered if one.questions}
    chosen = st.selectbox(
        "Data set",
        list(found),
        format_func=lambda key: f"{found[key].name} ({found[key].questions:,})",
        key=key,
        persist_state="session",
        help="Questions with labels: which documents hold the evidence, and the right answers.",
    )
    return found[chosen]


def _questions(bench: Workbench) -> tuple[Description, int, int, bool]:
    with st.grid(4, min_column_width=200, vertical_alignment="top"):
        plays = session.chat(bench).play is not None
        data = data_set_choice(bench, "evaluation-data", last="" if plays else RECORDED)
        count = st.number_input(
            "Questions",
            min_value=1,
            max_value=data.questions,
            value=min(QUESTIONS, data.questions),
            key=f"evaluation-count-{data.key}",
            persist_state="session",
            help="A random sample of so many. More questions tell smaller differences from chance.",
        )
        seed = st.number_input(
            "Seed",
            min_value=0,
            max_value=9999,
            value=0,
            key="evaluation-seed",
            persist_state="session",
            help="The same seed draws the same questions; a larger sample of one seed holds the smaller one.",
        )
        usual = ANSWERS if data.key == RECORDED and plays else SEARCH
        judged = st.segmented_control(
            "Judge",
            (SEARCH, ANSWERS),
            default=None if "evaluation-judge" in st.session_state else usual,
            required=True,
            key="evaluation-judge",
            persist_state="session",
            help="Search stops before the answer: faster, and without a model where none writes queries. Answers too "
            "judges both.",
        )
    return data, int(count), int(seed), judged == SEARCH


def _baseline(settings: Sequence[Setting]) -> str:
    labels = list(dict.fromkeys(one.label for one in settings))
    chosen = st.selectbox(
        "Baseline: what the others are compared with",
        range(len(labels)),
        format_func=lambda place: labels[place] if place < len(labels) else "",
        key=f"evaluation-baseline-{len(labels)}",
        width=420,
    )
    return labels[chosen]


def _send(bench: Workbench, draft: _Draft, chat: ChatChoice, *, builtin: bool) -> None:
    """The forecast, the reason why it cannot start, and the button Start."""
    settings, only = draft.settings, draft.only
    problem = "" if may_evaluate(bench.settings, session.user(bench)) else ONLY_THE_TEACHER
    try:
        check_settings(settings, only, builtin=builtin)
    except LoupeError as error:
        problem = problem or str(error)
    settled = bool(problem) or draw_covered(
        bench,
        lambda: sample(data_sets_of(bench).open(draft.data.key), draft.count, draft.seed),
        (draft.data.key, draft.count, draft.seed),
        settings,
        chat,
        only=only,
    )
    with st.container(horizontal=True, vertical_alignment="center", key="evaluation-send"):
        start = st.button(
            "Start",
            type="primary",
            key="evaluation-start",
            icon=":material/play_arrow:",
            disabled=bool(problem) or not settled,
        )
        if not problem:
            st.caption(f":material/speed: {forecast_line(bench, settings, draft.count, chat, only=only)}")
    if not problem:
        draw_telling(bench, draft.data.key, draft.count, draft.seed, settings, draft.baseline)
    if problem:
        st.warning(literal(problem), icon=":material/error:")
    elif builtin and any(asks_model(one, only) for one in settings):
        st.caption(f":material/info: {WEAK}")
    draw_noted()
    if start:
        with noted():
            dataset = sample(data_sets_of(bench).open(draft.data.key), draft.count, draft.seed)
            what = New(dataset, tuple(settings), draft.seed, only, draft.baseline)
            st.session_state[EVALUATION] = begin(bench, what, chat)
        st.rerun()
