"""The settings that are evaluated, a row each, from the same forms as the columns of a comparison."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.evaluation.plan import MAX_LABEL, Setting
from core.retrieval.defaults import Default
from core.skills.model_kind import ModelKind
from core.strategies.base import BASELINE, AnyStrategy
from core.strategies.lineups import EVALUATED, lineups
from core.ui.forms.dynamic_rows import DynamicRows
from core.ui.forms.setting import ChosenSetting, choices, setting_form, strategy_choice, unusual
from core.ui.shell.safe import literal

_FOUND = lineups()
LINEUPS = {asked: choices(_FOUND[name]) for asked, name in EVALUATED.items() if name in _FOUND}
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


def settings(kind: ModelKind, usual: Callable[[str], Default]) -> list[Setting]:
    """All rows, each with its widgets; `usual` tells the default retriever of a strategy, by its key."""
    return [_row(number, kind, usual) for number in ROWS.numbers]


def _row(number: int, kind: ModelKind, usual: Callable[[str], Default]) -> Setting:
    """One row: a strategy, how it is set, and what it is called in tables."""
    scope = ROWS.scope(number)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"{scope}line"):
        place = ROWS.numbers.index(number)
        with st.container(width=270):
            strategy = strategy_choice(f"Setting {place + 1}", scope)
        label = st.container(width=250)
        with st.popover("Settings", icon=":material/tune:", key=f"{scope}settings"):
            st.caption(literal(strategy.idea))
            chosen = setting_form(strategy, scope, kind, usual(strategy.key))
        ROWS.remover(number, f"setting {place + 1}")
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


def _name(strategy: AnyStrategy, chosen: ChosenSetting) -> str:
    """The strategy, and what is not as usual."""
    parts = unusual(strategy, chosen.retriever, chosen.params)
    if strategy.key == BASELINE and chosen.retriever == "dense":
        parts.insert(0, "dense")
    return f"{strategy.title} ({', '.join(parts)})"[:MAX_LABEL] if parts else strategy.title
