"""Without its passage the question misses the evidence; a passage that is wrong leads elsewhere."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "on": [random.random() < 0.5 for _ in data["texts"]],
        "question": random.choice(["with", "without"]),
    }


def use(one: Opened) -> None:
    """Without its passage the question misses the evidence; a passage that is wrong leads elsewhere."""
    passages = one.place.get_by_role("group", name="Hypothetical passages").get_by_role("button")
    first = one.place.locator(".hit").first
    expect(first).to_contain_text("★ An Hour at the Table")
    one.press(passages.nth(0))
    expect(one.answer).to_contain_text("The question does not find")
    expect(one.place.locator(".part")).to_have_count(1)
    one.press(passages.nth(3))
    expect(first).to_contain_text("Lantern Week")
    one.press(passages.nth(2))
    one.press(one.place.get_by_role("radio", name="is left out"))
    expect(one.answer).to_contain_text("The mean of passages 3, 4")
    expect(one.place.locator(".part")).to_have_count(2)
    one.press(first)
    expect(one.place.locator(".text .words")).to_be_visible()
