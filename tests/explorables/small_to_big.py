"""Neighbours bring evidence that hits lack; where tokens are few, wide gives less than narrow."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    least, most, _ = data["range"]
    return {
        "give": random.choice([key for key, _ in data["given"]]),
        "most": random.randrange(least, most + 1, 100),
        "asked": str(random.randrange(len(data["asked"]))),
    }


def use(one: Opened) -> None:
    """Neighbours bring evidence that hits lack; where tokens are few, wide gives less than narrow."""
    expect(one.answer).to_contain_text("1 of 3 ★ given")
    one.press(one.place.get_by_role("radio", name="1 neighbour on either side"))
    expect(one.answer).to_contain_text("3 of 3 ★ given. As many tokens of hits alone give 2 of 3 ★")
    expect(one.place.locator(".text .around:not(.out)").first).to_contain_text("given around a hit")
    one.place.get_by_role("combobox", name="Question").select_option(index=1)
    one.slide("Tokens at most", 2600)
    expect(one.answer).to_contain_text("3 of 7 ★ given")
    one.press(one.place.get_by_role("radio", name="documents"))
    expect(one.answer).to_contain_text("2 of 7 ★ given")
    one.press(one.place.get_by_role("radio", name="everything"))
    expect(one.answer).to_contain_text("Of 70 documents, the first 3 by name")
    one.press(one.place.locator("button.page").last)
    expect(one.place.locator("section h4").last).to_have_text("Letter of resignation from Clara Lisk, 1975")
