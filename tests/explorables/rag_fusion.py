"""A passage that is dragged to the top of a list rises; with k = 1 the first places decide."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "k": random.randint(1, 100),
        "from": random.choice("01"),
        "order": [random.sample(range(len(one["hits"])), len(one["hits"])) for one in data["lists"]],
    }


def use(one: Opened) -> None:
    """A passage that is dragged to the top of a list rises; with k = 1 the first places decide."""
    column = one.place.locator("section.list").nth(1).locator(".chip")
    name = column.nth(3).locator(".name").inner_text()[1:].strip()
    before = one.answer.inner_text()
    one.drag(column.nth(3).locator(".grip"), column.nth(0).locator(".grip"))
    expect(column.nth(0).locator(".name")).to_contain_text(name)
    expect(one.place.locator(".fused .was:not(:empty)").first).to_be_attached()
    one.slide("k", 1)
    expect(one.place.locator(".fused h4")).to_contain_text("1 / (1 + rank)")
    one.press(one.place.get_by_role("radio", name="0, as in some programs"))
    expect(one.place.locator(".fused h4")).to_contain_text("ranks from 0")
    assert one.answer.inner_text() != before
    column.nth(1).focus()
    second = column.nth(1).locator(".name").inner_text()[1:].strip()
    one.page.keyboard.press("Alt+ArrowUp")
    expect(column.nth(0).locator(".name")).to_contain_text(second)
    expect(column.nth(0)).to_be_focused()
