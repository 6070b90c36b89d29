"""A wrong answer travels where links know of one another, and stays where they do not."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "way": random.choice([one["key"] for one in data["ways"]]),
        "edit": random.choice(["none", *(one["key"] for one in data["edits"])]),
    }


def use(one: Opened) -> None:
    """A wrong answer travels where links know of one another, and stays where they do not."""
    one.press(one.place.get_by_role("radio", name="1 is “Marten Tesk”"))
    one.press(one.place.get_by_role("radio", name="one after the other"))
    expect(one.place.locator(".remark")).to_have_text(["edited", "changed by it", "changed by it"])
    one.press(one.place.get_by_role("radio", name="each by itself"))
    expect(one.place.locator(".remark")).to_have_text(["edited"])
    one.place.get_by_role("radio", name="one after the other").press("ArrowRight")
    expect(one.place.get_by_role("radio", name="from easy to hard")).to_be_checked()
    expect(one.answer).to_contain_text("travelled into links 2, 3")
