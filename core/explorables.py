"""Explorables: pictures of recorded runs with handles, one per lesson, that answer in the browser.

Their data is stored in `data/explorables`, named as the lesson's file, so that a page needs no model for it.
`tools/explorables` makes it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from core.cards.parts import Drawing
from core.drawings import EXPLORABLE
from core.strategies.lessons import key_of, lesson

FOLDER = Path(__file__).parents[1] / "data" / "explorables"


@cache
def stored(stem: str) -> Drawing | None:
    """The explorable of a lesson (the name of its file, e.g. `rag_fusion`), to be drawn, with the guess that the lesson
    asks first; None: this lesson has none."""
    file = FOLDER / f"{stem}.json"
    if not file.is_file():
        return None
    data = json.loads(file.read_text(encoding="utf-8"))
    if guess := lesson(key_of(stem)).guess:
        # Options are pairs, so that they keep their order.
        options = {"options": list(guess.options.items())}
        data["guess"] = guess.model_dump(exclude={"id", "shows"}) | options
    return Drawing(f"{EXPLORABLE}{data.get('drawing', stem)}", data)
