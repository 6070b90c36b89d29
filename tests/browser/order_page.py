"""A page one part of which is asked for again in the worst moment: the script has ended, and most of what it sent is
still on its way. `?keep=1`: with what the app does about that; else as Streamlit is."""

from __future__ import annotations

import time

import streamlit as st
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from core.ui.fixes import streamlit_patches
from core.ui.fixes.ticking import watch_ticks

PARAGRAPHS = 5
PATIENCE_SECONDS = 60


def ask_for_the_part(session: AppSession) -> None:
    """On the event loop, as if the browser asked now; what the script sends from here on waits behind this."""
    runner, end = session._scriptrunner, time.monotonic() + PATIENCE_SECONDS
    while runner is not None and runner._requests._state != ScriptRequestType.STOP and time.monotonic() < end:
        time.sleep(0.01)
    storage = session._fragment_storage
    assert isinstance(storage, MemoryFragmentStorage)
    (fragment,) = storage._fragments
    session.request_rerun(ClientState(fragment_id=fragment, page_script_hash=session.page_script_hash))


@st.fragment
def part() -> None:
    """What is drawn twice."""
    drawn = st.session_state["drawn"] = st.session_state.get("drawn", 0) + 1
    st.write(f"Drawn {drawn} times")


def page() -> None:
    """Draw it."""
    if "keep" in st.query_params:
        streamlit_patches.keep_order()
    else:
        AppSession._create_scriptrunner = streamlit_patches._create  # type: ignore[method-assign]
    watch_ticks()
    if not st.button("More"):
        return
    runtime, context = get_instance(), get_script_run_ctx()
    info = runtime._session_mgr.get_active_session_info(context.session_id) if context else None
    assert info is not None
    runtime._get_async_objs().eventloop.call_soon_threadsafe(ask_for_the_part, info.session)
    for number in range(PARAGRAPHS):
        st.write(f"Paragraph {number + 1}")
    part()
