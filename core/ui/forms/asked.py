"""What a run was asked, filled into the forms: whoever goes on from a run does not type it again."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st

from core.errors import InputError
from core.retrieval.retriever import RETRIEVERS
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.skills.model_kind import ModelKind
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.trace.events import RunStarted
from core.ui.forms.filter_choice import fill_filter
from core.ui.forms.setting import SettingDraft
from core.ui.shell import session


def fill_question(bench: Workbench, started: RunStarted) -> None:
    """Question, documents and graph; to be called before their widgets are drawn.

    Args:
        bench: Where corpora and graphs are; what is not here any more stays as it was chosen.
        started: Of the run.
    """
    st.session_state["question"] = started.question
    if started.corpus in bench.corpora.offered():
        st.session_state["corpus"] = started.corpus
        fill_filter(started.where)
    if started.graph and started.graph in bench.graphs.names():
        st.session_state["graph"] = started.graph


def choice_of(bench: Workbench, started: RunStarted) -> SettingDraft | None:
    """The run's strategy with its settings, as far as they can be chosen today; None: this version does not know it.

    Args:
        bench: Which model answers today; methods of a run are those of another kind of model's only for such a one.
        started: Of the run.
    """
    strategy = strategies().get(started.strategy)
    if strategy is None:
        return None
    alike = ModelKind(started.builtin, not started.adapter).key == session.kind(bench).key
    return SettingDraft(
        strategy.key,
        started.retriever if started.retriever in RETRIEVERS else "dense",
        _params(strategy, started.params),
        {skill: method for skill, method in started.methods.items() if skill in SKILLS} if alike else {},
    )


def _params(strategy: AnyStrategy, values: dict[str, Any]) -> dict[str, Any]:
    """Those that are not at today's default; what no value can be today is left out."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        with suppress(InputError):
            parsed = getattr(strategy.parse({name: value}), name)
            if parsed != strategy.params.model_fields[name].default:
                found[name] = parsed
    return found
