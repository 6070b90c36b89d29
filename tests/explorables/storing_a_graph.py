"""More is said about a triple, and the other sentence states it: a hypernode, and an edge for each sentence."""

from __future__ import annotations

from random import Random
from typing import Any

from playwright.sync_api import expect

from tests.explorables import Data, Opened, Values


def state(data: Data, random: Random) -> Values:
    made: list[dict[str, Any]] = []
    depths: list[int] = []
    for _ in range(random.randint(0, data["most"])):
        sentence = random.randrange(len(data["sentences"]))
        count = len(data["sentences"][sentence]["words"])
        about = [place for place, depth in enumerate(depths) if depth < data["deepest"]]
        subject = random.choice(about) if about and random.random() < 0.5 else None
        spans = [sorted(random.randrange(count) for _ in range(2)) for _ in range(3)]
        depths.append(0 if subject is None else depths[subject] + 1)
        made.append(
            {
                "sentence": sentence,
                "subject": spans[0] if subject is None else subject,
                "relation": spans[1],
                "object": spans[2],
            }
        )
    return {"triples": made, "graph": "hidden"}


def use(one: Opened) -> None:
    """More is said about a triple, and the other sentence states it: a hypernode, and an edge for each sentence."""

    def select(sentence: int, *words: str) -> None:
        line = one.place.locator("p.sentence").nth(sentence)
        for word in words:
            one.press(line.get_by_role("button", name=word, exact=True).last)

    one.press(one.place.get_by_role("button", name="Say more about it"))
    select(0, "on", "on", "11", "1903")
    one.press(one.place.get_by_role("button", name="Store this triple"))
    expect(one.place.locator(".pill.hyper")).to_have_count(1)
    expect(one.answer).to_contain_text("3 entities, 1 hypernode, 2 edges")
    select(1, "steamer", "Maid", "was", "wrecked", "Sedge", "Reef")
    one.press(one.place.get_by_role("button", name="Store this triple"))
    expect(one.answer).to_contain_text("“steamer Halcyon Maid” and “Halcyon Maid” are two nodes")
