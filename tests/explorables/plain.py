"""Words find what the meaning misses, unless the rare word is off; a passage says word by word why it matched."""

from __future__ import annotations

from random import Random

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    return {
        "share": random.randint(0, 10) / 10,
        "k": random.randint(1, 10),
        "off": random.choice(["", *(str(at) for at in range(len(data["words"])))]),
        "chosen": str(random.choice(data["passages"])["place"]),
    }


def use(one: Opened) -> None:
    """Words find what the meaning misses, unless the rare word is off; a passage says word by word why it matched."""
    expect(one.answer).to_contain_text("0 of 2 ★ are among the 6 given")
    one.slide("Words or meaning", 0)
    expect(one.answer).to_contain_text("★ officers.csv · chunk 4 is 2nd")
    first, second = one.place.locator(".hit").nth(0), one.place.locator(".hit").nth(1)
    expect(second).to_contain_text("officers.csv")
    one.press(one.place.get_by_role("radio", name="director", exact=True))
    expect(second).not_to_contain_text("officers.csv")
    expect(one.place.locator("tr.off .adds")).to_have_text("–")
    one.press(first)
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(one.place.locator(".stage section h4").nth(1)).to_contain_text("1st now")
    one.slide("Passages given", 2)
    expect(one.place.locator(".hit.left")).to_have_count(8)
