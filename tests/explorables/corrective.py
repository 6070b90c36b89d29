"""A part that is taken for the answer ends the search too early; where nothing counts, all is thrown away."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    verdicts = random.choice((("no",), ("no", "partly"), ("no", "partly", "yes")))
    return {f"grade{at}": random.choice(verdicts) for at in range(1, len(data["passages"]) + 1)}


def use(one: Opened) -> None:
    """A part that is taken for the answer ends the search too early; where nothing counts, all is thrown away."""
    first = one.place.get_by_role("group", name="University of Tollerby")
    one.press(first.get_by_role("radio", name="yes"))
    expect(one.answer).to_contain_text("1 of 2 ★ is given: nothing is looked for elsewhere")
    one.press(first.get_by_role("radio", name="no", exact=True))
    expect(one.answer).to_contain_text("The search is incorrect")
    expect(one.place.locator(".box.ghost").first).to_contain_text("A new query would be written here")
