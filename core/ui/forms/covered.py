"""The coverage of a question by a recording, before it is asked, and the choice of a model for the rest."""

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

TINY = "Let the built-in model answer"
CONNECT = "Connect a model"
TINY_HELP = (
    "The built-in model is free and works offline, but it is tiny: expect weaker answers. Your choice holds until you "
    "close this tab. You can change it in the sidebar, at the name of the model."
)
MOST = 4
"""Other strategies that are named."""


def covers_of(bench: Workbench, requests: Mapping[str, RunRequest]) -> dict[str, Cover]:
    """Return the parts of several requests that a recording which plays holds; those that play none are left out."""
    covers = {name: cover_of(bench, request) for name, request in requests.items()}
    return {name: cover for name, cover in covers.items() if cover is not None}


def undecided(requests: Mapping[str, RunRequest], covers: Mapping[str, Cover]) -> bool:
    """Return True if something is not covered, and no model was chosen for it yet."""
    new = (requests[name].chat.play for name, cover in covers.items() if cover.run is None)
    return any(play is not None and play.missing == "ask" for play in new)


def draw_covers(
    bench: Workbench,
    requests: Mapping[str, RunRequest],
    covers: Mapping[str, Cover],
    key: str,
    take: Callable[[KeptRun], None] | None = None,
    choose: Callable[[str], None] | None = None,
) -> None:
    """Draw the part that is recorded, and the reasons, the nearest run and the ways on for the part that is not.

    Requests are named, the only one by nothing; `covers` are of those that a recording is to answer, see `covers_of`.
    The callback `take` has a question asked as it was recorded, `choose` has another strategy, by its key; None: it is
    not offered.
    """
    new = {name: cover for name, cover in covers.items() if cover.run is None}
    if not new:
        if covers:
            st.caption(_whole(requests, covers))
        return
    reasons = "  \n".join(_reason(name, cover) for name, cover in new.items())
    if not undecided(requests, covers):
        who = {_who(requests[name]) for name in new}
        st.caption(f":material/new_label: {reasons}  \n{' '.join(sorted(who))}")
        return
    with st.container(border=True, key=f"not-covered-{key}", gap="small"):
        st.markdown(f":material/new_label: **The recording does not cover this.** {reasons}")
        near = next((cover for cover in new.values() if cover.nearest or cover.strategies), None)
        if near and (take or choose):
            _draw_nearest(near, key, take, choose)
        draw_choice(bench, key, [requests[name].strategy for name in new])


def _draw_nearest(
    found: Cover,
    key: str,
    take: Callable[[KeptRun], None] | None,
    choose: Callable[[str], None] | None,
) -> None:
    """Buttons to what is recorded."""
    known = strategies()
    others = [one for one in known if one in found.strategies]
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if found.nearest and take:
            st.button(
                "Ask as it was recorded",
                key=f"as-recorded-{key}",
                icon=":material/album:",
                on_click=take,
                args=(found.nearest,),
            )
        elif others and choose:
            st.markdown("Recorded for this question:")
            for one in others[:MOST]:
                st.button(
                    known[one].title,
                    key=f"recorded-{one}-{key}",
                    icon=":material/album:",
                    on_click=choose,
                    args=(one,),
                )
            if more := len(others) - MOST:
                st.markdown(f"and {counted(more, 'other')}" if more > 0 else "")


def draw_choice(bench: Workbench, key: str, asked: list[str]) -> None:
    """The two ways on: the built-in model, which is chosen for the browser session, or another one.

    `asked` are the keys of the strategies that would be run.
    """
    known = strategies()
    lacking = next((text for one in asked if one in known and (text := known[one].lacking(True))), "")
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
        one.chat.play.recording.name for name, one in requests.items() if name in covers and one.chat.play
    }
    where = listed([f"“{literal(name)}”" for name in sorted(names)])
    calls = [one.run.calls for one in covers.values() if one.run]
    known = [one for one in calls if one is not None]
    replayed = f": {counted(sum(known), 'call')} replayed, no new one" if len(known) == len(calls) else ""
    return f":material/album: Fully recorded in {where}{replayed}."


def _reason(name: str, found: Cover) -> str:
    mark = f"**{name}**: " if name else ""
    return f"{mark}{literal(found.reason[0].upper() + found.reason[1:])}"


def _who(request: RunRequest) -> str:
    play = request.chat.play
    if play is None or play.missing in ("fail", "ask"):
        return "Nothing else answers: the run ends there."
    return f"The {'built-in model' if play.missing == 'builtin' else 'endpoint'} does the rest."
