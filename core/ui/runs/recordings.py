"""The recordings on the page Runs: their list, one of them, its export and import."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.cards.texts import named
from core.models.recordings.files import import_recording, to_lines
from core.models.recordings.items import KeptRun, Recording
from core.models.recordings.store import MAX_LICENCE
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.forms.prefill import changed_params, draw_recorded, fill_recorded, play_recorded, shown_recording
from core.ui.forms.recorded import known_runs
from core.ui.forms.setting import unusual
from core.ui.run.files import import_form
from core.ui.shell import address, session
from core.ui.shell.changing import change, done
from core.ui.shell.listing import PINNED, listing, pin_mark, pins
from core.ui.shell.local_time import DAY, moment
from core.ui.shell.safe import literal
from core.ui.shell.scrolling import scroll_place
from core.ui.shell.sidebar import room
from core.ui.shell.widgets import download
from core.wording import counted

DELETED = (
    "Its replies are deleted for good. Runs played from it stay. An exported file can be imported again."
)
HOLDS = (
    "The file holds the questions that were asked, and replies that quote passages of the documents. Share it only "
    "with people who may see both. It holds no key."
)
SHOWN = "runs-shown"
"""Key of the part of the page that is shown."""
RECORDINGS = "Recordings"
"""Its value for the recordings."""


# The list


def list_recordings(bench: Workbench) -> None:
    """Draw the list of recordings, and a form that imports one from a file."""
    st.caption(
        "A recording keeps the replies of a model: anyone who has it can ask the same questions again without the "
        "model, at no cost. To make your own, connect a model and switch on “Keep replies” in the sidebar."
    )
    recordings = bench.recordings.store.listed(session.owners(bench))
    if recordings:
        _table(recordings)
    else:
        st.info("No recording is kept yet. Switch “Keep replies” on in the sidebar, or import a file below.")
    if shown := shown_recording(bench):
        draw_recorded(bench, shown, "list")
    _bring_in(bench)


def _table(recordings: Sequence[Recording]) -> None:
    place = listing(
        "recordings",
        {
            "Name": [recording.name for recording in recordings],
            "Model": [recording.model for recording in recordings],
            "Replies": [recording.replies for recording in recordings],
            "MB": [recording.bytes / 2**20 for recording in recordings],
            "Begun": [recording.created for recording in recordings],
            "Licence": [recording.licence for recording in recordings],
            PINNED: pins(recordings),
        },
        alt="Recordings",
        hint="Click a recording to play it, see its questions, name it or export it.",
        config={
            "Name": 300,
            "Model": 190,
            "Replies": 85,
            "MB": st.column_config.NumberColumn(format="%.2f", width=70),
        },
    )
    if place is not None:
        st.query_params[address.RECORDING] = recordings[place].id
        st.rerun()


def _bring_in(bench: Workbench) -> None:
    limit, store = bench.settings.max_recording_bytes, bench.recordings.store

    def bring_in(name: str, data: bytes) -> None:
        recording = import_recording(name, data, store, session.owner(), limit)
        st.query_params[address.RECORDING] = recording.id
        st.rerun()

    import_form(bench, "a recording", "import-recording", bench.settings.max_recording_mb, bring_in)


# One recording


def open_recording(bench: Workbench, key: str) -> None:
    """Draw the recording with this id, if this session may play it."""
    scroll_place("recordings")
    if st.button("All recordings", key="all-recordings", icon=":material/arrow_back:", type="tertiary"):
        _leave()
        st.rerun()
    recording = next(
        (entry for entry in bench.recordings.store.listed(session.owners(bench)) if entry.id == key), None
    )
    if recording is None:
        st.warning(
            "There is no recording with the id in this address, or it is not yours. It may have been deleted."
        )
        return
    st.header(f"{pin_mark(pinned=recording.pinned)}{literal(recording.name, 120)}", anchor=False)
    replies = counted(recording.replies, "reply", "replies")
    st.markdown(
        f":material/album: Recorded from **{literal(recording.model)}**: {replies}, "
        f"{room(bench, recording)}, begun on {moment(recording.created, DAY)}."
    )
    if not recording.measured:
        st.caption("The pace of its replies is made up: it does not measure the model.")
    if recording.licence:
        st.caption(f":material/license: {literal(recording.licence)}")
    _actions(bench, recording)
    draw_recorded(bench, recording, "one")
    _known(bench, recording)


def _leave() -> None:
    """Back to the list."""
    st.query_params.pop(address.RECORDING, None)
    st.session_state[SHOWN] = RECORDINGS


def _actions(bench: Workbench, recording: Recording) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="recording-actions"):
        if recording.replies and st.button(
            "Play it now",
            key="recording-play",
            type="primary",
            icon=":material/play_arrow:",
            help="From now on its replies stand in for the model, on every page of this session.",
        ):
            play_recorded(bench, recording)
        if recording.replies:
            with st.popover("Export", icon=":material/download:", key="recording-export-what"):
                st.markdown(HOLDS)
                download(
                    "Export as JSON Lines",
                    lambda: "".join(to_lines(bench.recordings.store, recording)),
                    f"recording-{recording.id}.jsonl",
                    "recording-export",
                    "To keep, to share, or to import on this page elsewhere.",
                )
        if session.user(bench).teacher or recording.owner in session.owners(bench):
            _licence(bench, recording)
        if change(bench, bench.recordings.store, recording, "recording", "recording", DELETED):
            _leave()
            st.rerun()


def _licence(bench: Workbench, recording: Recording) -> None:
    with (
        st.popover("Licence note", icon=":material/license:", key="recording-licence"),
        st.form("recording-licence-form", border=False),
    ):
        typed = st.text_area(
            "Licence of the replies, and who wrote them",
            recording.licence,
            max_chars=MAX_LICENCE,
            key=f"recording-licence-{recording.id}",
        )
        save = bench.recordings.store.license
        if st.form_submit_button("Save", key="recording-licence-save") and done(
            lambda: save(recording.id, typed)
        ):
            st.rerun()


# Its runs


def _known(bench: Workbench, recording: Recording) -> None:
    known = strategies()
    titles = {key: strategy.title for key, strategy in known.items()}
    order = list(titles)
    runs = sorted(
        known_runs(bench, recording),
        key=lambda run: (order.index(run.strategy) if run.strategy in titles else len(order), run.question),
    )
    if not runs:
        st.info("It does not list its questions. Play it, and ask one.")
        return
    st.subheader("Every recorded run, with its settings", anchor=False)
    place = listing(
        "recording-knows",
        {
            "Strategy": [titles.get(run.strategy, run.strategy) for run in runs],
            "Question": [run.question for run in runs],
            "Searched": [named(run.corpus or run.graph or "nothing") for run in runs],
            "Settings": [_settings(run) for run in runs],
        },
        alt="Questions that the recording knows",
        hint="Click a question to ask it in the Playground with its strategy, documents and settings, played from this "
        "recording.",
        tall=True,
        config={
            "Strategy": 190,
            "Question": 430,
            "Searched": st.column_config.Column(width=170, help="Documents, or a knowledge graph."),
        },
    )
    if place is not None:
        fill_recorded(bench, runs[place])
        play_recorded(bench, recording)


def _settings(run: KeptRun) -> str:
    """Return the settings of a run that differ from the usual ones, in words."""
    strategy = strategies().get(run.strategy)
    retriever = run.retriever or "dense"
    words = unusual(strategy, retriever, changed_params(strategy, run.params)) if strategy else []
    filtered = [f"filter {' and '.join(run.where)}"] if run.where else []
    edited = ["other prompts"] if run.edited else []
    return ", ".join([*words, *filtered, *edited]) or "as usual"
