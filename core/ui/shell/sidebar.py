"""The sidebar: which model answers, whether it is ready, and how to use another one."""

from __future__ import annotations

import time

import streamlit as st
from pydantic import SecretStr

from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.choice import ChatChoice, resolve_chat
from core.models.endpoint import (
    PROBE_SECONDS,
    ChatEndpoint,
    from_browser,
    probe,
    typed_endpoints,
)
from core.runs.workbench import Workbench
from core.services.chat import has_adapter
from core.ui.fixes.ticking import ticking, watch_ticks
from core.ui.shell import session
from core.ui.shell.safe import literal

STATES = {
    "ready": ("green", ":material/check_circle:", "ready"),
    "starting": ("orange", ":material/hourglass_top:", "starting"),
    "stopped": ("gray", ":material/pause_circle:", "not started"),
    "failed": ("red", ":material/error:", "not working"),
}
EXAMPLES = {"any": "http://localhost:11434/v1", "public": "https://api.openai.com/v1"}
"""Addresses of endpoints that may be typed."""
PUBLIC_ONLY = (
    "It must be on the public internet: on this server, only the teacher can use one in its own network."
)
RESTART_SECONDS = 3.0
"""For so long after a click, services that have not begun to start count as starting."""
TINY = (
    "A tiny model, so that everything works offline and for free. It shows how a strategy works, not "
    "how well: where it cannot do a task, an honest simpler method does it, and says so."
)


def sidebar(bench: Workbench) -> None:
    """Draw it; the model and the local services are watched while they start."""
    with st.sidebar:
        (_watched if _waits(bench) else _model)(bench)
        _taught(bench)
        _another(bench)
        _teacher(bench)
        session.keep_owner()
        session.keep_told()
        watch_ticks()


def _waits(bench: Workbench) -> bool:
    """Whether what is shown may change by itself."""
    if bench.backends.chat_status(session.chat(bench)).state in ("starting", "stopped"):
        return True
    if time.monotonic() < st.session_state.get("restarted", -RESTART_SECONDS) + RESTART_SECONDS:
        return True
    return bool(bench.backends.starting())


def _model(bench: Workbench) -> None:
    status = bench.backends.chat_status(session.chat(bench))
    problems = bench.backends.problems()
    colour, icon, word = STATES[status.state]
    with st.container(border=True, gap="small", key="model"):
        st.caption("Model that answers")
        st.markdown(f"**{literal(status.name)}** :{colour}-badge[{icon} {word}]")
        if status.message:
            st.caption(literal(status.message))
        if status.builtin:
            st.caption(TINY)
        for title in bench.backends.starting():
            st.caption(f"The {title} is starting.")
        for problem in problems:
            st.error(literal(problem), icon=":material/error:")
        if problems or status.state in ("failed", "stopped"):
            st.button(
                "Start again",
                key="start-again",
                icon=":material/restart_alt:",
                on_click=_restart,
                args=(bench,),
            )


def _restart(bench: Workbench) -> None:
    st.session_state["restarted"] = time.monotonic()
    bench.backends.restart()


@ticking(1.0)
def _watched(bench: Workbench) -> None:
    waits = _waits(bench)  # asked first: what ends meanwhile is seen by the next tick
    _model(bench)
    if not waits:
        st.rerun()


def _taught(bench: Workbench) -> None:
    """The built-in model's adapter on or off; outside of what is watched, since the whole page depends on it."""
    if has_adapter(bench.settings) and session.kind(bench).builtin:
        st.toggle(
            "Use what it was taught",
            value=True,
            key=session.USE_TAUGHT,
            persist_state="session",
            help="The built-in model comes with an adapter, trained for the tasks inside RAG. Methods called “taught” "
            "use it: by default where it was measured to be better, else where you choose them in a strategy's "
            "settings. Off: the model answers as it came.",
        )


def _another(bench: Workbench) -> None:
    """An endpoint for this session only: kept in memory, never written, never with the server's key."""
    chosen, allowed = session.endpoint(), typed_endpoints(bench.settings, session.user(bench))
    if allowed == "none":
        return
    with st.expander("Use another model", key="another-model", icon=":material/swap_horiz:"):
        st.caption(
            "Any OpenAI-compatible endpoint. It is used in this browser session only and never stored. "
            "Questions and passages are sent to it." + (f" {PUBLIC_ONLY}" if allowed == "public" else "")
        )
        with st.form("endpoint", border=False):
            url = st.text_input("Address", placeholder=EXAMPLES[allowed], key="endpoint-url")
            model = st.text_input(
                "Model", key="endpoint-model", help="Empty: the first one that the endpoint names."
            )
            secret = st.text_input(
                "Key", type="password", key="endpoint-key", help="Empty where none is needed."
            )
            if st.form_submit_button("Test and use", key="endpoint-use", width="stretch"):
                _try(bench, ChatEndpoint(url, SecretStr(secret), model))
        if error := st.session_state.get("endpoint-error"):
            st.error(literal(error))
        if chosen and st.button("Back to the server's model", key="endpoint-reset", width="stretch"):
            session.use_endpoint(None)
            st.rerun()


def _teacher(bench: Workbench) -> None:
    """A form for the teacher's password, where one is set."""
    if not bench.settings.has_teacher:
        return
    if session.is_teacher(bench):
        st.caption(
            ":material/school: You are signed in as a teacher: you can pin, change and delete what others made."
        )
        return
    with (
        st.expander("Teacher", key="teacher", icon=":material/school:"),
        st.form("teacher-form", border=False, clear_on_submit=True),
    ):
        password = st.text_input("Password", type="password", key="teacher-password")
        if st.form_submit_button("Sign in", key="teacher-sign-in", width="stretch"):
            if session.become_teacher(bench, password):
                st.rerun()
            st.error("This is not the teacher's password.")


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
