"""The table “What is recorded”: a click plays a run in the Playground."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.recorded_grid import recorded_grid
from core.cards.starters import starter_questions
from core.models.recordings.items import KeptRun, Recording
from core.runs.workbench import Workbench
from core.ui.forms.asked import fill_recorded
from core.ui.forms.recorded import known_runs
from core.ui.shell import address, models, session
from core.ui.shell.assets import drawing
from core.ui.shell.navigation import leave_for
from core.users import APP

PLAYGROUND = "pages/playground.py"
ASK_NOW = "ask-now"
"""In the session: a question that was chosen to be asked as soon as it can be."""
READING = (
    "Each cell is a recorded run: the question of its row through the strategy of its column. Read along a row to see "
    "what changing the strategy alone does; questions in bold went through every strategy. A click plays the run."
)


def draw_recorded(bench: Workbench, recording: Recording, key: str) -> None:
    """Draw it; nothing where the recording does not say what it was asked.

    Args:
        bench: Where the recording is.
        recording: Whose runs they are.
        key: Of the table, on its page.
    """
    runs: Sequence[KeptRun] = known_runs(bench, recording)
    grid = recorded_grid(runs, [one.text for one in starter_questions().values()])
    if not grid.rows:
        return
    st.subheader("What is recorded", anchor=False)
    st.caption(READING)
    result = drawing("recorded")(data=grid.data(), key=f"recorded-{key}", on_chosen_change=_heard)
    row, _, strategy = str(result.chosen or "").partition(":")
    if row.isdecimal() and (run := grid.run(int(row), strategy)):
        play_recorded(bench, recording, run)


def shown_recording(bench: Workbench) -> Recording | None:
    """The recording of which the table is shown where none is named: the one that plays, else the app's."""
    play = session.chat(bench).play
    if play is not None:
        return play.recording
    return next((one for one in models.known().values() if one.owner == APP.owner and one.replies), None)


def play_recorded(bench: Workbench, recording: Recording, run: KeptRun | None = None) -> None:
    """Have a recording answer, and go where one asks; a run of it is asked at once. The run that is open there is put
    away."""
    models.refresh(bench, session.owners(bench))
    models.choose(bench, models.RECORDING + recording.id)
    if run is not None:
        fill_recorded(bench, run)
        st.session_state[ASK_NOW] = run.question
    address.show(address.RUN, None)
    leave_for(PLAYGROUND)


def _heard() -> None:
    """A click is read from the result; it only has to cause a redraw."""
