"""Before a question is asked of a recording: how far that goes."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.errors import LoupeError
from core.jobs import Job
from core.runs.rehearsal import Rehearsal, rehearse
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.skills import methods_in_force
from core.strategies import get_strategy
from core.ui.forms.glances import draw_glance, glance
from core.ui.shell.safe import literal
from core.wording import counted

_THEN = {
    "endpoint": "sent to the endpoint",
    "builtin": "done by the tiny built-in model, which can take half a minute",
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
        job = glance(f"rehearsed-{key}", playing, lambda: Job(_rehearsed(bench, playing)))
        draw_glance(job, lambda job: _words(bench, job, playing, known))
    elif known:
        st.caption(known)


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
        held = sum(one.held for one in found.values())
        names = {one.chat.play.recording.name for one in requests.values() if one.chat.play}
        where = " and ".join(f"“{literal(name)}”" for name in sorted(names))
        whole = f":material/album: Recorded whole in {where}: {counted(held, 'call')} played, none is new."
        return whole if held else known
    return "  \n".join(
        f":material/warning: {f'**{name}**: ' if name else ''}{rehearsed_words(bench, requests[name], one)}"
        for name, one in new.items()
    )


def rehearsed_words(bench: Workbench, request: RunRequest, found: Rehearsal) -> str:
    """From where on a run is new, as Markdown; empty: nothing is."""
    play = request.chat.play
    if not found.lacks or not play:
        return ""
    strategy = get_strategy(request.strategy)
    kind = bench.backends.checks.kind(request.chat)
    methods = methods_in_force(strategy.skills, kind, request.methods)
    most = strategy.forecast(strategy.parse(request.params), methods).calls_most
    calls = counted(max(1, most - found.held), "call")
    first = f"{found.held} played, new" if found.held else "Not recorded: new"
    return f"{first} from the step “{literal(found.lacks)}” on, at most {calls}, {_THEN[play.missing]}."
