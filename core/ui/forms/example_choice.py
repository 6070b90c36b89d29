"""The example questions of documents, of which one can be filled in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import streamlit as st

from core.corpora.entries import Question
from core.strategies.base import AnyStrategy

EVERY = "◎"
"""Before a question that is recorded through every strategy: at the end of a long one it would be cut."""
ANSWERED = "answered"
"""Mark of a question that the model which answers was seen to answer rightly."""


def example_choice(
    key: str,
    questions: Sequence[Question],
    strategies: Iterable[AnyStrategy],
    missing: str,
    recorded: Collection[str] = (),
    answered: Collection[str] = (),
    first: Collection[str] = (),
) -> None:
    """A list of example questions; the one that is chosen is filled into the form.

    Args:
        key: Of the widget.
        questions: To choose from.
        strategies: That will be asked: questions written for them come first.
        missing: What stands there where there are no questions.
        recorded: Texts of questions whose answers the recording that plays holds.
        answered: Ids of questions that the model which answers was seen to answer rightly.
        first: Texts of questions that stand before all others: the recording holds them through every strategy.
    """
    ordered = by_fit(questions, {strategy.key for strategy in strategies}, recorded, answered, first)
    helps = (
        [f"Those with {EVERY} come first: they are recorded through every strategy."] * bool(first)
        + [f"Those marked “{ANSWERED}” come first: the built-in model was seen to answer them rightly so."]
        * any(question.id in answered for question in questions)
        + ["Those that were written for what is chosen above come before the others."]
        * any(question.strategies for question in questions)
        + ["Those that the recording knows stand before the others."] * bool(recorded)
    )

    def take() -> None:
        if chosen := st.session_state.get(key):
            st.session_state["question"] = chosen

    st.selectbox(
        "More questions",
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
    questions: Sequence[Question],
    strategies: set[str],
    recorded: Collection[str] = (),
    answered: Collection[str] = (),
    first: Collection[str] = (),
) -> dict[str, str]:
    """Text of each question -> its label, which ends with its kind.

    Those that are recorded through every strategy come first, then answered questions; of these, and of the others,
    those written for one of the strategies, of these the recorded ones. Kinds alternate, so that a glance at the list
    sees them all.
    """
    seen: Counter[tuple[bool, bool, bool, bool, str]] = Counter()
    places = []
    for one in questions:
        unfit = strategies.isdisjoint(one.strategies)
        group = (one.text not in first, one.id not in answered, unfit, one.text not in recorded, one.type)
        places.append((*group[:4], seen[group]))
        seen[group] += 1
    ordered = sorted(zip(places, questions, strict=True), key=lambda pair: pair[0])
    return {
        one.text: f"{EVERY} " * (one.text in first) + _label(one, one.text in recorded, one.id in answered)
        for _, one in ordered
    }


def _label(one: Question, recorded: bool, answered: bool) -> str:
    marks = [one.type.replace("_", " ")] * bool(one.type) + ["recorded"] * recorded + [ANSWERED] * answered
    return " · ".join([one.text, *marks])
