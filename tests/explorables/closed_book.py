"""Closed book: a verdict that the reader foresees shows the answer; it is about one question and one model."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    place = random.randrange(len(data["asked"]))
    model = random.choice([one["key"] for one in data["models"]])
    other = random.choice(data["asked"])["key"]
    about = random.choice([data["asked"][place]["key"], other])
    return {
        "asked": str(place),
        "model": model,
        "documents": random.choice(["without", "with"]),
        "memory": random.choice(["", f"{about}.{model}.{random.choice(['right', 'wrong', 'refusal'])}"]),
    }


def use(one: Opened) -> None:
    """Closed book: a verdict that the reader foresees shows the answer; it is about one question and one model."""
    expect(one.answer).to_contain_text("Choose, then see")
    one.press(one.place.get_by_role("radio", name="that it does not know"))
    expect(one.answer).to_contain_text("Yes. From memory it says that it does not know")
    one.press(one.place.get_by_role("radio", name="searched once"))
    expect(one.answer).to_contain_text("With documents it is right, and cites them: 1 of 1 ★ was found")
    one.press(one.place.locator("summary"))
    expect(one.place.locator(".words")).to_be_visible()
    one.press(one.place.get_by_role("radio", name="the tiny built-in model"))
    expect(one.answer).to_contain_text("Choose, then see")
    one.place.get_by_role("combobox", name="Question").select_option(index=1)
    one.press(one.place.get_by_role("radio", name="something right"))
    expect(one.answer).to_contain_text("No. From memory it is wrong, and sounds just as sure")
    expect(one.place.locator(".stage section").first).to_contain_text("Rayleigh scattering")
