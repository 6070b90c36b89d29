"""Evidence climbs once the judge reads so far; what lies deeper it never finds, and it can be wrong."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "depth": random.randint(0, 20),
        "k": random.randint(1, 10),
        "asked": str(random.randrange(len(data["asked"]))),
    }


def use(one: Opened) -> None:
    """Evidence climbs once the judge reads so far; what lies deeper it never finds, and it can be wrong."""
    expect(one.answer).to_contain_text("goes from 9th to 5th. So 1 of 1 ★ is among the 6 given")
    one.slide("Hits that the judge reads", 8)
    expect(one.answer).to_contain_text("is 9th, and not read. So 0 of 1")
    one.slide("Passages given", 9)
    expect(one.answer).to_contain_text("1 of 1 ★ is among the 9 given")
    questions = one.place.get_by_role("combobox", name="Question")
    questions.select_option(index=1)
    expect(one.answer).to_contain_text("a judge sorts, and finds nothing")
    questions.select_option(index=2)
    one.slide("Hits that the judge reads", 20)
    one.slide("Passages given", 6)
    expect(one.answer).to_contain_text("So 1 of 2 ★ is among the 6 given; by the search alone 2")
    one.press(one.place.locator(".hit").first)
    expect(one.place.locator(".text .words")).to_be_visible()
