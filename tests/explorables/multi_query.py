"""Two queries alone find the rule; one that drifts fills the pool with what nobody else finds."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "on": [random.random() < 0.6 for _ in data["lists"]],
        "drift": random.randint(0, len(data["drift"]) - 1),
        "given": random.randint(4, data["given"]),
    }


def use(one: Opened) -> None:
    """Two queries alone find the rule; one that drifts fills the pool with what nobody else finds."""
    queries = one.place.get_by_role("group", name="Queries", exact=True).get_by_role("button")
    pool = one.place.locator(".drawing .chip")
    expect(one.answer).to_contain_text("Q5 and Q6 find the evidence")
    before = pool.count()
    one.slide("Q6 drifts", 2)
    expect(one.answer).to_contain_text("Q6 alone brings 4")
    assert pool.count() > before
    one.slide("Passages given", 4)
    expect(one.answer).to_contain_text("too far down")
    one.press(queries.nth(4))
    expect(one.answer).to_contain_text("None of these queries finds the evidence")
    expect(one.place.locator(".drawing .query")).to_have_count(5)
