"""Whole passages make the chain long, and it is shown as the model reads it."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    searches = sum(len(one["searches"]) for one in data["thoughts"])
    return {
        "step": random.randint(1, len(data["thoughts"])),
        "read": [random.random() < 0.5 for _ in range(searches)],
    }


def use(one: Opened) -> None:
    """Whole passages make the chain long, and it is shown as the model reads it."""
    text = one.place.locator("pre")
    expect(text).not_to_contain_text("<passage")
    for name in ("search 1", "search 2", "search 3"):
        one.press(one.place.get_by_role("button", name=name))
    expect(text).to_contain_text('<passage number="12">')
    expect(one.answer).to_contain_text("reads 9,875 characters")
    one.slide("Before thought", 2)
    expect(text).not_to_contain_text('<passage number="12">')
