"""With all questions there is a difference; with few of them, or without four gains, there is none."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "count": random.randint(20, len(data["questions"])),
        "seed": random.randint(1, data["seeds"]),
        "group": str(random.randrange(len(data["groups"]))),
        "in": [random.random() < 0.95 for _ in data["questions"]],
    }


def use(one: Opened) -> None:
    """With all questions there is a difference; with few of them, or without four gains, there is none."""
    expect(one.answer).to_contain_text("a difference")
    tiles = one.place.locator(".tile")
    on = one.place.locator(".tile.counts")
    expect(on).to_have_count(tiles.count())
    for better in one.place.locator(".tile.more").all()[:4]:
        one.press(better)
    expect(one.answer).to_contain_text("no significant difference")
    expect(on).to_have_count(tiles.count() - 4)
    one.slide("Questions, at most", 10)
    expect(on).to_have_count(10)
    before = one.answer.inner_text()
    one.slide("Seed", 5)
    expect(one.answer).not_to_have_text(before)
    one.press(one.place.get_by_role("radio", name="in several steps"))
    expect(one.answer).to_contain_text("On 10 questions of this kind")
    one.slide("Questions, at most", 80)
    expect(one.answer).to_contain_text(f"On {on.count()} questions of this kind")
