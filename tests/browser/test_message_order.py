"""A part of a page asked for while the page is on its way: nothing is lost, and a page that is gone comes back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import App, Tab
from tests.browser.order_page import PARAGRAPHS
from tests.browser.small_pages import small_pages


@pytest.fixture
def page_app(request: pytest.FixtureRequest) -> App:
    """A page of paragraphs with a part below them."""
    return small_pages(request)


def test_a_part_waits_until_the_page_is_delivered(tab: Tab, page_app: App) -> None:
    tab.page.goto(f"{page_app.url}/order?keep=1")
    tab.page.get_by_role("button", name="More").click()
    expect(tab.page.get_by_text("Drawn 2 times")).to_be_visible()
    expect(tab.page.get_by_text("Paragraph")).to_have_count(PARAGRAPHS)
    assert tab.errors == []


def test_a_page_that_is_gone_comes_back(tab: Tab, page_app: App) -> None:
    """Where nothing keeps the order, the browser has no place for the part, and Streamlit's scripts end."""
    page = tab.page
    page.goto(f"{page_app.url}/order")
    more = page.get_by_role("button", name="More")
    more.click()
    expect(more).to_have_count(0)
    assert "Bad delta path index" in tab.errors[0]
    expect(more).to_be_visible()
