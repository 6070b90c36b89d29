"""A reader's use of each explorable, and values of its handles: a module per explorable, named as it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page

Data = Mapping[str, Any]
Values = dict[str, Any]


@dataclass
class Opened:
    """An explorable that is open on a page."""

    page: Page
    place: Locator
    """The node that it is drawn in."""
    touch: bool
    """True if a finger is used in place of a mouse."""

    @property
    def answer(self) -> Locator:
        """The sentence that says what it comes to."""
        return self.place.locator("p.answer")

    def press(self, node: Locator) -> None:
        """Click or tap."""
        if self.touch:
            node.tap()
        else:
            node.click()

    def slide(self, name: str, value: float) -> None:
        """Set the slider that is called so, as a drag of its handle does."""
        self.place.get_by_role("slider", name=name).fill(str(value))

    def drag(self, node: Locator, to: Locator) -> None:
        """Drag one thing onto another, by mouse or finger."""
        node.scroll_into_view_if_needed()
        (x, y), (u, v) = _middle(node), _middle(to)
        half = (x + u) / 2, (y + v) / 2
        if not self.touch:
            self.page.mouse.move(x, y)
            self.page.mouse.down()
            self.page.mouse.move(*half)
            self.page.mouse.move(u, v)
            self.page.mouse.up()
            return
        finger = self.page.context.new_cdp_session(self.page)
        moves = [("touchStart", [(x, y)]), ("touchMove", [half]), ("touchMove", [(u, v)]), ("touchEnd", [])]
        for kind, points in moves:
            touched = [{"x": across, "y": down} for across, down in points]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})
            # A finger that is lifted while it moves flings, and the next tap stops that.
            self.page.wait_for_timeout(100)


def _middle(node: Locator) -> tuple[float, float]:
    box = node.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


class Companion(NamedTuple):
    """Knowledge of the tests about an explorable."""

    state: Callable[[Data, Random], Values]
    """Values of its handles at random."""
    use: Callable[[Opened], None]
    """Uses it as a reader does, and expects what has to come of it."""


def companion(stem: str) -> Companion:
    """Of the explorable of this name."""
    module = import_module(f"{__name__}.{stem}")
    return Companion(module.state, module.use)


EMBEDS = {"evaluation", "hyde", "indexing", "multi_query", "plain", "reranking", "small_to_big"}
"""Explorables whose data takes vectors of the built-in embeddings, which differ a little between processors."""
ORDERED = {"hyde", "indexing", "reranking", "small_to_big"}
"""Explorables whose data holds vectors or passages in order of nearness: on another processor, neighbours may change
places."""
ELSEWHERE = 0.01
"""The largest difference of all other numbers from those that another processor made: a share, a cosine."""
SLOW = {"indexing"}
"""Explorables whose data takes minutes to make."""
APART: dict[str, dict[str, float]] = {
    "evaluation": {"low": 0.03, "high": 0.03, "p": 0.03},  # both draw samples, each its own
    "hyde": {"scores": 1e-5},  # the engine counts in 32 bits
}
"""The largest differences of values from the engine's, by their names; all others agree to nine digits."""
CHANGED = re.compile(r"#explore=[a-z0-9-]+&")
"""A fragment that says that handles were moved."""


def close(one: Any, other: Any, apart: float = 1e-12) -> bool:
    """True if two values are the same, numbers to nine digits or as far apart as this."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(close(one[key], other[key], apart) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(close(a, b, apart) for a, b in zip(one, other, strict=True))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return bool(one == pytest.approx(other, rel=1e-9, abs=apart))
    return bool(one == other)
