"""The part of the sidebar in which another model is chosen: one that is there, or an endpoint by its address."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st
from pydantic import SecretStr

from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.choice import BUILTIN, ChatChoice, Missing, resolve_chat
from core.models.endpoint import PROBE_SECONDS, ChatEndpoint, from_browser, probe, typed_endpoints
from core.models.recordings.pace import PACES
from core.runs.workbench import Workbench
from core.ui.shell import models, session
from core.ui.shell.safe import literal
from core.wording import counted

EXAMPLES = {"any": "http://localhost:11434/v1", "public": "https://api.openai.com/v1"}
"""Addresses of endpoints that may be typed."""
PUBLIC_ONLY = (
    "It must be on the public internet: on this server, only the teacher can use one in its own network."
)
PACE_TITLES = {"recorded": "as recorded", "fast": "fast", "once": "at once"}
PACE_HELP = "How fast kept replies are written. “As recorded” takes the seconds that the model took."


def another_model(bench: Workbench) -> None:
    """Which model answers from now on, in this browser session only."""
    allowed = typed_endpoints(bench.settings, session.user(bench))
    there = models.options(bench, session.endpoint())
    if allowed == "none" and len(there) < 2:
        return
    with st.expander("Use another model", key="another-model", icon=":material/swap_horiz:"):
        if len(there) > 1:
            _choice(bench, there)
        if allowed != "none":
            _address(bench, allowed)


def _choice(bench: Workbench, there: list[str]) -> None:
    """One of those that are there; for a recording also how it is played."""
    st.session_state["model-choice"] = models.chosen(bench, session.endpoint())
    named = titles(bench, there)
    chosen = st.selectbox(
        "Model",
        there,
        format_func=lambda one: named.get(one, one),
        key="model-choice",
        on_change=lambda: models.choose(bench, st.session_state["model-choice"]),
        help="A recording holds replies of a model: it answers what it was asked before, at no cost.",
    )
    if not chosen.startswith(models.RECORDING):
        return
    st.session_state["missing-choice"] = models.missing(bench, session.endpoint())
    who = {"endpoint": f"{_endpoint_name(bench)} answers", "builtin": "The built-in model answers"}
    st.selectbox(
        "What it does not know",
        _missing(bench),
        format_func=lambda one: who.get(one, "Stop, and say which step is new"),
        key="missing-choice",
        on_change=lambda: models.choose_missing(bench, st.session_state["missing-choice"]),
        help="Replies that are not from the recording are marked, step by step.",
    )
    st.session_state["pace-choice"] = models.pace()
    st.selectbox(
        "Pace",
        PACES,
        format_func=lambda one: PACE_TITLES[one].capitalize(),
        key="pace-choice",
        on_change=lambda: models.choose_pace(st.session_state["pace-choice"]),
        help=PACE_HELP,
    )


def _missing(bench: Workbench) -> list[Missing]:
    reached = session.endpoint() is not None or bench.settings.has_chat_endpoint
    return ["endpoint", "builtin", "fail"] if reached else ["builtin", "fail"]


def titles(bench: Workbench, there: Iterable[str]) -> dict[str, str]:
    """What stands in a list for each of `models.options`, to be drawn as plain text.

    No two are the same: a browser tells the options of a list apart by what it shows.
    """
    found: dict[str, str] = {}
    for one in there:
        title = _title(bench, one)
        alike = sum(other.startswith(title) for other in found.values())
        found[one] = f"{title} ({alike + 1})" if alike else title
    return found


def _title(bench: Workbench, one: str) -> str:
    kind, _, name = one.partition(":")
    if kind == models.TYPED:
        return f"{_endpoint_name(bench)} (your endpoint)"
    if kind == models.SERVER:
        return f"{name or bench.backends.chat_status().name} (this server's)"
    if one == BUILTIN:
        return "The tiny built-in model"
    recording = models.known()[name]
    return f"“{recording.name}”, recorded from {recording.model}, {counted(recording.replies, 'reply', 'replies')}"


def _endpoint_name(bench: Workbench) -> str:
    return bench.backends.chat_status(ChatChoice(session.endpoint())).name


def _address(bench: Workbench, allowed: str) -> None:
    """An endpoint for this session only: kept in memory, never written, never with the server's key."""
    st.caption(
        "Any OpenAI-compatible endpoint. It is used in this browser session only and never stored. "
        "Questions and passages are sent to it." + (f" {PUBLIC_ONLY}" if allowed == "public" else "")
    )
    with st.form("endpoint", border=False):
        url = st.text_input("Address", placeholder=EXAMPLES[allowed], key="endpoint-url")
        model = st.text_input(
            "Model", key="endpoint-model", help="Empty: the first one that the endpoint names."
        )
        secret = st.text_input("Key", type="password", key="endpoint-key", help="Empty where none is needed.")
        if st.form_submit_button("Test and use", key="endpoint-use", width="stretch"):
            _try(bench, ChatEndpoint(url, SecretStr(secret), model))
    if error := st.session_state.get("endpoint-error"):
        st.error(literal(error))
    if session.endpoint() and st.button("Forget this endpoint", key="endpoint-reset", width="stretch"):
        session.use_endpoint(None)
        st.rerun()


def _try(bench: Workbench, wanted: ChatEndpoint) -> None:
    user = session.user(bench)

    async def test() -> ChatEndpoint:
        typed = from_browser(bench.settings, wanted, user)
        endpoint = await resolve_chat(bench.settings, bench.backends.supervisor, ChatChoice(typed))
        await probe(endpoint)
        return endpoint

    st.session_state["endpoint-error"] = ""
    try:
        with st.spinner("Asking the endpoint…"):
            session.use_endpoint(run_blocking(test(), timeout=3 * PROBE_SECONDS))
    except (LoupeError, TimeoutError) as error:
        st.session_state["endpoint-error"] = str(error) or "The endpoint did not answer in time. Try again."
    st.rerun()
