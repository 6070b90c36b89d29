"""How a strategy is to be run, set beside others: the same choices on every page that puts several side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.charts.columns import params_in_words
from core.retrieval.defaults import Default
from core.skills.base import CAPABLE, ModelKind
from core.strategies import strategies
from core.strategies.base import BASELINE, AnyStrategy
from core.strategies.lessons import Place
from core.ui.forms.params import (
    edited_prompts,
    fill_method,
    methods_form,
    param_key,
    params_form,
    prompts_in_use,
    skills_used,
)
from core.ui.forms.retriever_choice import clear, retriever_choice

FEW = 6
"""Ready-made comparisons that are listed at first."""


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
    """Return the drafts of a line-up."""
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
    """Fill in a draft before its widgets, whose keys begin with `scope`, are drawn; methods are chosen for each `kind`
    of model by itself."""
    strategy = strategies()[choice.strategy]
    st.session_state[f"{scope}strategy"] = choice.strategy
    clear(f"{scope}retriever")
    if choice.retriever:
        st.session_state[f"{scope}retriever"] = choice.retriever
    st.session_state[f"{scope}corpus"] = choice.corpus
    for name, value in choice.params.items():
        st.session_state[param_key(strategy, name, scope)] = value
    for skill, method in choice.methods.items():
        fill_method(skill, method, kind, scope)


def strategy_choice(label: str, scope: str) -> AnyStrategy:
    """Draw the choice of a strategy, and return it."""
    known = strategies()
    chosen = st.selectbox(
        label,
        list(known),
        format_func=lambda key: known[key].title,
        key=f"{scope}strategy",
        persist_state="session",
    )
    return known[chosen]


def unusual(
    strategy: AnyStrategy, retriever: str, params: Mapping[str, Any], usual: str = "dense"
) -> list[str]:
    """Return the settings of a strategy that are not as usual, in words; `usual` is the retriever that goes unsaid."""
    fields = strategy.params.model_fields
    changed = {name: value for name, value in params.items() if value != fields[name].default}
    searched = [retriever] if strategy.retrieves and retriever != usual else []
    return [*searched, *(" ".join(one) for one in params_in_words(strategy.key, changed))]


def setting_form(
    strategy: AnyStrategy, scope: str, kind: ModelKind, usual: Default, varied: str = "", *, draw: bool
) -> ChosenSetting:
    """Draw retriever (`usual`: its default), parameters and methods, one below the other, but for the parameter that
    is `varied` elsewhere; `draw` as for `params_form`."""
    retriever = strategy.retriever or usual.retriever
    if strategy.choosable and varied != "retriever":
        retriever = retriever_choice(f"{scope}retriever", usual, draw=draw)
    params = params_form(strategy, scope, varied, draw=draw)
    # Of all its skills, if one is varied: whatever the parameter may come to use.
    skills = strategy.skills if varied else skills_used(strategy, params)
    methods = methods_form(skills, kind, scope, draw=draw)
    return ChosenSetting(retriever, params, methods, edited_prompts(prompts_in_use(methods)))


@dataclass(frozen=True)
class DynamicRows:
    """Rows of a session. A row keeps its number when another is removed, so what was typed in its widgets survives."""

    name: str
    """Of a row, for example "column"."""
    key: str
    """Begins the keys of everything here."""
    lineups: Mapping[str, tuple[SettingDraft, ...]]
    """Name -> choices worth seeing."""
    first: str
    """The line-up that is filled in at first."""
    placeholder: str
    """Of the choice of line-ups."""
    least: int
    most: int

    def begin(self, usual: Sequence[SettingDraft] = ()) -> None:
        """Fill in what is usual (empty: the first line-up), as long as nobody has chosen anything else."""
        usual = tuple(usual or self.lineups[self.first])
        if self._numbers not in st.session_state or self._untouched() not in (None, usual):
            self.fill(usual)
            st.session_state[self._usual] = (self.numbers, usual)

    def _untouched(self) -> tuple[SettingDraft, ...] | None:
        """Return what `begin` filled in, if nobody has changed it."""
        numbers, usual = st.session_state.get(self._usual, ([], ()))
        if numbers != self.numbers or st.session_state.get(f"{self.key}-lineup"):
            return None
        chosen = [st.session_state.get(f"{self.scope(number)}strategy") for number in numbers]
        return usual if chosen == [draft.strategy for draft in usual] else None

    @property
    def _numbers(self) -> str:
        return f"{self.key}-numbers"

    @property
    def _usual(self) -> str:
        return f"{self.key}-usual"

    @property
    def numbers(self) -> list[int]:
        """The numbers of the rows, in order."""
        numbers: list[int] = st.session_state[self._numbers]
        return numbers

    def scope(self, number: int) -> str:
        """Return the beginning of the keys of a row's widgets."""
        return f"{self.key}-{self.name}-{number}-"

    def fill(self, choices: Sequence[SettingDraft], kind: ModelKind = CAPABLE) -> None:
        """Put drafts, at least `least` and of more the first `most`, in the place of all rows."""
        choices = choices[: self.most]
        first = 1 + max(st.session_state.get(self._numbers, [0]))
        st.session_state[self._numbers] = list(range(first, first + len(choices)))
        for number, choice in enumerate(choices, first):
            preset(self.scope(number), choice, kind)

    def chooser(
        self,
        offered: Collection[str] | None = None,
        label: Callable[[str], str] = str,
        preferred: Collection[str] = (),
    ) -> None:
        """Draw the choice of ready line-ups, and a button for one more row.

        `offered` are their names in the order in which they are offered (None: as they are), and `label` returns the
        title of one. `preferred` are strategies that one more row has before others.
        """
        every = list(self.lineups if offered is None else offered)
        few = every[:FEW] if not st.session_state.get(f"{self.key}-more") else every
        chosen = st.session_state.get(f"{self.key}-lineup")
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{self.key}-lineups"):
            st.selectbox(
                "Ready-made comparisons",
                few if chosen is None or chosen in few else [*few, chosen],
                index=None,
                format_func=label,
                key=f"{self.key}-lineup",
                placeholder=self.placeholder,
                on_change=self._take,
                width=520,
            )
            if hidden := len(every) - len(few):
                st.button(
                    f"{hidden} more comparisons",
                    key=f"{self.key}-more-lineups",
                    icon=":material/expand_more:",
                    help="Adds them to the list.",
                    on_click=st.session_state.__setitem__,
                    args=(f"{self.key}-more", True),
                )
            st.button(
                f"Add a {self.name}",
                key=f"{self.key}-add",
                icon=":material/add:",
                on_click=self._add,
                args=(preferred,),
                disabled=len(self.numbers) >= self.most,
            )

    def remover(self, number: int, what: str) -> None:
        """Draw a button that takes a row away, where one may go; `what` is for example "column B"."""
        if len(self.numbers) > self.least:
            st.button(
                f"Remove {what}",  # only heard: page.css
                key=f"{self.scope(number)}remove",
                icon=":material/close:",
                help=f"Remove {what}",
                on_click=self._remove,
                args=(number,),
            )

    def _take(self) -> None:
        if name := st.session_state.get(f"{self.key}-lineup"):
            self.fill(self.lineups[name])

    def _add(self, preferred: Collection[str]) -> None:
        """Add a row with the first strategy that none has yet."""
        taken = {st.session_state.get(f"{self.scope(number)}strategy") for number in self.numbers}
        free = [key for key, strategy in strategies().items() if key not in taken and strategy.retrieves]
        free.sort(key=lambda key: key not in preferred)
        number = 1 + max(self.numbers)
        preset(self.scope(number), SettingDraft(free[0] if free else BASELINE))
        st.session_state[self._numbers] = [*self.numbers, number]

    def _remove(self, number: int) -> None:
        st.session_state[self._numbers] = [other for other in self.numbers if other != number]
