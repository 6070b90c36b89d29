"""The first lesson: as closed book's, with the documents that its case speaks of."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.explorables import Opened
from tests.explorables.closed_book import state

__all__ = ["state", "use"]


def use(one: Opened) -> None:
    """The answer from memory is foreseen; then the model is given documents."""
    one.press(one.place.get_by_role("radio", name="something right"))
    expect(one.answer).to_contain_text("No. From memory it says that it does not know")
    one.press(one.place.get_by_role("radio", name="searched once"))
    expect(one.place.locator(".stage section").last).to_contain_text("71 pells [1]")
