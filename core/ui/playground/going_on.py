"""Going on with a run that waits or was cut off: its model, the ways on where a recording lacks a reply, step mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import streamlit as st

from core.cards.replay import Expected, expected, next_layer
from core.cards.status import status_line, stopped_before
from core.errors import InputError
from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel, ConfiguredModel, Missing, RecordedModel
from core.models.recordings.items import Recording
from core.runs.record import Record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.settings import get_settings
from core.skills import SKILLS
from core.strategies import node_titles, strategies
from core.strategies.base import Diagram
from core.trace.events import EACH_STEP, RunResumed, RunStarted
from core.ui.forms.covered import CONNECT, TINY, TINY_HELP
from core.ui.forms.prefill import ask_recorded
from core.ui.forms.recorded import Answering, answering, cover_of
from core.ui.playground.form import resume
from core.ui.shell import models, session
from core.ui.shell.another_model import open_models
from core.ui.shell.safe import literal
from core.wording import listed

ELSE = {
    "fail": "",
    "ask": "you are asked",
    "builtin": "the built-in model answers",
    "endpoint": "the endpoint answers",
}
"""Missing replies of a recording -> what happens; empty: the run ends."""
WAY_HELP = "Goes on after the last finished step. Recorded replies are still replayed; all others are marked."
STEP_SECONDS = 0.3
"""How long a page waits for the end of a step, so that one without a model is seen at once."""
GUESS_LETTERS = 300
SHORTCUT = "Alt+Enter"
"""Goes on from anywhere on the page, also while something is typed."""
PLACEHOLDER = "What comes next? Your guess, if you like; no model sees it"
_CHOSEN = "model-beside-run"

# The model that goes on: the run's own, unless the reader chose another one


def note_choice(run: str) -> bool:
    """Return True if the choice of a model has changed since this run is on the page."""
    now = models.by_hand(), models.endpoint()
    kept = st.session_state.get(_CHOSEN)
    if kept is None or kept[0] != run:
        st.session_state[_CHOSEN] = kept = run, now
    return bool(kept[1] != now)


def who_goes_on(bench: Workbench, record: Record) -> Answering:
    """Return the model that goes on, with a line about it.

    Raises:
        StoreError: The recordings cannot be read.
    """
    started, who = record.started, record.who
    if started is None or who is None:
        return Answering(session.chat(bench), "")
    page = answering(bench, started.strategy, started.corpus, started.graph).chat
    if note_choice(started.run):
        return Answering(page, _goes_on(bench, page, ", as you chose"))
    if own := _own(bench, who, page):
        return Answering(own, _goes_on(bench, own))
    gone = f"recording “{who.recording}”" if who.recording else who.chat_model
    lost = f"{literal(gone)} is no longer available. " if gone else ""
    return Answering(page, lost + _goes_on(bench, page))


def _own(bench: Workbench, who: RunStarted | RunResumed, page: ChatModel) -> ChatModel | None:
    """Return the model of the run; None: it is gone, or was typed in by somebody else."""
    settings = bench.settings
    if who.recording:
        recording = bench.recordings.store.named(who.recording, session.owners(bench))
        if recording is None:
            return None
        missing = who.missing or "fail"
        if missing == "ask":  # what was chosen since then holds
            missing = models.missing(bench)
        if page.play and (page.play.recording.id, page.play.missing) == (recording.id, missing):
            return page
        chat = RecordedModel(recording, missing, models.pace(), model=models.reached())
        return replace(chat, keeps=models.may_keep(bench, chat, (session.owner(),)))
    if who.builtin:
        return BUILTIN
    models_here = (page, models.reached(), CONFIGURED, *map(ConfiguredModel, settings.chat_models))
    asking = (chat for chat in models_here if not chat.play and not chat.is_builtin(settings))
    return next((chat for chat in asking if chat.name(settings) in ("", who.chat_model)), None)


def _goes_on(bench: Workbench, chat: ChatModel, why: str = "") -> str:
    """Return the sentence that a model goes on, as Markdown."""
    if chat.play is None:
        return f"**{literal(chat.status(bench.backends.models).name)}** goes on{why}."
    lacks = f"; where it has no reply, {then}" if (then := ELSE[chat.play.missing]) else ""
    return f"The recording **“{literal(chat.play.recording.name)}”** goes on{why}{lacks}."


# Where a recording had no reply, the run waits at that step, and somebody says who does it


def ways_on(bench: Workbench, shown: Record) -> bool:
    """Draw where a run waits, or ended, since a recording lacks a reply, and the ways on; returns False without any."""
    if shown.started is None or not shown.lacking:
        return False
    try:
        recording = bench.recordings.find(shown.recording, session.owners(bench))
    except InputError:
        return False  # deleted, or somebody else's: any model may go on without it
    titles = node_titles(shown.started)
    nodes = dict.fromkeys(step.node for step in shown.steps if step.missing and step.state != "finished")
    named = listed([f"“{literal(titles.get(node, node))}”" for node in nodes])
    waits = "waits" if shown.state == "paused" else "ended"
    played = RunRequest.of(shown.started, owner=session.owner(), chat=RecordedModel(recording, "ask"))
    cover = cover_of(bench, played)
    nearest = cover and (cover.run or cover.nearest)
    reasons = " ".join(dict.fromkeys(call.reason for call in shown.lacking))
    with st.container(border=True, key="not-covered-run", gap="small"):
        st.markdown(
            f":material/new_label: **The run {waits} at {named}.** {literal(reasons, 600)} "
            "Everything before it is kept."
        )
        if cover and cover.strategies and not nearest:
            others = listed([one.title for key, one in strategies().items() if key in cover.strategies])
            st.caption(f"Recorded for this question: {literal(others)}.")
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            for missing, label, chat in _ways(bench, shown, recording):
                icon = "science" if missing == "builtin" else "play_arrow"
                hint = TINY_HELP if missing == "builtin" else WAY_HELP
                if st.button(label, key=f"go-on-{missing}", icon=f":material/{icon}:", help=hint):
                    models.choose_missing(bench, missing)
                    resume(bench, shown.started.run, chat)
                    st.rerun()
            st.button(CONNECT, key="go-on-connect", icon=":material/swap_horiz:", on_click=open_models)
            if nearest:
                st.button(
                    "Ask as it was recorded",
                    key="go-on-recorded",
                    icon=":material/album:",
                    on_click=ask_recorded,
                    args=(bench, nearest),
                    help="The same question through the same strategy, with the settings that were recorded.",
                )
    return True


def _ways(bench: Workbench, shown: Record, recording: Recording) -> list[tuple[Missing, str, ChatModel]]:
    """Return the models that may give the missing replies: the name of the choice, its button, and the model."""
    own = session.chat(bench)
    play = RecordedModel(recording, pace=own.play.pace if own.play else "fast", model=models.reached())
    ways: list[tuple[Missing, str, ChatModel]] = []
    if all(call.skill in SKILLS and SKILLS[call.skill].builtin for call in shown.lacking):
        ways.append(("builtin", TINY, replace(play, missing="builtin")))
    if models.reaches(bench):
        keeps = recording.owner == session.owner() and recording.model == play.model.name(bench.settings)
        label = "Go on with the endpoint" + (", and keep its replies" if keeps else "")
        ways.append(("endpoint", label, replace(play, missing="endpoint", keeps=keeps)))
    return ways


# Step mode: a run stops before its steps, and a guess of each stands beside what came


def draw_stop(bench: Workbench, record: Record, *, mine: bool) -> None:
    """Draw, above a run that nobody works on, the next steps and the ways on; of one that has ended, the guesses.

    `mine` is True if this browser asked the run, so that it may go on with it.
    """
    started = record.started
    if started is None or not (
        record.state == "paused"
        or any(str(key).startswith(f"guess-{started.run}-") for key in st.session_state)
    ):
        return
    layer, titles = next_layer(record), node_titles(started)
    guesses = expected(record, titles, lambda layer: _guess(started.run, layer))
    if record.state != "paused":
        if guesses:
            with st.container(border=True, key="expected", gap="small"):
                st.markdown("### Your guesses and what happened")
                _draw_expected(guesses)
        return
    if record.lacking:  # whoever does it is asked for above
        return
    with st.container(border=True, key="step-mode", gap="small"):
        st.markdown(f"### :material/pause: {literal(stopped_before(record, titles))}")
        _does(started, record.next)
        if mine:
            _draw_ways(bench, record, started, layer)
        else:
            st.caption("Only the browser that asked this run can let it go on.")
        _draw_expected(guesses[-1:])


def draw_going(record: Record) -> None:
    """Draw the same place while a run goes on to its next stop."""
    started = record.started
    if started is None or not record.stop_before or record.state != "running":
        return
    titles = node_titles(started)
    with st.container(border=True, key="step-mode", gap="small"):
        doing = status_line(record, titles, get_settings().model_attempts)
        st.markdown(f"### :material/progress_activity: {literal(doing)}")
        under_way = [step for step in record.steps if step.state == "running"]
        _does(started, [step.node for step in under_way])
        if under_way and (guess := _guess(started.run, under_way[-1].layer)):
            st.markdown(f":gray[You expect]  \n{literal(guess, GUESS_LETTERS)}")


def _draw_ways(bench: Workbench, record: Record, started: RunStarted, layer: int) -> None:
    """Draw the field for a guess, and the buttons; Enter in the field is the first of them."""
    diagram, stop = _diagram(started), started.stop_before
    ways = {EACH_STEP: ("Next step", "skip_next")}
    if stop in diagram.steps and any(_comes(diagram, node, stop) for node in record.next):
        ways[stop] = (f"On to “{diagram.steps[stop]}”", "keyboard_tab")
    ways[""] = ("Run to the end", "fast_forward")
    who = who_goes_on(bench, record)
    # Of each stop a form of its own: a second click that comes late belongs to a stop that is over.
    with (
        st.form(f"stop-{started.run}-{layer}", border=False, enter_to_submit=True),
        st.container(horizontal=True, gap="small", vertical_alignment="center"),
    ):
        st.text_input(
            "What comes next?",
            key=f"guess-{started.run}-{layer}",
            max_chars=GUESS_LETTERS,
            placeholder=PLACEHOLDER,
            label_visibility="collapsed",
            persist_state="session",
        )
        for place, (stop, (label, icon)) in enumerate(ways.items()):
            if st.form_submit_button(
                label,
                key=f"on-{stop or 'end'}-{layer}",
                icon=f":material/{icon}:",
                type="secondary" if place else "primary",
                shortcut=None if place else SHORTCUT,
            ):
                if job := resume(bench, started.run, who.chat, stop):
                    job.wait(STEP_SECONDS)
                st.rerun()
    st.caption(who.line)


def _comes(diagram: Diagram, node: str, stop: str) -> bool:
    """Return True if a step may come after another, with others in between: else the next step is the way to it."""
    following = {edge.target for edge in diagram.edges if edge.source == node}
    return diagram.leads_to(node, stop) and following != {stop}


def _does(started: RunStarted, nodes: Iterable[str]) -> None:
    """Draw the work of these steps, in a sentence each."""
    does = _diagram(started).does
    st.markdown(" ".join(dict.fromkeys(literal(does[node]) for node in nodes if node in does)))


def _diagram(started: RunStarted) -> Diagram:
    strategy = strategies().get(started.strategy)
    return strategy.diagram(started.params) if strategy else Diagram({}, ())


def _draw_expected(guesses: Sequence[Expected]) -> None:
    for step in guesses:
        with st.grid(2, min_column_width=300, gap="small"):
            st.markdown(
                f":gray[Before “{literal(step.title)}” you expected]  \n{literal(step.guess, GUESS_LETTERS)}"
            )
            st.markdown(f":gray[What happened]  \n{literal(step.outcome)}")


def _guess(run: str, layer: int) -> str:
    return str(st.session_state.get(f"guess-{run}-{layer}") or "")
