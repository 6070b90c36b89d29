"""A sentence brings in what its search found; the model's sentence brings in the evidence, and then the answer."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    places = ["none", *map(str, range(len(data["sentences"])))]
    return {"step": random.choice("123"), "search": random.choice(places)}


def use(one: Opened) -> None:
    """A sentence brings in what its search found; the model's sentence brings in the evidence, and then the answer."""
    sentence = "The Warden of the Republic is elected for one term of ten years."
    one.press(one.place.get_by_role("radio", name=sentence, exact=True))  # the guess quotes it, too
    expect(one.answer).to_contain_text("brings in 0 of the 2 ★ that are missing")
    one.press(one.place.get_by_role("radio", name="2, the model's sentence"))
    expect(one.answer).to_contain_text("3 of 3 ★")
    one.press(one.place.get_by_role("radio", name="3, the answer"))
    expect(one.place.locator(".ending")).to_contain_text("1915")
