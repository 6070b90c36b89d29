"""A part of a page asked for while the page is on its way: nothing is lost, and a page that is gone comes back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, App, Tab, start_app, stop_app
from tests.browser.order_page import PARAGRAPHS


@pytest.fixture
def page_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A page of paragraphs with a part below them, on a server of its own."""
    script = Path(__file__).parent / "order_page.py"
    app = start_app(tmp_path_factory.mktemp("order"), script=str(script), PYTHONPATH=str(ROOT))
    yield app
    stop_app(app)


def test_a_part_waits_until_the_page_is_delivered(tab: Tab, page_app: App) -> None:
    tab.page.goto(f"{page_app.url}/?keep=1")
    tab.page.get_by_role("button", name="More").click()
    expect(tab.page.get_by_text("Drawn 2 times")).to_be_visible()
    expect(tab.page.get_by_text("Paragraph")).to_have_count(PARAGRAPHS)
    assert tab.errors == []


def test_a_page_that_is_gone_comes_back(tab: Tab, page_app: App) -> None:
    """Where nothing keeps the order, the browser has no place for the part, and Streamlit's scripts end."""
    page = tab.page
    page.goto(page_app.url)
    more = page.get_by_role("button", name="More")
    more.click()
    expect(more).to_have_count(0)
    assert "Bad delta path index" in tab.errors[0]
    expect(more).to_be_visible()
