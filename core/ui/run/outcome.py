"""The outcome of a run, right below its question; and, folded, what plain retrieval finds in its place."""

from __future__ import annotations

import streamlit as st

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.outcome import VERDICTS, Outcome
from core.cards.stars import MEANING
from core.ui.cards.parts import draw_parts
from core.ui.shell.safe import literal
from core.wording import counted

COLOURS = {"right": "green", "wrong": "red"}
"""Verdict -> the colour of its mark; the others have none."""


def draw_outcome(scene: Scene, made: Outcome | None) -> None:
    """One line: evidence found, plain retrieval beside it, the verdict, calls and seconds; nothing before the end."""
    if made is None:
        return
    totals = scene.record.totals
    cost = f":gray[{counted(totals.calls, 'model call')} · {totals.seconds:.1f} s]"
    parts = (_evidence(made), literal(made.beside), _verdict(made), cost)
    with st.container(key=f"outcome-{scene.key}"):
        st.markdown(" · ".join(filter(None, parts)), help=_help(made))


def _evidence(made: Outcome) -> str:
    if not made.of:
        return f":material/library_books: {literal(made.passages)}" if made.given else ""
    mark = f"**{made.stars}** " if made.stars else ""
    return f"{mark}**{literal(made.evidence)}**"


def _verdict(made: Outcome) -> str:
    if made.verdict is None:
        return ""
    right = f"right: {literal(made.answers[0], 80)}"
    icon, words = VERDICTS[made.verdict]
    mark = f":{COLOURS.get(made.verdict, 'gray')}-badge[:material/{icon}: {words}]"
    return mark if made.verdict == "right" else f"{mark} · {right}"


def _help(made: Outcome) -> str:
    said = [MEANING] if made.of else []
    if made.shared is not None:
        said.append(
            "Plain retrieval is one search with the question, by the same retriever, for as many passages: "
            f"{literal(made.passages)}. It is not counted in calls and seconds."
        )
    if made.verdict is not None:
        said.append(
            "Right or wrong: whether the answer says one of the right answers, as in Evaluate; where the right one is "
            "long, words do not tell, so it stands here to be compared."
        )
    return " ".join(said)


def draw_baseline(scene: Scene, made: Outcome | None) -> None:
    """What plain retrieval finds, folded below the passages."""
    baseline = scene.record.baseline
    if baseline is None or made is None or made.shared is None:
        return
    card = card_of(baseline, scene)
    title = f"{card.title}: {made.shared} of its {card.subtitle} are above" if made.shared else card.title
    with st.expander(literal(title), icon=f":material/{card.icon}:", key=f"baseline-{scene.key}"):
        draw_parts(card.parts, f"baseline-{scene.key}")
