"""How a strategy is to be run, set beside others: the same choices on every page that puts several side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.charts.columns import params_in_words
from core.retrieval.defaults import Default
from core.skills import SKILLS
from core.skills.model_kind import CAPABLE, ModelKind
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.strategies.lessons import Place
from core.ui.forms.params import method_key, methods_form, param_key, params_form, skills_used
from core.ui.forms.prompts import edited_prompts, prompts_in_use
from core.ui.forms.retriever_choice import clear, retriever_choice


@dataclass(frozen=True)
class SettingDraft:
    """A strategy as it is filled in."""

    strategy: str
    retriever: str = ""
    """Empty: the default for the documents."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Parameters that are not at their default."""
    methods: Mapping[str, str] = field(default_factory=dict)
    """Methods that are not the default ones, by the key of the skill."""
    corpus: str = ""
    """Documents of its own, where a page has columns of several corpora; empty: those of all columns."""


def choices(lineup: Iterable[tuple[str, Place]]) -> tuple[SettingDraft, ...]:
    """A line-up as it is filled in."""
    return tuple(SettingDraft(key, place.retriever, place.params) for key, place in lineup)


@dataclass(frozen=True)
class ChosenSetting:
    """How a strategy is to be run."""

    retriever: str
    params: dict[str, Any]
    methods: dict[str, str]
    prompts: dict[str, str]
    """This session's own texts among the prompts in force."""


def preset(scope: str, choice: SettingDraft, kind: ModelKind = CAPABLE) -> None:
    """Fill in a choice before its widgets are drawn.

    Args:
        scope: Begins the keys of the widgets.
        choice: What to fill in.
        kind: What kind of model will answer; methods are chosen for each by itself.
    """
    strategy = strategies()[choice.strategy]
    st.session_state[f"{scope}strategy"] = choice.strategy
    clear(f"{scope}retriever")
    if choice.retriever:
        st.session_state[f"{scope}retriever"] = choice.retriever
    st.session_state[f"{scope}corpus"] = choice.corpus
    for name, value in choice.params.items():
        st.session_state[param_key(strategy, name, scope)] = value
    for skill, method in choice.methods.items():
        offered = [one.key for one in SKILLS[skill].offered(kind)]
        if len(offered) > 1 and method in offered:
            st.session_state[method_key(skill, kind, scope)] = method


def strategy_choice(label: str, scope: str) -> AnyStrategy:
    """Which strategy."""
    found = strategies()
    chosen = st.selectbox(
        label,
        list(found),
        format_func=lambda key: found[key].title,
        key=f"{scope}strategy",
        persist_state="session",
    )
    return found[chosen]


def unusual(
    strategy: AnyStrategy, retriever: str, params: Mapping[str, Any], usual: str = "dense"
) -> list[str]:
    """How a strategy is set where it is not as usual, in words; `usual` is the retriever that need not be said."""
    fields = strategy.params.model_fields
    changed = {name: value for name, value in params.items() if value != fields[name].default}
    searched = [retriever] if strategy.retrieves and retriever != usual else []
    return [*searched, *(" ".join(one) for one in params_in_words(strategy.key, changed))]


def setting_form(strategy: AnyStrategy, scope: str, kind: ModelKind, usual: Default) -> ChosenSetting:
    """Retriever (`usual`: its default), parameters and methods, one below the other."""
    retriever = strategy.retriever or usual.retriever
    if strategy.choosable:
        retriever = retriever_choice(f"{scope}retriever", usual)
    params = params_form(strategy, scope)
    skills = skills_used(strategy, params)
    methods = methods_form(skills, kind, scope)
    prompts = prompts_in_use((SKILLS[key] for key in skills), methods)
    return ChosenSetting(retriever, params, methods, edited_prompts(prompts))
