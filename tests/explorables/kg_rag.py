"""Another relation leads elsewhere, and the next column offers what is there; a dead end is said."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    path: list[int] = []
    nodes = {data["start"]}
    for _ in range(random.randint(0, len(data["steps"]))):
        hops = sorted(
            {hop for source, hop, target, *_ in data["links"] if source in nodes and target != data["start"]}
        )
        if not hops:
            break
        path.append(random.choice(hops))
        nodes = {
            target
            for source, hop, target, *_ in data["links"]
            if source in nodes and hop == path[-1] and target != data["start"]
        }
    return {"path": path}


def use(one: Opened) -> None:
    """Another relation leads elsewhere, and the next column offers what is there; a dead end is said."""
    columns = one.place.locator("section:has(> header)")
    one.press(columns.nth(1).locator(".chip", has_text="42 beds"))
    expect(one.answer).to_contain_text("A dead end: No relation leads on from 42 beds")
    expect(columns.nth(2)).to_contain_text("Not explored")
    one.press(columns.nth(1).locator(".chip", has_text="Hanne Tesk"))
    one.press(columns.nth(2).locator(".chip", has_text="Marten Tesk"))
    expect(columns.nth(3).locator(".chip").first).to_be_visible()
    expect(one.answer).to_contain_text("Your own choice in column 3. Column 4 is yours")
