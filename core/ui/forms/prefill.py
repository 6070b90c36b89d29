"""Filling the forms with the question and the settings of a run, and the table of recorded runs that leads there.

All of it happens before the widgets are drawn; what is gone, or cannot be chosen today, stays as it was."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from core.cards.starters import recorded_grid, starter_questions
from core.corpora.demo import DEMO_CORPUS
from core.errors import InputError
from core.models.recordings.items import KeptRun, Recording
from core.retrieval.kinds import RETRIEVERS
from core.runs.gallery import DEMO_GRAPH
from core.runs.workbench import Workbench
from core.skills import SKILLS, is_known
from core.skills.base import ModelKind
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.trace.events import RunStarted
from core.ui.forms.filter_choice import fill_filter
from core.ui.forms.params import fill_method, param_key
from core.ui.forms.recorded import corpus_mark, known_runs
from core.ui.forms.retriever_choice import fill_retriever
from core.ui.forms.setting import SettingDraft
from core.ui.shell import address, models, session
from core.ui.shell.assets import drawing, redraw
from core.ui.shell.navigation import leave_for
from core.users import APP


def fill_question(bench: Workbench, run: RunStarted | KeptRun, corpus: str | None) -> None:
    """Fill in the question of a run, its filter, its graph, and the documents: the corpus of this name."""
    st.session_state["question"] = run.question
    if corpus in bench.corpora.offered():
        st.session_state["corpus"] = corpus
        fill_filter(run.where)
    if run.graph and run.graph in bench.graphs.names():
        st.session_state["graph"] = run.graph


def fill_recorded(bench: Workbench, run: KeptRun) -> None:
    """Fill the Playground's form with a recorded run: question, strategy and all settings, but for edited prompts."""
    corpus = corpus_of(bench, run)
    st.session_state[STOP] = ""  # a recorded run is played through
    fill_question(bench, run, corpus)
    fill_retriever(bench, run.strategy, corpus, run.retriever)
    strategy = strategies().get(run.strategy)
    if strategy is None:
        return
    st.session_state["strategy"] = strategy.key
    fill_settings(strategy, run.params, run.methods, ModelKind(reranker=bench.settings.has_reranker))


def ask_recorded(bench: Workbench, run: KeptRun) -> None:
    """Leave the run on the page, and have a recorded one asked as soon as it can be; also a callback."""
    fill_recorded(bench, run)
    st.session_state[ASK_NOW] = run.question
    address.show(address.RUN, None)


def fill_settings(
    strategy: AnyStrategy, params: dict[str, Any], methods: Mapping[str, str], kind: ModelKind
) -> None:
    """Fill the Playground's form with parameters and methods of a strategy; all others get their default."""
    changed = changed_params(strategy, params)
    for name in strategy.params.model_fields:
        st.session_state.pop(param_key(strategy, name), None)  # the form's own default
        if name in changed:
            st.session_state[param_key(strategy, name)] = changed[name]
    for skill in strategy.skills:
        fill_method(skill, methods.get(skill) or SKILLS[skill].default_method(kind), kind)


def corpus_of(bench: Workbench, run: KeptRun) -> str:
    """Return the name of a corpus that holds the documents of a recorded run; empty: there is none."""
    if not run.mark:
        return ""
    offered = bench.corpora.offered()
    names = sorted(offered, key=lambda name: name != run.corpus)
    return next((name for name in names if corpus_mark(bench, name) == run.mark), "")


def ask_demo(bench: Workbench, strategy: AnyStrategy, question: str, retriever: str) -> None:
    """Fill the Playground's form with a question of the demo documents and default settings, to be asked at once.

    `retriever` is the key of one; empty: that of the form.
    """
    st.session_state["question"] = st.session_state[ASK_NOW] = question
    st.session_state["strategy"] = strategy.key
    st.session_state["corpus"], st.session_state["graph"] = DEMO_CORPUS, DEMO_GRAPH
    fill_filter(())
    fill_settings(strategy, {}, {}, session.kind(bench))
    fill_retriever(bench, strategy.key, DEMO_CORPUS, retriever)


def choice_of(bench: Workbench, started: RunStarted) -> SettingDraft | None:
    """Return a run's strategy and settings, as far as they can be chosen today; None: this version does not know it.

    Methods are taken over only where the same kind of model answers today.
    """
    strategy = strategies().get(started.strategy)
    if strategy is None:
        return None
    alike = started.builtin == session.kind(bench).builtin
    return SettingDraft(
        strategy.key,
        started.retriever if started.retriever and started.retriever in RETRIEVERS else "",
        changed_params(strategy, started.params),
        {key: method for key, method in started.methods.items() if alike and is_known(key, method)},
    )


def changed_params(strategy: AnyStrategy, values: dict[str, Any]) -> dict[str, Any]:
    """Return the values that are not at today's default; those that are none any more are left out."""
    changed: dict[str, Any] = {}
    for name, value in values.items():
        with suppress(InputError):
            parsed = getattr(strategy.parse({name: value}), name)
            if parsed != strategy.params.model_fields[name].default:
                changed[name] = parsed
    return changed


STOP = "stop-before"
"""In the session: the step of the Playground's run to stop before; the same for all strategies, so that step mode stays
on with the next one."""
ASK_NOW = "ask-now"
"""In the session: a question that was chosen to be asked as soon as it can be."""
READING = (
    "Each cell is a recorded run: the question of its row through the strategy of its column. Read along a row to see "
    "what changing the strategy alone does; questions in bold went through every strategy. A click plays the run."
)


def draw_recorded(bench: Workbench, recording: Recording, key: str) -> None:
    """Draw the table “What is recorded”, a click on which plays a run in the Playground; nothing where no run is noted.

    `key` tells the table of a page from others.
    """
    starters = [question.text for question in starter_questions().values()]
    grid = recorded_grid(known_runs(bench, recording), starters)
    if not grid.rows:
        return
    st.subheader("What is recorded", anchor=False)
    st.caption(READING)
    result = drawing("recorded")(data=grid.data(), key=f"recorded-{key}", on_chosen_change=redraw)
    row, _, strategy = str(result.chosen or "").partition(":")
    if row.isdecimal() and (run := grid.run(int(row), strategy)):
        play_recorded(bench, recording, run)


def shown_recording(bench: Workbench) -> Recording | None:
    """Return the recording whose table is drawn where none is named: the one that plays, else the app's."""
    play = session.chat(bench).play
    if play is not None:
        return play.recording
    return next((one for one in models.known().values() if one.owner == APP.owner and one.replies), None)


def play_recorded(bench: Workbench, recording: Recording, run: KeptRun | None = None) -> None:
    """Have a recording answer, and go to the Playground, with no earlier run; a run of it is asked there at once."""
    models.refresh(bench, session.owners(bench))
    models.choose(bench, models.Option("recording", recording.id))
    if run is not None:
        ask_recorded(bench, run)
    show_playground()


def show_playground() -> None:
    """Go to the Playground, to its form and no earlier run."""
    address.show(address.RUN, None)
    leave_for("pages/playground.py")
