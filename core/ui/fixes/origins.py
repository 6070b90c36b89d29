"""Only the app's own page opens its websocket, and those that the operator lists.

Fault (Streamlit 1.67): every page of this machine may open it, whatever its port, and so may pages at the machine's
addresses, to learn which a server on the internet is asked. No setting takes them away.
Needed as long as tests/unit/ui/test_origins.py::test_streamlit_lets_any_port_of_this_machine_in passes.
"""

from __future__ import annotations

from streamlit import config
from streamlit.web.server.server_util import is_allowed_origin
from streamlit.web.server.starlette import starlette_websocket


def check_origins() -> None:
    """Check who opens a websocket of this process; once is enough, more often does no harm. A page of the same host and
    port as the server's is let in by Streamlit before this is asked."""
    setattr(starlette_websocket, "is_url_from_allowed_origins", _listed)  # noqa: B010, as it is not exported


def _listed(url: str) -> bool:
    """In place of Streamlit's own function: whether an origin is listed in `server.corsAllowedOrigins`."""
    return not config.get_option("server.enableCORS") or is_allowed_origin(url)
