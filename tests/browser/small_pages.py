"""Pages with one thing each on them, in an app of their own below a path, as behind a proxy."""

from __future__ import annotations

import pytest
import streamlit as st

from tests.browser.conftest import ROOT, App, start_app, stop_app

SCRIPT = "from tests.browser import small_pages\n\nsmall_pages.draw()\n"
_running: list[App] = []


def small_pages(request: pytest.FixtureRequest) -> App:
    """The app, which a worker starts once; it ends with the session. Its pages are `/network`, `/presenter`, `/order`,
    `/ticks`.

    Args:
        request: Of the fixture that asks for it.
    """
    if not _running:
        folders: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
        home = folders.mktemp("pages")
        script = home / "app.py"
        script.write_text(SCRIPT, encoding="utf-8")
        (home / "static").symlink_to(ROOT / "static")
        _running.append(start_app(home, script=str(script), base="lab/loupe", PYTHONPATH=str(ROOT)))
        request.session.addfinalizer(lambda: stop_app(_running.pop()))
    return _running[0]


def draw() -> None:
    """The page in the address."""
    from tests.browser import network_page, order_page, presenter_page, tick_page

    pages = {"network": network_page, "presenter": presenter_page, "order": order_page, "ticks": tick_page}
    first = st.Page(
        lambda: None, title="Nothing", url_path="nothing", default=True
    )  # its own address would be `/`
    st.navigation(
        [first, *(st.Page(page.page, url_path=name) for name, page in pages.items())], position="hidden"
    ).run()
