"""The settings that are evaluated, a row each, from the same forms as the columns of a comparison."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.evaluation.plan import MAX_LABEL, Setting
from core.strategies import strategies
from core.strategies.base import Strategy
from core.ui.evaluate.choices import FIRST, LINEUPS
from core.ui.safe import literal
from core.ui.setting import Choice, Chosen, preset, setting_form, strategy_choice
from core.views.columns import param_titles, shown_value

ROWS = "evaluation-rows"
"""Key of the numbers of the rows, in order: a row keeps its number when another one is taken away."""
LEAST, MOST = 2, 8


def begin() -> None:
    """Fill in the first line-up where nothing is filled in yet."""
    if ROWS not in st.session_state:
        _fill(FIRST)


def lineups() -> None:
    """Ready line-ups, and one more row."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="evaluation-lineups"):
        st.selectbox(
            "Line-up",
            list(LINEUPS),
            index=None,
            key="evaluation-lineup",
            placeholder="Choose a question worth asking, or set the rows yourself",
            on_change=_take,
            width=520,
        )
        full = len(st.session_state[ROWS]) >= MOST
        st.button("Add a row", key="evaluation-add", icon=":material/add:", on_click=_add, disabled=full)


def _take() -> None:
    if name := st.session_state.get("evaluation-lineup"):
        _fill(name)


def _fill(name: str) -> None:
    """Rows of a line-up, in place of those there are."""
    first = 1 + max(st.session_state.get(ROWS, [0]))
    st.session_state[ROWS] = list(range(first, first + len(LINEUPS[name])))
    for number, choice in enumerate(LINEUPS[name], first):
        preset(_scope(number), choice)


def _add() -> None:
    """One more row, with the first strategy that none has yet."""
    numbers: list[int] = st.session_state[ROWS]
    taken = {st.session_state.get(f"{_scope(number)}strategy") for number in numbers}
    free = [key for key, one in strategies().items() if key not in taken and one.retrieves]
    number = 1 + max(numbers)
    preset(_scope(number), Choice(free[0] if free else "plain"))
    st.session_state[ROWS] = [*numbers, number]


def _remove(number: int) -> None:
    st.session_state[ROWS] = [other for other in st.session_state[ROWS] if other != number]


def _scope(number: int) -> str:
    return f"evaluated-{number}-"


def settings(*, builtin: bool) -> list[Setting]:
    """All rows, each with its widgets."""
    return [_row(number, builtin=builtin) for number in st.session_state[ROWS]]


def _row(number: int, *, builtin: bool) -> Setting:
    """One row: a strategy, how it is set, and what it is called in tables."""
    scope = _scope(number)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"{scope}row"):
        place = st.session_state[ROWS].index(number)
        with st.container(width=270):
            strategy = strategy_choice(f"Setting {place + 1}", scope)
        label = st.container(width=300)
        with st.popover("Settings", icon=":material/tune:", key=f"{scope}settings"):
            st.caption(literal(strategy.idea))
            chosen = setting_form(strategy, scope, builtin=builtin)
        if len(st.session_state[ROWS]) > LEAST:
            st.button(
                "", key=f"{scope}remove", icon=":material/close:", help=f"Take setting {place + 1} away",
                on_click=_remove, args=(number,),
            )  # fmt: skip
        own = _name(strategy, chosen)
        typed = label.text_input(
            "Name in tables",
            key=f"{scope}label",
            placeholder=own,
            max_chars=MAX_LABEL,
            persist_state="session",
        )
    return Setting(
        label=" ".join((typed or "").split())[:MAX_LABEL] or own,
        strategy=strategy.key,
        params=chosen.params,
        retriever=chosen.retriever,
        methods=chosen.methods,
        prompts=chosen.prompts,
    )


def _name(strategy: Strategy[Any], chosen: Chosen) -> str:
    """The strategy, and what is not as usual."""
    titles = param_titles(strategy.key)
    parts = (
        [chosen.retriever]
        if strategy.retrieves and (chosen.retriever != "dense" or strategy.key == "plain")
        else []
    )
    parts += [
        f"{titles.get(name, name)} {shown_value(value)}"
        for name, value in chosen.params.items()
        if value != strategy.params.model_fields[name].default
    ]
    return f"{strategy.title} ({', '.join(parts)})"[:MAX_LABEL] if parts else strategy.title
