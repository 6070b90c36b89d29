"""Each way shows what all came to; for the glow the router errs, and no search was needed."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    ways = ["", *(one["key"] for one in data["ways"])]
    return {f"way{at}": random.choice(ways) for at, _ in enumerate(data["asked"], 1)}


def use(one: Opened) -> None:
    """Each way shows what all came to; for the glow the router errs, and no search was needed."""
    ways = one.place.locator("button.way")
    expect(ways).to_have_text(["?1 call", "?1 call", "?4 calls in 4 rounds, at most 7"] * 3)
    one.press(ways.nth(1))
    expect(one.answer).to_contain_text("You: 1 of 1 right, 1 call. The router: 1 of 1 right, 2 calls")
    expect(ways.nth(1)).to_contain_text("you and the router")
    one.press(ways.nth(5))
    one.press(ways.nth(6))
    expect(ways.nth(7)).to_contain_text("the router")
    expect(one.answer).to_contain_text("You: 3 of 3 right, 5 calls. The router: 2 of 3 right, 8 calls")
    expect(one.place.locator(".said")).to_contain_text("So it chose one search")
