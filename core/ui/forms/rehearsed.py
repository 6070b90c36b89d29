"""Before a question is asked of a recording: how far that goes."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.errors import LoupeError
from core.jobs import Job
from core.runs.forecast import run_forecast
from core.runs.rehearsal import Rehearsal, rehearse
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.ui.forms.glances import draw_glance, glance
from core.ui.shell.safe import literal
from core.wording import counted

_THEN = {
    "endpoint": "sent to the endpoint",
    "builtin": "done by the tiny built-in model",
    "fail": "which nobody answers: the run ends there",
}


def draw_rehearsed(bench: Workbench, requests: Mapping[str, RunRequest], key: str, known: str = "") -> None:
    """A line on what is recorded of questions, found out in the background; no model is asked.

    Args:
        requests: Name of each, empty for the only one, and the request; those that play nothing are left out.
        key: Of the line, in this session.
        known: Markdown that stands there as long as nothing better is known.
    """
    playing = {name: one for name, one in requests.items() if one.chat.play and one.question.strip()}
    if playing:
        draw_glance(_glance(bench, playing, key), lambda job: _words(bench, job, playing, known))
    elif known:
        st.caption(known)


def _glance(bench: Workbench, playing: Mapping[str, RunRequest], key: str) -> Job[dict[str, Rehearsal]]:
    return glance(f"rehearsed-{key}", dict(playing), lambda: Job(_rehearsed(bench, playing)))


async def _rehearsed(bench: Workbench, requests: Mapping[str, RunRequest]) -> dict[str, Rehearsal]:
    """Those that can be run, one after the other: whoever waits for an answer goes first."""
    found = {}
    for name, request in requests.items():
        try:
            found[name] = await rehearse(bench, request)
        except LoupeError:  # who asks is told
            continue
    return found


def _words(
    bench: Workbench, job: Job[dict[str, Rehearsal]], requests: Mapping[str, RunRequest], known: str
) -> str:
    if not job.done:
        return known or ":material/manage_search: Looking up what is recorded…"
    if job.stopping or job.error() is not None:
        return known
    found = job.result()
    new = {name: one for name, one in found.items() if one.lacks}
    if not new:
        calls = sum(one.known_calls for one in found.values())
        names = {one.chat.play.recording.name for one in requests.values() if one.chat.play}
        where = " and ".join(f"“{literal(name)}”" for name in sorted(names))
        whole = f":material/album: Recorded whole in {where}: {counted(calls, 'call')} played, none is new."
        return whole if calls else known
    return "  \n".join(
        f":material/warning: {f'**{name}**: ' if name else ''}{rehearsed_words(bench, requests[name], one)}"
        for name, one in new.items()
    )


def rehearsed_words(bench: Workbench, request: RunRequest, found: Rehearsal) -> str:
    """From where on a run is new, as Markdown; empty: nothing is."""
    play = request.chat.play
    if not found.lacks or not play:
        return ""
    first = f"{found.known_calls} played, new" if found.known_calls else "Not recorded: new"
    new = f"{first} from the step “{literal(found.lacks)}” on"
    if play.missing == "fail":
        return f"{new}, {_THEN['fail']}."
    if play.missing == "builtin" and not SKILLS[found.missing].builtin:
        return f"{new}, which the tiny built-in model cannot do: the run ends there."
    cost = run_forecast(bench, request, found)
    usual, most = cost.calls_expected - found.known_calls, cost.calls_most - found.known_calls
    calls = "without a call" if not most else f"{'' if usual == most else 'at most '}{counted(most, 'call')}"
    slow = ", which can take half a minute" if play.missing == "builtin" and most else ""
    return f"{new}: {calls}, {_THEN[play.missing]}{slow}."


def rehearsed(bench: Workbench, request: RunRequest, key: str) -> Rehearsal | None:
    """How far the recording goes that is to answer; None: none is, or nobody knows yet. The page is drawn again then,
    where `draw_rehearsed` draws the line with this key."""
    if not (request.chat.play and request.question.strip()):
        return None
    job = _glance(bench, {"": request}, key)
    return job.result().get("") if job.done and not job.stopping and job.error() is None else None
