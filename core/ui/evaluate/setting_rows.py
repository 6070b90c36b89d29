"""The settings that are evaluated: a row each, from the same forms as the columns of a comparison; or one strategy with
one parameter at several values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.corpora.entries import SMALLEST_CHUNK
from core.evaluation.plan import MAX_LABEL, Setting, Sweep, Value, format_value
from core.evaluation.sweeps import (
    CHUNK,
    OVERLAP,
    RETRIEVER,
    Parameter,
    parameters,
    recomputable_parameters,
    sweep_of,
)
from core.retrieval.defaults import Default
from core.skills.base import ModelKind
from core.strategies import strategies
from core.strategies.base import BASELINE, AnyStrategy
from core.strategies.lineups import EVALUATED, lineups
from core.ui.forms.setting import ChosenSetting, DynamicRows, choices, setting_form, strategy_choice, unusual
from core.ui.shell.safe import literal
from core.ui.shell.widgets import popover

_FOUND = lineups()
LINEUPS = {question: choices(_FOUND[name]) for question, name in EVALUATED.items() if name in _FOUND}
"""Name -> settings; the first is the baseline. All of them can be judged by their search alone."""
ROWS = DynamicRows(
    name="row",
    key="evaluation",
    lineups=LINEUPS,
    first=next(iter(LINEUPS)),
    placeholder="Choose a question worth asking, or set the rows yourself",
    least=2,
    most=8,
)
FIRST = ("k", RETRIEVER)
"""Parameters that a sweep begins with, if there are any: how many passages a search brings moves the evidence."""


def settings(kind: ModelKind, usual: Callable[[str], Default]) -> list[Setting]:
    """Draw all rows, and return their settings; `usual` returns the default retriever of a strategy, by its key."""
    return [_row(number, kind, usual) for number in ROWS.numbers]


def _row(number: int, kind: ModelKind, usual: Callable[[str], Default]) -> Setting:
    """One row: a strategy, how it is set, and what it is called in tables."""
    scope = ROWS.scope(number)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"{scope}line"):
        place = ROWS.numbers.index(number)
        with st.container(width=270):
            strategy = strategy_choice(f"Setting {place + 1}", scope)
        fold = popover("Settings", icon=":material/tune:", key=f"{scope}settings")
        with fold:
            if fold.open:
                st.caption(literal(strategy.idea))
            chosen = setting_form(strategy, scope, kind, usual(strategy.key), draw=bool(fold.open))
            own, named = _name(strategy, chosen), f"{scope}label"
            if fold.open:
                st.text_input(
                    "Name in tables", key=named, placeholder=own, max_chars=MAX_LABEL, persist_state="session"
                )
        ROWS.remover(number, f"setting {place + 1}")
        label = " ".join(str(st.session_state.get(named) or "").split())[:MAX_LABEL] or own
        if label != strategy.title:
            st.caption(literal(label), width="content")
    return Setting(label=label, strategy=strategy.key, **vars(chosen))


def _name(strategy: AnyStrategy, chosen: ChosenSetting) -> str:
    """The strategy, and what is not as usual."""
    parts = unusual(strategy, chosen.retriever, chosen.params)
    if strategy.key == BASELINE and chosen.retriever == "dense":
        parts.insert(0, "dense")
    return f"{strategy.title} ({', '.join(parts)})"[:MAX_LABEL] if parts else strategy.title


def parameter_form(kind: ModelKind, usual: Callable[[str], Default], most: int) -> tuple[Setting, Sweep]:
    """The widgets of a sweep: one strategy, and the values of one of its parameters.

    `usual` is as for `settings`; `most` are the tokens of the largest chunk of the embedding model.

    Raises:
        InputError: The values cannot be used; all widgets are drawn.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="vary-line"):
        searching = {key: strategy for key, strategy in strategies().items() if strategy.retrieves}
        strategy = searching[
            st.selectbox(
                "Strategy",
                list(searching),
                index=list(searching).index(
                    max(searching, key=lambda key: len(recomputable_parameters(key)))
                ),
                format_func=lambda key: searching[key].title,
                key="vary-strategy",
                persist_state="session",
                width=270,
            )
        ]
        by_key = parameters(strategy, most)
        parameter = by_key[
            st.selectbox(
                "Parameter",
                list(by_key),
                index=next((place for place, key in enumerate(by_key) if key in FIRST), 0),
                format_func=lambda key: by_key[key].title,
                key=f"vary-parameter-{strategy.key}",
                width=270,
            )
        ]
        fold = popover("Everything else", icon=":material/tune:", key="vary-settings")
        with fold:
            draw = bool(fold.open)
            if draw:
                st.caption("The same for every value.")
            chosen = setting_form(strategy, "vary-", kind, usual(strategy.key), parameter.key, draw=draw)
            sizes = {
                key: _tokens(label, least, largest, key, draw=draw)
                for key, label, least, largest in (
                    (CHUNK, "Chunk size (tokens)", SMALLEST_CHUNK, most),
                    (OVERLAP, "Overlap (tokens)", 0, most // 2),
                )
                if parameter.key != key
            }
    base = Setting(label=strategy.key, strategy=strategy.key, **vars(chosen), **sizes)
    st.caption(literal(parameter.help))
    values = values_choice(parameter, parameter.suggested, f"vary-values-{strategy.key}-{parameter.key}")
    return base, sweep_of(base, parameter.key, values, most)


def values_choice(parameter: Parameter, suggested: Sequence[Value], key: str) -> list[str]:
    """The values, as words: those that are suggested to begin with, and of numbers any others."""
    options = [format_value(value) for value in suggested]
    return st.multiselect(
        "Values",
        options,
        default=options,
        key=key,
        accept_new_options=parameter.numeric,
        placeholder="Choose at least two" + (", or write one of your own" if parameter.numeric else ""),
        help=f"The default is {format_value(parameter.default)}: the others are compared with it.",
    )


def _tokens(label: str, low: int, high: int, key: str, *, draw: bool) -> int | None:
    if draw:
        st.number_input(
            label, low, high, None, key=f"vary-{key}", placeholder="The usual one", persist_state="session"
        )
    return st.session_state.get(f"vary-{key}")
