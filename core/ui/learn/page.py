"""The page Learn: a path of lessons, and each lesson with its explorable, tour and exercise."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd
import streamlit as st

from core.classroom.sources import of_lesson
from core.explorables import stored
from core.report.tour import strategy_tour, tour_runs
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.strategies.families import Taught, chapters, path
from core.strategies.lessons import EVALUATION, INDEXING, Standalone, lesson, sections, stem, tour
from core.strategies.tutorial import indexing
from core.trace.events import RunStarted
from core.ui.cards.parts import draw_drawing
from core.ui.learn.worked_example import draw_worked_example
from core.ui.run.diagram import draw_diagram
from core.ui.shell import classes, session
from core.ui.shell.hand_out import offer_hand_out
from core.ui.shell.navigation import leave_for
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place, scroll_to
from core.ui.shell.sidebar import framed
from core.ui.shell.widgets import close_dialog, dialog_open, errors_shown

LESSON = "lesson"
"""Name of the query parameter that holds the key of the lesson."""
TOP = "lesson"
"""The place that a lesson opens at."""
COLUMNS, CARD_PIXELS = 3, 176
"""Cards beside one another, and how narrow they may get before fewer are."""
TOUR_PIXELS = 760
"""Pixels, until the page's own style has it follow the window."""
TEACHING = Path(__file__).parents[3] / "docs" / "teaching.md"


@errors_shown()
def page() -> None:
    """Draw the overview, or the lesson in the address."""
    bench = framed()
    lessons = path(strategies().values())
    shown = st.query_params.get(LESSON, "")
    scroll_place(TOP)
    for number, one in enumerate(lessons):
        if one.key == shown:
            _lesson(bench, lessons, number)
            return
    _overview(bench, lessons)


def _overview(bench: Workbench, lessons: Sequence[Taught]) -> None:
    st.header("Learn", anchor=False)
    st.markdown(
        "Each lesson is one idea, with a case, something to try, a tour of a recorded run and a question to test "
        "yourself. Read them in order, or open the one you need."
    )
    finished = session.finished_lessons()
    following = _following(lessons, finished)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="learn-actions"):
        if following is not None:
            st.button(
                f"{'Go on' if finished else 'Begin'}: {literal(_numbered(lessons, following))}",
                key="go-on",
                type="primary",
                icon=":material/play_arrow:",
                on_click=_open,
                args=(lessons[following].key,),
            )
        teaching = st.button("Teaching with RAG Loupe", key="teaching", icon=":material/co_present:")
        offer_hand_out(bench, lessons=[one.key for one in lessons])
    if dialog_open("teaching", teaching):
        _teaching()
    done = sum(one.key in finished for one in lessons)
    if done:
        st.caption(f":material/check_circle: {done} of {len(lessons)} lessons done in this browser.")
    with st.expander("Signs used in lessons", icon=":material/menu_book:", key="reading"):
        st.markdown(sections.READING)
    numbers = {one.key: number for number, one in enumerate(lessons)}
    for chapter, members in chapters(strategies().values()).items():
        st.markdown(f"### {literal(chapter.title)}: {literal(chapter.idea)}")
        with st.grid(COLUMNS, min_column_width=CARD_PIXELS):
            for one in members:
                _card(one, _numbered(lessons, numbers[one.key]), done=one.key in finished)


def _following(lessons: Sequence[Taught], finished: Sequence[str]) -> int | None:
    """Return the next unfinished lesson after the one finished last, else the first unfinished; None: all are done."""
    places = {one.key: place for place, one in enumerate(lessons)}
    last = next((places[key] for key in reversed(finished) if key in places), -1)
    left = [place for key, place in places.items() if key not in finished]
    return next((place for place in left if place > last), left[0] if left else None)


def _numbered(lessons: Sequence[Taught], number: int) -> str:
    """Return number and title of a lesson, as raw text."""
    return f"{number} · {lessons[number].title}"


def _card(one: Taught, title: str, *, done: bool) -> None:
    """Draw the idea of a lesson, below a button that opens it."""
    with st.container(border=True, height="stretch", gap="xxsmall", key=f"lesson-{one.key}"):
        name = f"**{literal(title)}**"
        st.button(name, key=f"open-{one.key}", type="tertiary", on_click=_open, args=(one.key,))
        st.markdown(literal(one.idea))
        mark = " · :green[:material/check_circle: done]" if done else ""
        st.caption(f"{sections.minutes(one.key)} min{mark}")


def _open(key: str | None) -> None:
    """Have a lesson drawn from its beginning; None: the overview."""
    if key:
        st.query_params[LESSON] = key
    else:
        del st.query_params[LESSON]
    scroll_to(TOP)


@st.dialog("Teaching with RAG Loupe", width="large", on_dismiss=close_dialog)
def _teaching() -> None:
    """Draw the chapter of the documentation for teachers."""
    _, _, text = TEACHING.read_text(encoding="utf-8").partition("\n")
    st.markdown(text)


def _lesson(bench: Workbench, lessons: Sequence[Taught], number: int) -> None:
    """Draw a lesson between the ways to the one before and the one after it."""
    one = lessons[number]
    with st.container(horizontal=True, horizontal_alignment="distribute", key="lesson-ways"):
        st.button(
            "All lessons",
            key="all-lessons",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=_open,
            args=(None,),
        )
        _neighbours(lessons, number, "top")
    st.header(literal(one.title), anchor=False)
    done = one.key in session.finished_lessons()
    mark = " · :green[:material/check_circle: done]" if done else ""
    st.caption(f"Lesson {number} · {sections.minutes(one.key)} min{mark}")
    if isinstance(one, Standalone):
        _standalone(bench, one)
    else:
        _strategy(bench, one)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="lesson-end"):
        st.button(
            "Mark as not done" if done else "Mark as done",
            key="done",
            icon=":material/undo:" if done else ":material/check_circle:",
            on_click=session.note_lesson,
            args=(one.key, not done),
        )
        _neighbours(lessons, number, "end")


def _neighbours(lessons: Sequence[Taught], number: int, where: str) -> None:
    """Draw buttons to the lessons before and after this one, where there are any."""
    with st.container(horizontal=True, width="content", gap="medium"):
        for way, place, icon in (
            ("before", number - 1, ":material/chevron_left:"),
            ("after", number + 1, ":material/chevron_right:"),
        ):
            if 0 <= place < len(lessons):
                st.button(
                    literal(_numbered(lessons, place)),
                    key=f"{way}-{where}",
                    icon=icon,
                    icon_position="left" if way == "before" else "right",
                    type="tertiary",
                    on_click=_open,
                    args=(lessons[place].key,),
                )


def _costs() -> None:
    """Draw rounds and calls of each strategy with its default parameters and a real model, in a fold."""
    costs = [(one.title, one.forecast()) for one in strategies().values()]
    rows = [
        (title, cost.rounds, cost.rounds_most, cost.calls_expected, cost.calls_most) for title, cost in costs
    ]
    columns = ["Strategy", "Rounds, as a rule", "Rounds, at most", "Calls, as a rule", "Calls, at most"]
    with st.expander("Costs of each strategy", icon=":material/payments:", key="costs-fold"):
        st.caption("With a capable model and the default parameters, counted from each strategy's graph.")
        table = pd.DataFrame(rows, columns=columns)
        st.dataframe(
            table, hide_index=True, key="costs", height="content", alt="Rounds and calls per strategy"
        )


def _standalone(bench: Workbench, lesson: Standalone) -> None:
    """Draw a lesson that belongs to no strategy."""
    written = _begun(bench, lesson.key, lesson.idea)
    st.markdown(written.under_headings(sections.EXPLAINED))
    _reference(written)
    if lesson.key == EVALUATION:
        _costs()
    st.markdown(written.under_headings((sections.WHEN_NOT,)))
    _exercise(lesson.key)
    st.markdown(written.under_headings((sections.TRY,)))
    title = lesson.page.replace("_", " ").capitalize()
    if st.button(f"Go to {title}", key="go", type="primary", icon=":material/arrow_forward:"):
        leave_for(f"pages/{lesson.page}.py")
    if lesson.key == INDEXING:
        _index_script()


def _begun(bench: Workbench, key: str, idea: str) -> sections.LessonText:
    """Draw the beginning of a lesson: its idea in a sentence, the case, and the explorable; returns its text."""
    written = sections.lesson_text(key)
    st.markdown(f"**{literal(idea)}**")
    st.markdown(written.case)
    _explorable(bench, key)
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


def _strategy(bench: Workbench, strategy: AnyStrategy) -> None:
    """Draw the lesson of a strategy."""
    written = _begun(bench, strategy.key, strategy.idea)
    _tour(strategy)
    side, main = st.columns([1, 2.4], gap="large")
    with side, st.container(key="lesson-diagram"):
        draw_diagram(strategy, "lesson")
    with main:
        st.markdown(written.under_headings(sections.EXPLAINED))
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


def _explorable(bench: Workbench, key: str) -> None:
    """Draw the explorable of a lesson, which begins with the guess; nothing where it has none.

    It keeps its state in the address's fragment: a page that shows it writes no query parameters after loading.
    """
    explorable = stored(stem(key))
    if explorable is not None:
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown("### Guess, then try it", width="content")
            if asked := of_lesson(key):
                classes.offer_class(bench, list(asked.values()), type="tertiary")
        with st.container(border=True, key=f"explorable-{key}"):
            draw_drawing(explorable, key)


def _tour(strategy: AnyStrategy) -> None:
    """Draw a fold that holds the tour once it is opened; nothing for a strategy without one."""
    stops = tour(strategy.key)
    if stops is None:
        return
    # Streamlit forgets that it was opened once the page is left: a tour takes the keys when it appears.
    fold = st.expander(
        f"Take the tour: a recorded run in {len(stops.stops)} sentences",
        icon=":material/tour:",
        key=f"tour-{strategy.key}",
        on_change="rerun",
    )
    if fold.open:
        if _tour_question(strategy.key) not in sections.lesson_text(strategy.key).case:
            fold.caption("This tour asks another question than the picture above.")
        fold.iframe(
            _address(strategy.key, st.context.theme.type or ""),
            height=TOUR_PIXELS,
            alt=f"Tour of a run of {strategy.title}",
        )


@lru_cache(maxsize=32)
def _tour_question(key: str) -> str:
    """Return the question of the run that a strategy's tour tells."""
    stops = tour(key)
    started = tour_runs(key, stops)[0][0] if stops else None
    return started.question if isinstance(started, RunStarted) else ""


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
                if chosen == task.right:
                    session.note_lesson(key, done=True)
                st.rerun()
            return
        if chosen == task.right:
            st.success("That's right.", icon=":material/check:")
        else:
            tempting = task.tempting.get(chosen or "", "")
            st.info(
                f"Not quite. The answer is: **{task.options[task.right]}**  \n{tempting}",
                icon=":material/lightbulb:",
            )
        st.markdown(task.explanation)
        if task.working:
            st.markdown("\n".join(f"- {literal(line)}" for line in task.working))
            st.caption("Computed with the same code as real runs.")
        st.button("Try again", key="try-again", icon=":material/replay:", on_click=_ask_again, args=(key,))


def _ask_again(key: str) -> None:
    """Have an exercise asked anew, with nothing chosen."""
    st.session_state[f"revealed-{key}"] = False
    st.session_state[f"predict-{key}"] = None
