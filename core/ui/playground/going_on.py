"""Which model goes on with a run that waits, or was cut off: the run's own, unless the reader chose another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import streamlit as st

from core.cards.models import model_described
from core.cards.narration import Expected, expected, next_layer
from core.cards.status import status_line, stopped_before
from core.errors import InputError
from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel, ConfiguredModel, Missing, RecordedModel
from core.models.recordings.covers import Cover
from core.models.recordings.items import KeptRun, Recording
from core.runs.record import Record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.strategies import node_titles, strategies
from core.strategies.base import Diagram
from core.trace.events import EACH_STEP, RunResumed, RunStarted
from core.ui.forms.asked import ASK_NOW, fill_recorded
from core.ui.forms.covered import CONNECT, TINY, TINY_HELP
from core.ui.forms.recorded import Answering, answering, cover_of
from core.ui.playground.form import resume
from core.ui.shell import address, models, session
from core.ui.shell.another_model import open_models
from core.ui.shell.safe import literal
from core.wording import listed

ELSE = {
    "fail": "",
    "ask": " (else you are asked)",
    "builtin": " (else the built-in model)",
    "endpoint": " (else the endpoint)",
}
"""Who else, where it lacks a reply."""
_CHOSEN = "model-beside-run"


def note_choice(run: str) -> bool:
    """Whether the choice of a model has changed since this run is on the page."""
    now = models.by_hand(), session.endpoint()
    kept = st.session_state.get(_CHOSEN)
    if kept is None or kept[0] != run:
        st.session_state[_CHOSEN] = kept = run, now
    return bool(kept[1] != now)


def who_goes_on(bench: Workbench, record: Record) -> Answering:
    """Which model goes on, and what is to be said of it.

    Raises:
        StoreError: The recordings cannot be read.
    """
    started, who = record.started, record.who
    if started is None or who is None:
        return Answering(session.chat(bench), "")
    page = answering(bench, started.strategy, started.corpus, started.graph).chat
    if note_choice(started.run):
        return Answering(page, f"{_said(bench, page)} goes on, as you chose.")
    if own := _own(bench, who, page):
        return Answering(own, f"{_said(bench, own)} goes on.")
    gone = f"recording “{who.recording}”" if who.recording else who.chat_model
    if not gone:
        return Answering(page, f"{_said(bench, page)} goes on.")
    return Answering(page, f"{literal(gone)} cannot be used here any more: {_said(bench, page)} goes on.")


def _own(bench: Workbench, who: RunStarted | RunResumed, page: ChatModel) -> ChatModel | None:
    """The model of the run; None: it is not here any more, or was typed in by somebody else."""
    endpoint, settings = session.endpoint(), bench.settings
    if who.recording:
        recording = bench.recordings.store.named(who.recording, session.owners(bench))
        if recording is None:
            return None
        missing = who.missing or "fail"
        if missing == "ask":  # what was chosen since then holds
            missing = models.missing(bench, endpoint)
        if page.play and (page.play.recording.id, page.play.missing) == (recording.id, missing):
            return page
        chat = RecordedModel(recording, missing, models.pace(), model=session.reached())
        return replace(chat, keeps=models.may_keep(bench, chat, (session.owner(),)))
    if who.builtin:
        return BUILTIN
    choices = (
        page,
        session.reached(),
        CONFIGURED,
        *(ConfiguredModel(one) for one in settings.chat_models),
    )
    asking = (one for one in choices if not one.play and not one.is_builtin(settings))
    return next((one for one in asking if one.name(settings) in ("", who.chat_model)), None)


def _said(bench: Workbench, chat: ChatModel) -> str:
    """Who answers, as Markdown."""
    if chat.play is None:
        return f"**{literal(chat.status(bench.backends.models).name)}**"
    name = model_described(chat.play.recording.model, recording=chat.play.recording.name)
    return f"**{literal(name)}**{ELSE[chat.play.missing]}"


WAY_HELP = (
    "Goes on after the last step that was finished; what the recording holds is still played, the rest is "
    "marked."
)


def ways_on(bench: Workbench, shown: Record) -> bool:
    """Say where a run waits, or ended, since a recording lacks a reply, and offer who may do it.

    Returns:
        Whether anybody may: the recording may be gone.
    """
    if shown.started is None or not shown.lacking:
        return False
    try:
        recording = bench.recordings.find(shown.recording, session.owners(bench))
    except InputError:
        return False  # deleted, or somebody else's: any model may go on without it
    titles = node_titles(shown.started)
    steps = [step for step in shown.steps if step.missing and step.state != "finished"]
    named = listed(
        [f"“{literal(titles.get(one, one))}”" for one in dict.fromkeys(step.node for step in steps)]
    )
    waits = "waits" if shown.state == "paused" else "ended"
    found = _cover(bench, shown, recording)
    nearest = found and (found.run or found.nearest)
    reasons = " ".join(dict.fromkeys(one.reason for one in shown.lacking))
    with st.container(border=True, key="not-covered-run", gap="small"):
        st.markdown(
            f":material/new_label: **The run {waits} at {named}.** {literal(reasons, 600)} "
            "Everything before it is kept."
        )
        if others := _others(found):
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
                    on_click=_ask_recorded,
                    args=(bench, nearest),
                    help="The same question through the same strategy, with the settings that were recorded.",
                )
    return True


def _ask_recorded(bench: Workbench, run: KeptRun) -> None:
    fill_recorded(bench, run)
    st.session_state[ASK_NOW] = run.question
    address.show(address.RUN, None)


def _cover(bench: Workbench, shown: Record, recording: Recording) -> Cover | None:
    """What the recording holds of the question of a run."""
    if shown.started is None:
        return None
    chat = RecordedModel(recording, "ask")
    return cover_of(bench, RunRequest.of(shown.started, owner=session.owner(), chat=chat))


def _others(found: Cover | None) -> str:
    """Titles of the other strategies through which the question was recorded, where its own was not."""
    if found is None or found.run or found.nearest or not found.strategies:
        return ""
    return listed([one.title for key, one in strategies().items() if key in found.strategies])


def _ways(bench: Workbench, shown: Record, recording: Recording) -> list[tuple[Missing, str, ChatModel]]:
    """Who may do it, what the button says, and what is then chosen."""
    own = session.chat(bench)
    play = RecordedModel(recording, pace=own.play.pace if own.play else "fast", model=session.reached())
    found: list[tuple[Missing, str, ChatModel]] = []
    lacking = {one.skill for one in shown.lacking}
    if all(skill in SKILLS and SKILLS[skill].builtin for skill in lacking):
        found.append(("builtin", TINY, replace(play, missing="builtin")))
    if session.endpoint() is not None or bench.settings.has_own_model:
        keeps = recording.owner == session.owner() and recording.model == play.model.name(bench.settings)
        label = "Go on with the endpoint" + (", and keep its replies" if keeps else "")
        found.append(("endpoint", label, replace(play, missing="endpoint", keeps=keeps)))
    return found


STEP_SECONDS = 0.3
"""How long a page waits for the end of a step, so that one without a model is seen at once."""
GUESS_LETTERS = 300
SHORTCUT = "Alt+Enter"
"""Goes on from anywhere on the page, also while something is typed."""
PLACEHOLDER = "What will come? Your guess, if you like; no model sees it"


def draw_stop(bench: Workbench, record: Record, *, mine: bool) -> None:
    """Above a run that nobody works on: what comes next and the ways on; of one that has ended, what was expected.

    Args:
        bench: That goes on with it.
        record: The run.
        mine: Whether this browser asked it, so that it may go on.
    """
    started, titles = record.started, node_titles(record.started)
    if started is None:
        return
    layer = next_layer(record)
    found = expected(record, titles, lambda one: _guess(started.run, one))
    if record.state != "paused":
        if found:
            with st.container(border=True, key="expected", gap="small"):
                st.markdown("### What you expected, and what came")
                _draw_expected(found)
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
        _draw_expected(found[-1:])


def draw_going(record: Record, attempts: int) -> None:
    """The same place while a run goes on to its next stop."""
    started = record.started
    if started is None or not record.stop_before or record.state != "running":
        return
    titles = node_titles(started)
    with st.container(border=True, key="step-mode", gap="small"):
        st.markdown(f"### :material/progress_activity: {literal(status_line(record, titles, attempts))}")
        under_way = [step for step in record.steps if step.state == "running"]
        _does(started, [step.node for step in under_way])
        if under_way and (guess := _guess(started.run, under_way[-1].layer)):
            st.markdown(f":gray[You expect]  \n{literal(guess, GUESS_LETTERS)}")


def _draw_ways(bench: Workbench, record: Record, started: RunStarted, layer: int) -> None:
    """A guess, and the buttons; Enter in the guess is the first of them."""
    ways = {
        EACH_STEP: ("Next step", "skip_next"),
        **_further(record, started),
        "": ("Run to the end", "fast_forward"),
    }
    who = who_goes_on(bench, record)
    # Of each stop a form of its own: a second click that comes late belongs to a stop that is over.
    with (
        st.form(f"stop-{started.run}-{layer}", border=False, enter_to_submit=True),
        st.container(horizontal=True, gap="small", vertical_alignment="center"),
    ):
        st.text_input(
            "What will come?",
            key=_guess_key(started.run, layer),
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
                    job.let_end(STEP_SECONDS)
                st.rerun()
    st.caption(who.line)


def _further(record: Record, started: RunStarted) -> dict[str, tuple[str, str]]:
    """To the step that was chosen with the question, where that may come (again)."""
    diagram, stop = _diagram(started), started.stop_before
    if stop not in diagram.steps or not any(_comes(diagram, node, stop) for node in record.next):
        return {}
    return {stop: (f"On to “{diagram.steps[stop]}”", "keyboard_tab")}


def _comes(diagram: Diagram, node: str, stop: str) -> bool:
    """True if a step may come after another one, with others in between: else the next step is the way to it."""
    following = {edge.target for edge in diagram.edges if edge.source == node}
    return diagram.leads_to(node, stop) and following != {stop}


def _does(started: RunStarted, nodes: Iterable[str]) -> None:
    """The work of these steps, in a sentence each."""
    told = _diagram(started).does
    st.markdown(" ".join(dict.fromkeys(literal(told[node]) for node in nodes if node in told)))


def _diagram(started: RunStarted) -> Diagram:
    found = strategies().get(started.strategy)
    return found.diagram(started.params) if found else Diagram({}, ())


def _draw_expected(found: Sequence[Expected]) -> None:
    for one in found:
        with st.grid(2, min_column_width=300, gap="small"):
            st.markdown(
                f":gray[Before “{literal(one.title)}” you expected]  \n{literal(one.guess, GUESS_LETTERS)}"
            )
            st.markdown(f":gray[What came]  \n{literal(one.came)}")


def _guess_key(run: str, layer: int) -> str:
    return f"guess-{run}-{layer}"


def _guess(run: str, layer: int) -> str:
    return str(st.session_state.get(_guess_key(run, layer)) or "")
