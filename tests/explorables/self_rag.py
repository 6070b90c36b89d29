"""A draft that passes ends the run; without anything relevant it goes round to the cap, without new texts."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    recorded = {
        f"search{at}": [one["passes"] for one in search["graded"]]
        for at, search in enumerate(data["searches"], 1)
    } | {f"draft{at}": [one["passes"] for one in draft] for at, draft in enumerate(data["drafts"], 1)}
    flipped = {name: [on != (random.random() < 0.2) for on in grades] for name, grades in recorded.items()}
    return flipped | {"rest": random.choice(list(data["assumed"]))}


def use(one: Opened) -> None:
    """A draft that passes ends the run; without anything relevant it goes round to the cap, without new texts."""
    rest = one.place.get_by_role("radio", name="irrelevant")
    expect(rest).to_be_hidden()
    one.press(one.place.get_by_role("group", name="Draft 1").get_by_role("button", name="useful"))
    expect(one.answer).to_contain_text("1 search, 1 draft")
    expect(
        one.place.get_by_role("group", name="Draft 2").get_by_role("button", name="useful")
    ).to_be_disabled()
    relevant = one.place.get_by_role("group", name="Search 1")
    for _ in range(2):
        one.press(relevant.locator("button[aria-pressed=true]").first)
    expect(one.place.locator(".box.ghost").first).to_contain_text("A new query would be written here")
    one.press(rest)
    expect(one.answer).to_contain_text("Limit reached: no answer is given.")
