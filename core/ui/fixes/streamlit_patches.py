"""Functions of Streamlit 1.67 that are replaced, with the fault of each and the test that tells when it can go.

To replace one twice does no harm."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Any

from starlette.exceptions import HTTPException
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.web.server.server_util import is_allowed_origin
from streamlit.web.server.starlette import starlette_websocket

_create = AppSession._create_scriptrunner


def keep_order() -> None:
    """Have what a run of a page's script has sent reach the browser before a part of the page is drawn anew.

    Fault: Streamlit draws a part (a fragment) with a new script runner where the last one has just ended, and from then
    on drops what the last one sent and the event loop has not come to yet (`AppSession._create_scriptrunner` and
    `_handle_scriptrunner_event_on_event_loop`). A whole page is sent again after that. A part builds upon what was
    lost: the browser has no place for it, and a busy server's page goes white.
    Needed as long as tests/browser/test_message_order.py::test_a_page_that_is_gone_comes_back passes, which sees the
    error.
    """
    AppSession._create_scriptrunner = _create_in_order  # type: ignore[method-assign, assignment]


def _create_in_order(session: AppSession, rerun: RerunData) -> None:
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


def check_origins() -> None:
    """Let only the app's own page, which Streamlit itself knows, and those that the operator lists open its websocket.

    Fault: every page of this machine may open it, whatever its port, and so may pages at the machine's addresses, to
    learn which a server on the internet is asked. No setting takes them away.
    Needed as long as tests/unit/ui/fixes/test_origins.py::test_streamlit_lets_any_port_of_this_machine_in passes.
    """
    setattr(starlette_websocket, "is_url_from_allowed_origins", _is_listed)  # noqa: B010, as it is not exported


def _is_listed(url: str) -> bool:
    return not config.get_option("server.enableCORS") or is_allowed_origin(url)


_work_out = app_session._populate_theme_msg


def keep_theme() -> None:
    """Work out the theme once: settings are read when the process starts.

    Fault: each run of a script and of every part that ticks begins with a message that holds all of the theme, and
    reads it anew from the settings, option by option and with regular expressions: a sixth of the processor time of a
    server with many runs under way.
    Needed as long as tests/unit/ui/fixes/test_theme_once.py::test_streamlit_works_it_out_anew passes.
    """
    app_session._populate_theme_msg = _fill_in


def _fill_in(msg: CustomThemeConfig, section: str = "theme") -> None:
    settings = theme(section)
    if settings.ByteSize():  # merging with nothing would say that there is such a section
        msg.MergeFrom(settings)


@cache
def theme(section: str) -> CustomThemeConfig:
    """Return the settings of a section of the theme; nobody may change it."""
    settings = CustomThemeConfig()
    _work_out(settings, section)
    return settings


_read = SafeSessionState.filtered_state


def reread_values() -> None:
    """Read all values of a session again where another run changes them meanwhile.

    Fault: a run begins while the one before is still at work, and each guards the values with a lock of its own. Text
    fields read all of them: where the other run adds one at that moment, the page ends with an error.
    Needed as long as tests/unit/ui/fixes/test_overtaken.py::test_streamlit_itself_fails_where_another_run_adds_a_value
    passes.
    """
    SafeSessionState.filtered_state = property(_reread)  # type: ignore[assignment, method-assign]


def _reread(state: SafeSessionState) -> dict[str, Any]:
    for _ in range(9):
        with suppress(KeyError, RuntimeError):  # one was removed, or added
            return dict(_read.__get__(state))
    return dict(_read.__get__(state))


SESSION_MB = 250
"""What the files of one session may take together: ten of the largest documents."""
_add = MemoryUploadedFileManager.add_file


def bound_uploads() -> None:
    """Let a session hold only so much of uploaded files in memory.

    Fault: each file has a limit, but not their number. Files are held until their widget forgets them, and files that
    no widget asked for until two minutes after the session ends: one browser fills the memory of the server.
    Needed as long as tests/unit/ui/fixes/test_uploads.py::test_streamlit_itself_holds_any_number passes.
    """
    MemoryUploadedFileManager.add_file = _add_bounded  # type: ignore[method-assign]


def _add_bounded(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    """Add a file to a session.

    Raises:
        HTTPException: It would be too much; the browser says beside the file that it was not taken.
    """
    files = list(self.file_storage.get(session_id, {}).values())
    others = sum(len(other.data) for other in files if other.file_id != file.file_id)
    if others + len(file.data) > SESSION_MB * 2**20:
        raise HTTPException(
            413,
            f"This page holds {others / 2**20:.0f} MB of files and takes {SESSION_MB} MB. Remove some first.",
        )
    _add(self, session_id, file)
