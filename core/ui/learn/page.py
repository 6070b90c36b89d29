"""The page Learn: what the strategies are, side by side, and a lesson for each, with explorable, tour and exercise."""

from __future__ import annotations

import base64
from functools import lru_cache

import pandas as pd
import streamlit as st

from core.explorables import stored
from core.report.tour import strategy_tour
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.strategies.families import by_family
from core.strategies.lessons import INDEXING, STANDALONE, Standalone, lesson, sections, stem, tour
from core.strategies.tutorial import indexing
from core.ui.cards.parts import draw_drawing
from core.ui.forms.prefill import draw_recorded, shown_recording
from core.ui.learn.worked_example import draw_worked_example
from core.ui.run.diagram import draw_diagram
from core.ui.shell.navigation import leave_for
from core.ui.shell.safe import literal
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import errors_shown

LESSON = "lesson"
"""Name of the query parameter that holds the key of the lesson."""
COLUMNS, CARD_PIXELS = 3, 230
"""Cards beside one another, and how narrow they may get before fewer are."""
TOUR_PIXELS = 760
"""Pixels, until the page's own style has it follow the window."""


@errors_shown()
def page() -> None:
    """Draw the overview, or the lesson in the address."""
    bench = framed()
    known = strategies()
    key = st.query_params.get(LESSON, "")
    alone = {lesson.key: lesson for lesson in STANDALONE}
    if key in alone:
        _standalone(alone[key])
    elif key in known:
        _lesson(bench, known[key])
    else:
        _overview(bench, known)


def _overview(bench: Workbench, known: dict[str, AnyStrategy]) -> None:
    st.header("Learn", anchor=False)
    st.markdown(
        "One search with the question as it is misses what is worded differently, what needs several passages, and "
        "what lies behind the question. Each strategy is one way to deal with that, and each has its price."
    )
    with st.expander(
        "How to read a lesson: italics, [0], [?], ★", icon=":material/menu_book:", key="reading"
    ):
        st.markdown(sections.READING)
    st.markdown("### Around a question: what is searched, what is given, and what is compared")
    with st.grid(COLUMNS, min_column_width=CARD_PIXELS):
        for lesson in STANDALONE:
            _card(lesson.key, lesson.title, lesson.idea)
    for family, members in by_family(known.values()).items():
        st.markdown(f"### {literal(family.title)}: {literal(family.idea)}")
        with st.grid(COLUMNS, min_column_width=CARD_PIXELS):
            for strategy in members:
                _card(strategy.key, strategy.title, strategy.idea)
    if shown := shown_recording(bench):
        draw_recorded(bench, shown, "learn")
    st.markdown("### What each costs")
    st.caption(
        "With an endpoint and the usual parameters, counted from each strategy's graph; retries are left out."
    )
    st.dataframe(
        _costs(known), hide_index=True, key="costs", height="content", alt="Rounds and calls of each strategy"
    )


def _card(key: str, title: str, idea: str) -> None:
    """Draw the idea of a lesson, below a button that opens it."""
    with st.container(border=True, height="stretch", gap="xxsmall", key=f"lesson-{key}"):
        if st.button(f"**{literal(title)}**", key=f"open-{key}", icon=":material/school:", type="tertiary"):
            st.query_params[LESSON] = key
            st.rerun()
        st.markdown(literal(idea))


def _costs(known: dict[str, AnyStrategy]) -> pd.DataFrame:
    """Return rounds and calls of each strategy with its default parameters and a real model."""
    rows = []
    for strategy in known.values():
        costs = strategy.forecast()
        rows.append((strategy.title, costs.rounds, costs.rounds_most, costs.calls_expected, costs.calls_most))
    columns = ["Strategy", "Rounds, as a rule", "Rounds, at most", "Calls, as a rule", "Calls, at most"]
    return pd.DataFrame(rows, columns=columns)


def _heading(title: str) -> None:
    """Draw a button that leads back, and the title of the lesson."""
    if st.button("All lessons", key="all-lessons", icon=":material/arrow_back:", type="tertiary"):
        del st.query_params[LESSON]
        st.rerun()
    st.header(literal(title), anchor=False)


def _standalone(lesson: Standalone) -> None:
    """Draw a lesson that belongs to no strategy."""
    _heading(lesson.title)
    written = _begun(lesson.key, lesson.idea)
    st.markdown(written.under_headings(sections.EXPLAINED))
    _reference(written)
    st.markdown(written.under_headings((sections.WHEN_NOT,)))
    _exercise(lesson.key)
    st.markdown(written.under_headings((sections.TRY,)))
    title = lesson.page.replace("_", " ").capitalize()
    if st.button(f"Go to {title}", key="go", type="primary", icon=":material/arrow_forward:"):
        leave_for(f"pages/{lesson.page}.py")
    if lesson.key == INDEXING:
        _index_script()


def _begun(key: str, idea: str) -> sections.LessonText:
    """Draw the beginning of a lesson: its idea in a sentence, the case, and the explorable; returns its text."""
    written = sections.lesson_text(key)
    st.markdown(f"**{literal(idea)}**")
    st.markdown(written.case)
    _explorable(key)
    return written


def _reference(written: sections.LessonText) -> None:
    """Draw the number worked out by hand, and below it what is looked up, each section in a fold."""
    st.markdown(written.under_headings((sections.BY_HAND,)))
    for title in sections.REFERENCE:
        if part := written.part(title):
            with st.expander(title, key=f"section-{title}"):
                st.markdown(part)


def _index_script() -> None:
    with st.expander("Indexing as a short script", icon=":material/code:", key="index-script"):
        st.caption(
            "It makes the index that the strategies' scripts search. Save both in one folder, this one as "
            "indexing.py. Its first lines say how to ask."
        )
        st.code(indexing(), language="python")


def _lesson(bench: Workbench, strategy: AnyStrategy) -> None:
    _heading(strategy.title)
    written = _begun(strategy.key, strategy.idea)
    side, main = st.columns([1, 2.4], gap="large")
    with side, st.container(key="lesson-diagram"):
        draw_diagram(strategy, "lesson")
    with main:
        st.markdown(written.under_headings(sections.EXPLAINED))
    _tour(strategy)
    _reference(written)
    st.caption(f":material/menu_book: {literal(strategy.paper)}")
    st.markdown(
        f"{written.under_headings((sections.WHEN_NOT,))}\n\n{literal(strategy.forecast().calls_in_words)}\n\n"
        f":material/thumb_up: **Helps:** {literal(strategy.helps)}  \n"
        f":material/thumb_down: **Hurts:** {literal(strategy.hurts)}"
    )
    _exercise(strategy.key)
    st.markdown(written.under_headings((sections.TRY,)))
    if st.button("Try it in the Playground", key="try", type="primary", icon=":material/science:"):
        st.session_state["strategy"] = strategy.key
        leave_for("pages/playground.py")
    _toggles(strategy)
    if strategy.tutorial:
        _index_script()
        with st.expander("The same idea as a short script", icon=":material/code:", key="script"):
            st.caption(
                f"Save it as {stem(strategy.key)}.py beside indexing.py, and start it. It is LangChain, without "
                "anything of this app: change it as you like. A run that is exported as a notebook is this script "
                "with the run's question, prompts and passages."
            )
            st.code(strategy.tutorial, language="python")
    draw_worked_example(bench, strategy)  # last, because its run is long


def _toggles(strategy: AnyStrategy) -> None:
    """Draw the parameters in a fold, each with its sentence."""
    fields = strategy.params.model_fields
    if not fields:
        return
    lines = (
        f"- **{literal(field.title or name)}** (`{name}`, default {literal(str(field.default))}): "
        f"{literal(field.description or '')}"
        for name, field in fields.items()
    )
    with st.expander("What can be set", icon=":material/tune:", key="toggles"):
        st.markdown("\n".join(lines))


def _explorable(key: str) -> None:
    """Draw the explorable of a lesson, which begins with the guess; nothing where it has none.

    It keeps its state in the address's fragment: a page that shows it writes no query parameters after loading.
    """
    explorable = stored(stem(key))
    if explorable is not None:
        st.markdown("### Guess, then move it")
        with st.container(border=True, key=f"explorable-{key}"):
            draw_drawing(explorable, key)


def _tour(strategy: AnyStrategy) -> None:
    """Draw a fold that holds the tour once it is opened; nothing for a strategy without one."""
    stops = tour(strategy.key)
    if stops is None:
        return
    st.markdown("### Tour of a run")
    st.markdown(
        f"A recorded run of {literal(strategy.title)} in {len(stops.stops)} sentences: what plain retrieval would "
        "have done, why each step follows, what it cost."
    )
    # Streamlit forgets that it was opened once the page is left: a tour takes the keys when it appears.
    fold = st.expander("Take the tour", icon=":material/tour:", key=f"tour-{strategy.key}", on_change="rerun")
    if fold.open:
        fold.iframe(
            _address(strategy.key, st.context.theme.type or ""),
            height=TOUR_PIXELS,
            alt=f"Tour of a run of {strategy.title}",
        )


@lru_cache(maxsize=8)
def _address(key: str, theme: str) -> str:
    """Return the tour's page as an address.

    A page that lies in its address has an origin that nobody shares: the browser keeps it from this page, its cookies
    and its storage, which a page handed to `st.iframe` as text can reach; its own policy keeps it from everything else.
    """
    page = base64.b64encode(strategy_tour(key, theme).encode()).decode()
    return f"data:text/html;charset=utf-8;base64,{page}"


def _exercise(key: str) -> None:
    """Draw the exercise of a lesson, if it has one: options, a button locked until one is chosen, the outcome."""
    task = lesson(key).exercise
    if task is None:
        return
    revealed = f"revealed-{key}"
    st.markdown("### Check yourself")
    with st.container(border=True, key="exercise"):
        st.markdown(task.question)
        chosen = st.radio(
            "Your answer",
            list(task.options),
            format_func=lambda option: task.options[option],
            index=None,
            key=f"predict-{key}",
            label_visibility="collapsed",
            disabled=bool(st.session_state.get(revealed)),
            persist_state="session",
        )
        if not st.session_state.get(revealed):
            locked = chosen is None
            icon = ":material/lock:" if locked else ":material/lock_open:"
            if st.button("Reveal", key="reveal", icon=icon, disabled=locked):
                st.session_state[revealed] = True
                st.rerun()
            return
        if chosen == task.right:
            st.success("That is right.", icon=":material/check:")
        else:
            tempting = task.tempting.get(chosen or "", "")
            st.info(f"Not quite: **{task.options[task.right]}**  \n{tempting}", icon=":material/lightbulb:")
        st.markdown(task.explanation)
        if task.working:
            st.markdown("\n".join(f"- {literal(line)}" for line in task.working))
            st.caption("Worked out by the code that runs use.")
