"""The first visit: what this is, told by a run that is played once, and three doors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

import streamlit as st

from core.cards.starters import Shows, Starter, Who, starter_questions, starters
from core.cards.welcome import welcome
from core.corpora.demo import DEMO_CORPUS
from core.errors import LoupeError
from core.models.chat_models import ChatModel
from core.runs.gallery import DEMO_GRAPH, PIECES, read
from core.runs.record import record
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from core.strategies import get_strategy, strategies
from core.strategies.base import AnyStrategy
from core.ui.forms.asked import ASK_NOW, fill_settings
from core.ui.forms.filter_choice import fill_filter
from core.ui.forms.recorded import first_questions
from core.ui.forms.retriever_choice import fill_retriever
from core.ui.playground.picker import STRATEGY
from core.ui.shell import address, session
from core.ui.shell.assets import drawing, redraw
from core.ui.shell.navigation import leave_for
from core.ui.shell.progress import suggested
from core.users import APP

DOORS = {"learn": "pages/learn.py", "documents": "pages/documents.py"}
_WANTED, _NEW, _THERE = "welcome-wanted", "browser-is-new", "welcome-run-there"


def draw_welcome(bench: Workbench) -> None:
    """Draw it for a browser that has never asked, and where it was asked for."""
    if not st.session_state.get(_WANTED, _is_new(bench)):
        return
    run, data = _played()
    if data is None:
        return
    there = _there(bench, run)
    result = drawing("welcome")(data=data | {"run": there}, key="welcome", on_went_change=redraw)
    if result.went in DOORS:
        leave_for(DOORS[result.went])
    if result.went == "run" and there:
        address.show(address.RUN, run)
        st.rerun()
    if result.went == "hide":
        st.session_state[_WANTED] = False
        st.rerun()


def _there(bench: Workbench, run: str) -> bool:
    """Whether the run is stored: somebody may have deleted it; looked up once a session."""
    if _THERE not in st.session_state:
        st.session_state[_THERE] = False
        with suppress(LoupeError):
            session.gallery(bench)
            st.session_state[_THERE] = bool(bench.store.entry(run))
    return bool(st.session_state[_THERE])


def draw_what_is_this() -> None:
    """A small button that brings it back."""
    if st.button("What is this?", key="what-is-this", type="tertiary", icon=":material/help:"):
        st.session_state[_WANTED] = True
        st.rerun()


def has_asked() -> None:
    """This browser has asked: it is not welcomed again."""
    st.session_state[_NEW] = st.session_state[_WANTED] = False


def _is_new(bench: Workbench) -> bool:
    """Whether no run of this browser is stored; read once a session."""
    if _NEW not in st.session_state:
        me, new = session.owner(), True
        if st.session_state.get("owner-known"):  # else this browser has just got its id
            with suppress(LoupeError):
                new = all(one.owner != me for one in bench.store.list(RunFilter(owners=(me,))))
        st.session_state[_NEW] = new
    return bool(st.session_state[_NEW])


@cache
def _played() -> tuple[str, dict[str, Any] | None]:
    """Id of the run that is played, and what is shown of it; None: the app comes without one."""
    for piece in PIECES:
        alone = strategies().get(piece.requests[0].strategy) if len(piece.requests) == 1 else None
        if alone and alone.merges == "fused" and piece.file.exists():  # the first of the gallery
            _, (events,) = read(piece)
            return piece.id, welcome(record(events))
    return "", None


_SUGGESTED = "starters-suggested"
SIGNS: dict[Shows, tuple[str, str]] = {
    "more": ("✓", "good"),
    "enough": ("✓", "good"),
    "right": ("✓", "good"),
    "not_told": ("✓", "good"),
    "made_up": ("✗", "bad"),
    "none": ("–", "none"),
    "lacks": ("✗", "bad"),
    "misread": ("✗", "bad"),
}
"""Point of a card -> the sign before it, and how that is coloured."""


def draw_starters(bench: Workbench, strategy: AnyStrategy) -> None:
    """Cards for the strategy and the documents that are chosen; nothing where there are none to offer.

    To be called before the form is drawn, which a click fills.
    """
    title, about, cards = _offered(bench, strategy)
    if not cards:
        return
    shown = [{name: one[name] for name in SHOWN} for one in cards]
    result = drawing("starters")(
        data={"title": title, "about": about, "colour": strategy.colour, "starters": shown},
        key="starter-cards",
        on_chosen_change=redraw,
    )
    if (one := clicked(result.chosen, cards)) is not None:
        take(bench, one)


def clicked(value: object, cards: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The card that the browser reported, if it is one of these."""
    return next((one for one in cards if one["id"] == value), None)


SHOWN = ("id", "question", "kind", "says", "sign", "tone")
"""The fields of a card that its drawing gets."""


def _offered(bench: Workbench, strategy: AnyStrategy) -> tuple[str, str, list[dict[str, Any]]]:
    """Heading, a line beside it, and cards."""
    corpus = str(st.session_state.get("corpus") or DEMO_CORPUS)
    graph = str(st.session_state.get("graph") or DEMO_GRAPH)
    title = f"Try {strategy.title} with one of these"
    if (corpus != DEMO_CORPUS and strategy.retrieves) or (graph != DEMO_GRAPH and strategy.explores):
        if not strategy.retrieves:
            return title, "", []
        return (
            title,
            f"Made from the headings of “{corpus}”.",
            [
                _card(f"own-{place}", text, strategy.key)
                for place, text in enumerate(_suggestions(bench, corpus))
            ],
        )
    who = _answerer(bench, session.chat(bench))
    found = starters(strategy.key, who or "recording")
    about = {
        "recording": "What is said of each was seen with the recorded replies.",
        "builtin": "What is said of each was seen with the built-in model.",
    }
    first, known = first_questions(bench), starter_questions()
    ordered = sorted(found, key=lambda one: known[one.question].text not in first)
    return title, about[who] if who else "A click asks it.", [_demo_card(one, who) for one in ordered]


def _demo_card(one: Starter, who: Who | None) -> dict[str, Any]:
    """A card of the demo documents; of another model nobody knows what it will answer."""
    known = starter_questions()[one.question]
    sign, tone = SIGNS[one.shows] if who else ("", "")
    return _card(one.question, known.text, one.strategy) | {
        "kind": known.kind.capitalize(),
        "says": one.sentence if who else known.shows,
        "sign": sign,
        "tone": tone,
        "retriever": one.retriever if who else "",
        "demo": True,
    }


def _card(ident: str, question: str, strategy: str) -> dict[str, Any]:
    empty = dict.fromkeys(("kind", "says", "sign", "tone", "retriever"), "")
    return {"id": ident, "question": question, "strategy": strategy, "demo": False, **empty}


def _answerer(bench: Workbench, chat: ChatModel) -> Who | None:
    """The model that answers now, if its answers to the cards are known; None: another model, or other embeddings."""
    if chat.play is not None:
        return "recording" if chat.play.recording.owner == APP.owner else None
    tried = session.kind(bench).builtin and bench.backends.embedder.builtin
    return "builtin" if tried else None


def _suggestions(bench: Workbench, corpus: str) -> list[str]:
    """Made once as long as the documents are the same."""
    info = bench.corpora.offered().get(corpus)
    state = corpus, info.chunks if info else 0
    kept: tuple[tuple[str, int], list[str]] | None = st.session_state.get(_SUGGESTED)
    if kept is None or kept[0] != state:
        kept = state, suggested(bench, corpus) if info and info.chunks else []
        st.session_state[_SUGGESTED] = kept
    return kept[1]


def take(bench: Workbench, one: Mapping[str, Any]) -> None:
    """Fill the form with a card, and have it asked; to be called before the form is drawn."""
    st.session_state["question"] = st.session_state[ASK_NOW] = one["question"]
    st.session_state[STRATEGY] = one["strategy"]
    if not one["demo"]:
        return
    st.session_state["corpus"], st.session_state["graph"] = DEMO_CORPUS, DEMO_GRAPH
    fill_filter(())
    fill_settings(get_strategy(one["strategy"]), {}, {}, session.kind(bench))
    fill_retriever(bench, one["strategy"], DEMO_CORPUS, one["retriever"])
