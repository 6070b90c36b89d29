"""Another tool brings back something else, for which there is no critique; the model's calls have theirs."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    counts = [sum(one["part"] == part for one in data["calls"]) for part in range(len(data["parts"]))]
    return {f"part{at}": str(random.randrange(count)) for at, count in enumerate(counts, 1)}


def use(one: Opened) -> None:
    """Another tool brings back something else, for which there is no critique; the model's calls have theirs."""
    expect(one.place.locator(".verdict")).to_contain_text("Enough")
    one.press(one.place.get_by_role("radio", name="works_of_person: works of “naval architect”"))
    expect(one.place.locator(".call").last).to_contain_text("found nothing")
    expect(one.place.locator(".verdict")).to_have_count(0)
    one.press(one.place.get_by_role("radio", name="ships_of_yard"))
    expect(one.place.locator(".call").first).to_contain_text("4 rows")
