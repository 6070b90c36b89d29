"""Rows that can be added and removed, each with widgets of its own: columns of a comparison, rows of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from core.skills.model_kind import CAPABLE, ModelKind
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.ui.forms.setting import SettingDraft, preset


@dataclass(frozen=True)
class DynamicRows:
    """Rows of a session. A row keeps its number when another is removed, so what was typed in its widgets survives."""

    name: str
    """What a row is called, for example "column"."""
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
        """Fill in what is usual, as long as nobody has chosen anything else.

        Args:
            usual: Empty: the first line-up.
        """
        usual = tuple(usual or self.lineups[self.first])
        if self._numbers not in st.session_state or self._untouched() not in (None, usual):
            self.fill(usual)
            st.session_state[self._usual] = (self.numbers, usual)

    def _untouched(self) -> tuple[SettingDraft, ...] | None:
        """What `begin` filled in, if nobody has changed it."""
        numbers, usual = st.session_state.get(self._usual, ([], ()))
        if numbers != self.numbers or st.session_state.get(f"{self.key}-lineup"):
            return None
        there = [st.session_state.get(f"{self.scope(number)}strategy") for number in numbers]
        return usual if there == [one.strategy for one in usual] else None

    @property
    def _numbers(self) -> str:
        return f"{self.key}-numbers"

    @property
    def _usual(self) -> str:
        return f"{self.key}-usual"

    @property
    def numbers(self) -> list[int]:
        """In order."""
        found: list[int] = st.session_state[self._numbers]
        return found

    def scope(self, number: int) -> str:
        """Begins the keys of a choice's widgets."""
        return f"{self.key}-{self.name}-{number}-"

    def fill(self, choices: Sequence[SettingDraft], kind: ModelKind = CAPABLE) -> None:
        """Choices in place of those there are.

        Args:
            choices: At least `least` of them; what is more than `most` is left out.
            kind: What kind of model will answer.
        """
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
        """Ready line-ups, and one more choice.

        Args:
            offered: Names of the line-ups in the order in which they are offered; None: as they are.
            label: What each is called there.
            preferred: Strategies that one more row has before others.
        """
        with st.container(horizontal=True, vertical_alignment="bottom", key=f"{self.key}-lineups"):
            st.selectbox(
                "Line-up",
                list(self.lineups if offered is None else offered),
                index=None,
                format_func=label,
                key=f"{self.key}-lineup",
                placeholder=self.placeholder,
                on_change=self._take,
                width=520,
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
        """A button that takes a choice away, where one may go; `what` is for example "column B"."""
        if len(self.numbers) > self.least:
            st.button(
                f"Take {what} away",  # only heard: page.css
                key=f"{self.scope(number)}remove",
                icon=":material/close:",
                help=f"Take {what} away",
                on_click=self._remove,
                args=(number,),
            )

    def _take(self) -> None:
        if name := st.session_state.get(f"{self.key}-lineup"):
            self.fill(self.lineups[name])

    def _add(self, preferred: Collection[str]) -> None:
        """One more, with the first strategy that none has yet."""
        taken = {st.session_state.get(f"{self.scope(number)}strategy") for number in self.numbers}
        free = [key for key, one in strategies().items() if key not in taken and one.retrieves]
        free.sort(key=lambda key: key not in preferred)
        number = 1 + max(self.numbers)
        preset(self.scope(number), SettingDraft(free[0] if free else BASELINE))
        st.session_state[self._numbers] = [*self.numbers, number]

    def _remove(self, number: int) -> None:
        st.session_state[self._numbers] = [other for other in self.numbers if other != number]
