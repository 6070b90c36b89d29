"""The last sentence is found, until chunks are so large that the encoder does not read it."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "size": random.randrange(len(data["sizes"])),
        "share": str(random.randrange(len(data["shares"]))),
        "asked": str(random.randrange(len(data["asked"]))),
    }


def use(one: Opened) -> None:
    """The last sentence is found, until chunks are so large that the encoder does not read it."""
    one.place.get_by_role("combobox", name="Question").select_option(index=9)
    expect(one.answer).to_contain_text("1st of")
    one.slide("Chunk size", 4)
    expect(one.answer).to_contain_text("stops reading")
    expect(one.place.locator(".page .unread").first).to_be_visible()
    borders = one.place.locator(".page .border")
    before = borders.count()
    one.press(one.place.locator("td button").nth(0))
    expect(one.place.get_by_role("slider", name="Chunk size")).to_have_value("0")
    assert borders.count() > before
    one.press(one.place.get_by_role("radio", name="half of it"))
    expect(one.place.locator(".page .shared").first).to_be_visible()
