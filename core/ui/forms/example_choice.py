"""Example questions, of which one can be filled in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import streamlit as st

from core.corpora.entries import Question
from core.strategies.base import AnyStrategy


def example_choice(
    key: str,
    questions: Sequence[Question],
    strategies: Iterable[AnyStrategy],
    missing: str,
    recorded: Collection[str] = (),
) -> None:
    """A list of example questions; the one that is chosen is filled into the form.

    Args:
        key: Of the widget.
        questions: To choose from.
        strategies: That will be asked: questions written for them come first.
        missing: What stands there where there are no questions.
        recorded: Texts of questions whose answers the recording that plays holds.
    """
    ordered = by_fit(questions, {strategy.key for strategy in strategies}, recorded)
    helps = ["Those that were written for what is chosen above come first."] * any(
        question.strategies for question in questions
    ) + ["Those that the recording knows stand before the others."] * bool(recorded)

    def take() -> None:
        if chosen := st.session_state.get(key):
            st.session_state["question"] = chosen

    st.selectbox(
        "Example questions",
        list(ordered),
        index=None,
        key=key,
        format_func=lambda text: ordered.get(text, text),
        placeholder="Choose one to fill it in" if ordered else missing,
        disabled=not ordered,
        on_change=take,
        help=" ".join(helps) or None,
    )


def by_fit(
    questions: Sequence[Question], strategies: set[str], recorded: Collection[str] = ()
) -> dict[str, str]:
    """Text of each question -> its label, which ends with its kind.

    Questions written for one of the strategies come first, of these the recorded ones; kinds alternate, so that a
    glance at the list sees them all.
    """
    seen: Counter[tuple[bool, bool, str]] = Counter()
    places = []
    for one in questions:
        group = (strategies.isdisjoint(one.strategies), one.text not in recorded, one.type)
        places.append((*group[:2], seen[group]))
        seen[group] += 1
    ordered = sorted(zip(places, questions, strict=True), key=lambda pair: pair[0])
    return {one.text: _label(one, one.text in recorded) for _, one in ordered}


def _label(one: Question, recorded: bool) -> str:
    marks = [one.type.replace("_", " ")] * bool(one.type) + ["recorded"] * recorded
    return " · ".join([one.text, *marks])
