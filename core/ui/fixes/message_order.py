"""What a run of a page's script has sent reaches the browser before a part of the page is drawn anew.

Fault (Streamlit 1.67): it draws a part (a fragment) with a new script runner where the last one has just ended, and
from then on drops what the last one sent and the event loop has not come to yet (`AppSession._create_scriptrunner`
and `_handle_scriptrunner_event_on_event_loop`). A whole page is sent again after that. A part builds upon what was
lost: the browser has no place for it, and a busy server's page goes white.
Needed as long as tests/browser/test_message_order.py::test_a_page_that_is_gone_comes_back passes, which sees the
error.
"""

from __future__ import annotations

from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import RerunData

_create = AppSession._create_scriptrunner


def keep_order() -> None:
    """Have every session of this process wait for what was sent; once is enough, more often does no harm."""
    AppSession._create_scriptrunner = _create_in_order  # type: ignore[method-assign, assignment]


def _create_in_order(session: AppSession, rerun: RerunData) -> None:
    """In place of `AppSession._create_scriptrunner`, which a runner that has ended makes necessary."""
    if session._scriptrunner is None or not rerun.fragment_id:
        _create(session, rerun)
    else:  # it had sent everything before it refused to go on: the loop comes to that first
        session._event_loop.call_soon(_draw_part, session, rerun)


def _draw_part(session: AppSession, rerun: RerunData) -> None:
    if session._state == AppSessionState.SHUTDOWN_REQUESTED or not session.has_fragment(
        rerun.fragment_id or ""
    ):
        return
    # Another may have been started meanwhile, for the whole page; it draws the part when that is done.
    if session._scriptrunner is None or not session._scriptrunner.request_rerun(rerun):
        _create(session, rerun)
