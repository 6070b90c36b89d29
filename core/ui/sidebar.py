"""The sidebar: which model answers, whether it is ready, and how to use another one."""

from __future__ import annotations

import streamlit as st
from pydantic import SecretStr

from core.errors import LoupeError
from core.jobs import run_blocking
from core.models.endpoint import PROBE_SECONDS, ChatEndpoint, probe, resolve_chat
from core.runs.workbench import ChatStatus, Workbench
from core.ui import session
from core.ui.safe import literal

STATES = {
    "ready": ("green", ":material/check_circle:", "ready"),
    "starting": ("orange", ":material/hourglass_top:", "starting"),
    "stopped": ("gray", ":material/pause_circle:", "not started"),
    "failed": ("red", ":material/error:", "not working"),
}
TINY = (
    "A tiny model, so that everything works offline and for free. It shows how a strategy works, not "
    "how well: where it cannot do a task, an honest simpler method does it, and says so."
)


def sidebar(bench: Workbench) -> None:
    """Draw it; the state of the model is watched while it starts."""
    with st.sidebar:
        waits = bench.chat_status(session.endpoint()).state in ("starting", "stopped")
        (_watched if waits else _model)(bench)
        _another(bench)


def _model(bench: Workbench) -> None:
    status = bench.chat_status(session.endpoint())
    colour, icon, word = STATES[status.state]
    with st.container(border=True, gap="small", key="model"):
        st.caption("Model that answers")
        st.markdown(f"**{literal(status.name)}** :{colour}-badge[{icon} {word}]")
        if status.message:
            st.caption(literal(status.message))
        if status.builtin:
            st.caption(TINY)
        if status.state in ("failed", "stopped") and st.button(
            "Start again", key="start-again", icon=":material/restart_alt:"
        ):
            bench.warm()
            st.rerun()


@st.fragment(run_every=1.0)
def _watched(bench: Workbench) -> None:
    status: ChatStatus = bench.chat_status(session.endpoint())
    _model(bench)
    if status.state in ("ready", "failed"):
        st.rerun()


def _another(bench: Workbench) -> None:
    """An endpoint for this session only: kept in memory, never written, never with the server's key."""
    chosen = session.endpoint()
    with st.expander("Use another model", key="another-model", icon=":material/swap_horiz:"):
        st.caption(
            "Any OpenAI-compatible endpoint. It is used in this browser session only and never stored. "
            "Questions and passages are sent to it."
        )
        with st.form("endpoint", border=False):
            url = st.text_input("Address", placeholder="http://localhost:11434/v1", key="endpoint-url")
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


def _try(bench: Workbench, wanted: ChatEndpoint) -> None:
    async def test() -> ChatEndpoint:
        endpoint = await resolve_chat(bench.settings, bench.supervisor, wanted)
        await probe(endpoint)
        return endpoint

    st.session_state["endpoint-error"] = ""
    try:
        with st.spinner("Asking the endpoint…"):
            session.use_endpoint(run_blocking(test(), timeout=3 * PROBE_SECONDS))
    except (LoupeError, TimeoutError) as error:
        st.session_state["endpoint-error"] = str(error) or "The endpoint did not answer in time. Try again."
    st.rerun()
