"""Pages of other ports of this machine do not open the websocket."""

from __future__ import annotations

import pytest
from streamlit.testing.v1.util import patch_config_options
from streamlit.web.server import server_util
from streamlit.web.server.starlette import starlette_websocket

from core.ui.fixes.streamlit_patches import check_origins

OTHERS = ["http://localhost:3000", "http://127.0.0.1:9999", "http://0.0.0.0:1", "null", "https://example.org"]


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        starlette_websocket, "is_url_from_allowed_origins", server_util.is_url_from_allowed_origins
    )


@pytest.mark.usefixtures("anew")
def test_streamlit_lets_any_port_of_this_machine_in() -> None:
    assert all(starlette_websocket._is_origin_allowed(one, "localhost:8501") for one in OTHERS[:3])


@pytest.mark.usefixtures("anew")
def test_only_the_page_itself_and_listed_ones_are_let_in() -> None:
    check_origins()
    allowed = starlette_websocket._is_origin_allowed
    assert not any(allowed(one, "localhost:8501") for one in OTHERS)
    assert allowed("http://localhost:8501", "localhost:8501")
    assert allowed("https://loupe.example.org", "loupe.example.org")
    with patch_config_options({"server.corsAllowedOrigins": ["https://lms.example.org"]}):
        assert allowed("https://lms.example.org", "localhost:8501")
        assert not allowed("https://lms.example.org:8443", "localhost:8501")
    with patch_config_options({"server.enableCORS": False}):
        assert allowed(OTHERS[0], "localhost:8501")
