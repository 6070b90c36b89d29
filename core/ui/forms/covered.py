"""Before a question is asked of a recording: whether that covers it, and if not, who is to do what is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from core.models.recordings.covers import Cover
from core.models.recordings.items import KeptRun
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.forms.recorded import cover_of
from core.ui.shell import models
from core.ui.shell.another_model import open_models
from core.ui.shell.safe import literal
from core.wording import counted, listed

TINY = "Let the tiny model do what is new"
CONNECT = "Connect a model"
TINY_HELP = (
    "The built-in model is free and works offline, but it is tiny: expect weaker answers. Your choice holds until you "
    "close this tab; the line with the model, in the sidebar, changes it."
)
MOST = 4
"""Other strategies that are named."""


def covers_of(bench: Workbench, requests: Mapping[str, RunRequest]) -> dict[str, Cover]:
    """What the recordings that play hold of several requests; those that play none are left out."""
    covers = {name: cover_of(bench, request) for name, request in requests.items()}
    return {name: cover for name, cover in covers.items() if cover is not None}


def undecided(requests: Mapping[str, RunRequest], covers: Mapping[str, Cover]) -> bool:
    """Whether something is not covered, and nobody has said yet who does it."""
    return any(_asks(requests[name]) and cover.run is None for name, cover in covers.items())


def _asks(request: RunRequest) -> bool:
    return request.chat.play is not None and request.chat.play.missing == "ask"


def draw_covers(
    bench: Workbench,
    requests: Mapping[str, RunRequest],
    covers: Mapping[str, Cover],
    key: str,
    take: Callable[[KeptRun], None] | None = None,
    choose: Callable[[str], None] | None = None,
) -> None:
    """Say what is recorded; of what is not, why, what the nearest is that is, and who does it, or who may.

    Args:
        bench: Where the built-in model is.
        requests: Name of each, empty for the only one, and the request.
        covers: Of those that a recording is to answer, see `covers_of`.
        key: Of the widgets.
        take: Callback that has a question asked as it was recorded; None: it is not offered.
        choose: Callback that has another strategy, by its key; None: those that are recorded are named only.
    """
    new = {name: cover for name, cover in covers.items() if cover.run is None}
    if not new:
        if covers:
            st.caption(_whole(requests, covers))
        return
    reasons = "  \n".join(_reason(name, cover) for name, cover in new.items())
    if not undecided(requests, covers):
        who = {_who(requests[name]) for name in new}
        st.caption(f":material/new_label: {reasons}  \nWhat is new, {' and '.join(sorted(who))}.")
        return
    with st.container(border=True, key=f"not-covered-{key}", gap="small"):
        st.markdown(f":material/new_label: **The recording does not cover this.** {reasons}")
        near = next((cover for cover in new.values() if cover.nearest or cover.strategies), None)
        if near and (take or choose):
            _draw_nearest(near, key, take, choose)
        draw_choice(bench, key, [requests[name].strategy for name in new])


def _draw_nearest(
    cover: Cover,
    key: str,
    take: Callable[[KeptRun], None] | None,
    choose: Callable[[str], None] | None,
) -> None:
    """Buttons to what is recorded."""
    known = strategies()
    others = [strategy for strategy in known if strategy in cover.strategies]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if cover.nearest and take:
            st.button(
                "Ask as it was recorded",
                key=f"as-recorded-{key}",
                icon=":material/album:",
                on_click=take,
                args=(cover.nearest,),
            )
        elif others and choose:
            st.markdown("Recorded for this question:")
            for strategy in others[:MOST]:
                st.button(
                    known[strategy].title,
                    key=f"recorded-{strategy}-{key}",
                    icon=":material/album:",
                    on_click=choose,
                    args=(strategy,),
                )
            if more := len(others) - MOST:
                st.markdown(f"and {counted(more, 'other')}" if more > 0 else "")


def draw_choice(bench: Workbench, key: str, asked: list[str]) -> None:
    """The two ways on: the tiny model, which is chosen for the browser session, or another one.

    Args:
        bench: Where the built-in model is.
        key: Of the widgets.
        asked: Keys of the strategies that would be run.
    """
    known = strategies()
    lacking = next(
        (text for strategy in asked if strategy in known and (text := known[strategy].lacking(True))), ""
    )
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if not lacking:
            st.button(
                TINY,
                key=f"let-tiny-{key}",
                icon=":material/science:",
                on_click=models.choose_missing,
                args=(bench, "builtin"),
                help=TINY_HELP,
            )
        st.button(CONNECT, key=f"connect-{key}", icon=":material/swap_horiz:", on_click=open_models)
    if lacking:
        st.caption(literal(lacking))


def _whole(requests: Mapping[str, RunRequest], covers: Mapping[str, Cover]) -> str:
    names = {
        request.chat.play.recording.name
        for name, request in requests.items()
        if name in covers and request.chat.play
    }
    where = listed([f"“{literal(name)}”" for name in sorted(names)])
    calls = [cover.run.calls for cover in covers.values() if cover.run]
    known = [number for number in calls if number is not None]
    replayed = f": {counted(sum(known), 'call')} replayed, none is new" if len(known) == len(calls) else ""
    return f":material/album: Fully recorded in {where}{replayed}."


def _reason(name: str, cover: Cover) -> str:
    mark = f"**{name}**: " if name else ""
    return f"{mark}{literal(cover.reason[0].upper() + cover.reason[1:])}"


def _who(request: RunRequest) -> str:
    play = request.chat.play
    if play is None or play.missing in ("fail", "ask"):
        return "nobody answers: the run ends there"
    return "the tiny built-in model answers" if play.missing == "builtin" else "the endpoint answers"
