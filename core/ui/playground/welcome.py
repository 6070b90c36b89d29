"""The Playground before a question: the welcome, starter cards, and below the form what the strategy will do."""

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
from core.runs.gallery import DEMO_GRAPH, PIECES, example_run, label, read
from core.runs.record import record
from core.runs.store import RunEntry, RunFilter
from core.runs.workbench import Workbench
from core.strategies import get_strategy, strategies
from core.strategies.base import AnyStrategy
from core.trace.events import RunStarted
from core.ui.forms.prefill import ASK_NOW, ask_demo
from core.ui.forms.recorded import first_questions
from core.ui.playground.picker import STRATEGY
from core.ui.run.diagram import draw_diagram
from core.ui.shell import address, session
from core.ui.shell.assets import drawing, redraw
from core.ui.shell.progress import suggested
from core.ui.shell.safe import literal
from core.users import APP

ABOUT = (
    "**Retrieval-augmented generation (RAG)**: a search finds passages in documents, and a language model answers from "
    "them. See every step of many strategies, and compare them.\n\n"
    "The example documents are about **Pellamar**, an invented country: no model has read about it."
)
HOW = "How the strategy works, when it helps, and when it hurts"
DOORS = {
    "pages/learn.py": ("Understand a strategy", "school"),
    "pages/documents.py": ("Use my documents", "upload_file"),
}
EXAMPLE_SECONDS = 30.0
"""How long a run of the gallery that was looked up is offered before the store is asked again."""
OPEN, IS_NEW, _THERE = "about", "browser-is-new", "welcome-run-there"
"""In the session: if the welcome is unfolded, if no run of this browser is stored, if the run of the welcome is."""
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
SHOWN = ("id", "question", "kind", "says", "sign", "tone")
"""The fields of a card that its drawing gets."""

# For a first visit: a few sentences, and a run that is played once


def draw_welcome(bench: Workbench) -> None:
    """Draw what RAG and the demo documents are, with a run as a picture: unfolded for a browser that has never asked,
    folded for all others."""
    if OPEN not in st.session_state:
        st.session_state[OPEN] = _is_new(bench)
    fold = st.expander("What is RAG?", icon=":material/help:", key=OPEN, on_change="rerun")
    if not fold.open:
        return
    text, picture = fold.columns([1, 2.2], gap="medium")
    with text, st.container(key="about-text", gap="small"):
        st.markdown(ABOUT)
        with st.container(gap=None):
            for page, (label, icon) in DOORS.items():
                st.page_link(page, label=label, icon=f":material/{icon}:")
    run, data = _played()
    if data is not None:
        with picture:
            _draw_picture(bench, run, data)


def _draw_picture(bench: Workbench, run: str, data: dict[str, Any]) -> None:
    if _THERE not in st.session_state:  # somebody may have deleted the run
        st.session_state[_THERE] = False
        with suppress(LoupeError):
            session.gallery(bench)
            st.session_state[_THERE] = bool(bench.store.entry(run))
    there = st.session_state[_THERE]
    result = drawing("welcome")(data=data | {"run": there}, key="welcome", on_opened_change=redraw)
    if result.opened and there:
        address.show(address.RUN, run)
        st.rerun()


def _is_new(bench: Workbench) -> bool:
    """Return True if no run of this browser is stored; read once a session."""
    if IS_NEW not in st.session_state:
        me, new = session.owner(), True
        if session.known():  # else this browser has just got its id
            with suppress(LoupeError):
                new = all(run.owner != me for run in bench.store.list(RunFilter(owners=(me,))))
        st.session_state[IS_NEW] = new
    return bool(st.session_state[IS_NEW])


@cache
def _played() -> tuple[str, dict[str, Any] | None]:
    """Return the id of the run that is played, and the data of its drawing; None: the app comes without one."""
    for piece in PIECES:
        alone = strategies().get(piece.requests[0].strategy) if len(piece.requests) == 1 else None
        if alone and alone.fuses and piece.file.exists():  # the first of the gallery
            _, (events,) = read(piece)
            return piece.id, welcome(record(events))
    return "", None


# Starter cards: questions to begin with and what each shows


def draw_starters(bench: Workbench, strategy: AnyStrategy) -> None:
    """Draw cards for the strategy and the documents that are chosen; called before the form, which a click fills."""
    title, about, cards = _offered(bench, strategy)
    if not cards:
        return
    shown = [{name: card[name] for name in SHOWN} for card in cards]
    result = drawing("starters")(
        data={"title": title, "about": about, "colour": strategy.colour, "starters": shown},
        key="starter-cards",
        on_chosen_change=redraw,
    )
    if (card := clicked(result.chosen, cards)) is not None:
        _take(bench, card)


def clicked(value: object, cards: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """Return the card that the browser reported, if it is one of these."""
    return next((card for card in cards if card["id"] == value), None)


def _offered(bench: Workbench, strategy: AnyStrategy) -> tuple[str, str, list[dict[str, Any]]]:
    """Return the heading, a line beside it, and the cards."""
    corpus = str(st.session_state.get("corpus") or DEMO_CORPUS)
    graph = str(st.session_state.get("graph") or DEMO_GRAPH)
    title = f"Try {strategy.title} with one of these"
    if (corpus != DEMO_CORPUS and strategy.retrieves) or (graph != DEMO_GRAPH and strategy.explores):
        if not strategy.retrieves:
            return title, "", []
        documents = bench.corpora.offered().get(corpus)
        chunks = documents.chunks if documents else 0
        mark = corpus, chunks
        questions = session.recall(
            "starters-suggested", mark, lambda: suggested(bench, corpus) if chunks else []
        )
        cards = [_card(f"own-{place}", text, strategy.key) for place, text in enumerate(questions)]
        return title, f"Made from the headings of “{corpus}”.", cards
    who = _answerer(bench, session.chat(bench))
    about = {
        "recording": "The results below were checked with the recorded replies.",
        "builtin": "The results below were checked with the built-in model.",
    }
    first, known = first_questions(bench), starter_questions()
    ordered = sorted(
        starters(strategy.key, who or "recording"),
        key=lambda starter: known[starter.question].text not in first,
    )
    return title, about[who] if who else "A click asks it.", [_demo_card(one, who) for one in ordered]


def _demo_card(starter: Starter, who: Who | None) -> dict[str, Any]:
    """Return a card of the demo documents; of another model nobody knows the answer."""
    question = starter_questions()[starter.question]
    sign, tone = SIGNS[starter.shows] if who else ("", "")
    return _card(starter.question, question.text, starter.strategy) | {
        "kind": question.kind.capitalize(),
        "says": starter.sentence if who else question.shows,
        "sign": sign,
        "tone": tone,
        "retriever": starter.retriever if who else "",
        "demo": True,
    }


def _card(ident: str, question: str, strategy: str) -> dict[str, Any]:
    empty = dict.fromkeys(("kind", "says", "sign", "tone", "retriever"), "")
    return {"id": ident, "question": question, "strategy": strategy, "demo": False, **empty}


def _answerer(bench: Workbench, chat: ChatModel) -> Who | None:
    """Return the model that answers, if its answers to the cards are known; None: another model or other embeddings."""
    if chat.play is not None:
        return "recording" if chat.play.recording.owner == APP.owner else None
    tried = session.kind(bench).builtin and bench.backends.embedder.builtin
    return "builtin" if tried else None


def _take(bench: Workbench, card: Mapping[str, Any]) -> None:
    """Fill the form with a card, and have it asked."""
    if card["demo"]:
        ask_demo(bench, get_strategy(card["strategy"]), card["question"], card["retriever"])
        return
    st.session_state["question"] = st.session_state[ASK_NOW] = card["question"]
    st.session_state[STRATEGY] = card["strategy"]


# Below the form


def draw_preview(bench: Workbench, strategy: AnyStrategy) -> None:
    """Draw the graph of the strategy, folded, with when it helps and hurts; and a button to a run of it."""
    fold = st.expander(HOW, icon=":material/account_tree:", key="how", on_change="rerun")
    if fold.open:
        side, main = fold.columns([1, 2.4], gap="large")
        with side, st.container(key="diagram"):
            draw_diagram(strategy, "empty")
        main.markdown(
            f"**{literal(strategy.title)}**\n\n"
            f":material/thumb_up: **Helps:** {literal(strategy.helps)}\n\n"
            f":material/thumb_down: **Hurts:** {literal(strategy.hurts)}"
        )
        main.caption(f":material/menu_book: {literal(strategy.paper)}")
    _example_button(bench, strategy)


def _example_button(bench: Workbench, strategy: AnyStrategy) -> None:
    """Draw a button that opens a stored run, to be seen without asking."""

    def find() -> tuple[RunEntry | None, RunStarted | None]:
        session.gallery(bench)
        example = example_run(bench.store, strategy.key)
        return example, bench.store.started(example.id) if example else None

    example, started = session.recall("example-run", strategy.key, find, EXAMPLE_SECONDS)
    if example:
        other = strategies().get(started.strategy) if started and started.strategy != strategy.key else None
        st.button(
            f"Open an example run of {other.title}" if other else "Open an example run",
            key="open-example",
            icon=":material/photo_library:",
            on_click=address.show,
            args=(address.RUN, example.id),
            help=literal(f"{example.name}. {label(started)}." if started else f"{example.name}."),
        )
