"""With the restart at 1 nobody walks, and evidence is missing; without the strongest links few come to it."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "restart": random.randint(1, 20) / 20,
        "links": [random.random() < 0.8 for _ in data["cuts"]],
    }


def use(one: Opened) -> None:
    """With the restart at 1 nobody walks, and evidence is missing; without the strongest links few come to it."""
    one.slide("Restart probability", 1)
    expect(one.answer).to_contain_text("1 of 2 ★")
    one.slide("Restart probability", 0.35)
    expect(one.answer).to_contain_text("ships.csv is number 6 (4.4 % stop there)")
    for link in one.place.locator("button.cut", has_text="★ ships.csv").all():
        one.press(link)
        expect(link).to_have_attribute("aria-pressed", "false")
    expect(one.place.locator(".order .was:not(:empty)").first).to_be_attached()
    expect(one.answer).to_contain_text("ships.csv is number 7 (1.5 % stop there)")
