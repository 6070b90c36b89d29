"""What is to be compared: the question, and a strategy with its settings for each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from core.errors import LoupeError
from core.models.endpoint import BUILTIN
from core.runs.comparisons import COLUMNS_LEAST, COLUMNS_MOST
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import Strategy
from core.ui import session
from core.ui.compare.lineups import FIRST, LINEUPS
from core.ui.question import question_form
from core.ui.safe import literal
from core.ui.setting import Choice, preset, setting_form, strategy_choice
from core.views.columns import MARKS

COLUMNS = "compare-columns"
"""Key of the numbers of the columns, in order: a column keeps its number when another one is taken away."""
OWN = ""
"""The model that the sidebar shows."""


def compare_form(bench: Workbench) -> None:
    """The form; when it is sent, the comparison comes into the address."""
    if COLUMNS not in st.session_state:
        fill(LINEUPS[FIRST])
    numbers: list[int] = st.session_state[COLUMNS]
    above = st.container(border=True, key="compare-question")
    _lineups()
    with st.grid(len(numbers), min_column_width=230, gap="small"):
        columns = [_column(bench, mark, number) for mark, number in zip(MARKS, numbers, strict=False)]
    found = [strategies()[column.strategy] for column in columns]
    with above:
        ready, corpus = question_form(
            bench,
            retrieves=any(strategy.retrieves for strategy in found),
            explores=any(strategy.explores for strategy in found),
            retriever=False,
        )
    if error := st.session_state.get("compare-error"):
        st.error(literal(error), icon=":material/error:")
    if st.button("Compare", type="primary", key="compare-ask", icon=":material/compare:", disabled=not ready):
        name = corpus.name if corpus else st.session_state.get("corpus")
        question = str(st.session_state.get("question") or "")
        _start(
            bench,
            [
                replace(
                    column,
                    question=question,
                    corpus=name if strategy.retrieves else None,
                    graph=str(st.session_state.get("graph") or "") if strategy.explores else None,
                )
                for column, strategy in zip(columns, found, strict=True)
            ],
        )


def _lineups() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare-lineups"):
        st.selectbox(
            "Line-up",
            list(LINEUPS),
            index=None,
            key="lineup",
            placeholder="Choose a comparison worth seeing, or set the columns yourself",
            on_change=_take,
            width=520,
        )
        full = len(st.session_state[COLUMNS]) >= COLUMNS_MOST
        st.button("Add a column", key="compare-add", icon=":material/add:", on_click=_add, disabled=full)


def _take() -> None:
    if name := st.session_state.get("lineup"):
        fill(LINEUPS[name])


def fill(choices: Sequence[Choice], *, builtin: bool = False) -> None:
    """New columns, in place of those there are.

    Args:
        choices: Two to four.
        builtin: Whether the built-in model will answer.
    """
    first = 1 + max(st.session_state.get(COLUMNS, [0]))
    st.session_state[COLUMNS] = list(range(first, first + len(choices)))
    for number, choice in enumerate(choices, first):
        preset(_key(number, ""), choice, builtin=builtin)


def _add() -> None:
    """One more column, with the first strategy that none has yet."""
    numbers: list[int] = st.session_state[COLUMNS]
    taken = {st.session_state.get(_key(number, "strategy")) for number in numbers}
    free = [key for key in strategies() if key not in taken] or list(strategies())
    number = 1 + max(numbers)
    preset(_key(number, ""), Choice(free[0]))
    st.session_state[COLUMNS] = [*numbers, number]


def _remove(number: int) -> None:
    st.session_state[COLUMNS] = [other for other in st.session_state[COLUMNS] if other != number]


def _key(number: int, name: str) -> str:
    return f"column-{number}-{name}"


def _column(bench: Workbench, mark: str, number: int) -> RunRequest:
    """One column's card; its request, without the question, the documents and the graph, which all columns share."""
    with st.container(border=True, key=_key(number, "card"), gap="small"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            strategy = strategy_choice(f"Column {mark}", _key(number, ""))
            if len(st.session_state[COLUMNS]) > COLUMNS_LEAST:
                st.button(
                    "", key=_key(number, "remove"), icon=":material/close:", help=f"Take column {mark} away",
                    on_click=_remove, args=(number,),
                )  # fmt: skip
        st.caption(literal(strategy.idea))
        with st.popover("Settings", icon=":material/tune:", key=_key(number, "settings"), width="stretch"):
            return _settings(bench, strategy, number)


def _settings(bench: Workbench, strategy: Strategy[Any], number: int) -> RunRequest:
    model = _model(bench, number)
    builtin = model == BUILTIN or bench.engines.chat_status(session.endpoint()).builtin
    chosen = setting_form(strategy, _key(number, ""), builtin=builtin)
    return RunRequest(
        question="",
        strategy=strategy.key,
        params=chosen.params,
        retriever=chosen.retriever,
        methods=chosen.methods,
        prompts=chosen.prompts,
        endpoint=session.endpoint(),
        model=model,
        owner=session.owner(),
    )


def _model(bench: Workbench, number: int) -> str:
    """Another model for this column, where there is one; else the one in the sidebar."""
    endpoint = session.endpoint()
    if endpoint is None and not bench.settings.has_chat_endpoint:
        return OWN
    own = bench.engines.chat_status(endpoint).name
    names = [OWN, *(bench.settings.chat_models if endpoint is None else ()), BUILTIN]
    titles = {OWN: f"{own}, as in the sidebar", BUILTIN: "The tiny built-in model"}
    chosen = st.selectbox(
        "Model",
        names,
        format_func=lambda name: titles.get(name, name),
        key=_key(number, "model"),
        persist_state="session",
        # At an endpoint of one's own any name may be tried.
        accept_new_options=endpoint is not None,
        help="Two columns with one strategy and two models compare the models."
        + (" Write the name of another model of your endpoint to use it." if endpoint else ""),
    )
    return str(chosen or OWN)


def _start(bench: Workbench, requests: list[RunRequest]) -> None:
    """Begin; if it cannot begin, keep everything that was typed and say why."""
    try:
        made = bench.compare(requests)
    except LoupeError as error:
        st.session_state["compare-error"] = str(error)
    else:
        st.session_state["compare-error"] = ""
        session.show_comparison(made.id)
    st.rerun()
