"""Not quite so far, and the rule is found."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {"level": random.choice([one["key"] for one in data["levels"]])}


def use(one: Opened) -> None:
    """Not quite so far, and the rule is found."""
    one.press(one.place.get_by_role("radio", name="very far"))
    expect(one.place.locator(".query").nth(1)).to_contain_text("the law on ferries")
    one.press(one.place.get_by_role("radio", name="a little"))
    expect(one.place.locator(".said")).to_contain_text("The answer is right")
