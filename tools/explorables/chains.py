"""A chain of sub-questions with handles: what is changed in it, and how the links are answered, are recorded forks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.strategies import get_strategy
from core.strategies.lessons import key_of
from tools.explorables.forked import forked

QUESTION = "q03"
WAYS = tuple(
    title.removesuffix(f" {QUESTION}")
    for title, run in sorted(forked().runs.items())
    if title.endswith(f" {QUESTION}") and run["drawing"] == "links"
)
TITLES = ("each by itself", "one after the other", "from easy to hard")
"""Of the strategies that were recorded with this question, in the order of their keys, how they answer."""
HOW = (
    "Choose a change: it puts another answer into a link, or reverses the order. "
    "Choose also how the links are answered. What came of it was recorded each time."
)
EDITS: tuple[tuple[str, int, str, str], ...] = (
    ("first-wrong", 1, "1 is “Marten Tesk”", "Link 1 now names another Warden, Marten Tesk."),
    ("first-unknown", 1, "1 has no answer", "Link 1 now finds nothing."),
    ("second-wrong", 2, "2 is “Ilse Marrack”", "Link 2 now names another woman, Ilse Marrack."),
    ("third-wrong", 3, "3 is “1931”", "Link 3 now says 1931."),
    ("backwards", 0, "reversed", "The last sub-question is asked first."),
)
"""Key of a fork, the link that is edited (0: all), what the handle says, and what it did."""


def chain(module: str) -> dict[str, Any]:
    """The data of the lesson that is named as this module, about one way to answer sub-questions."""
    way = key_of(module.rpartition(".")[2])
    known = forked()
    wanted = [f"{key} {QUESTION}" for key in WAYS]
    runs = {
        title.replace(f" {QUESTION}", ""): run
        for title, run in known.runs.items()
        if any(title == one or title.startswith(f"{one} ") for one in wanted)
    }
    used = {card["id"] for run in runs.values() for link in run["data"]["links"] for card in link["cards"]}
    right = runs[way]["right"]
    return {
        "drawing": "chain",
        "question": runs[way]["question"],
        "about": "Recorded runs on Pellamar, with Claude; what follows a change was recorded, too.",
        "how": HOW,
        "way": way,
        "ways": [{"key": key, "title": title} for key, title in zip(WAYS, TITLES, strict=True)],
        "edits": [
            {"key": key, "number": number, "label": label, "told": told} for key, number, label, told in EDITS
        ],
        "verdicts": {
            "right": "That is right.",
            "wrong": f"That is wrong; the right one is {right}.",
            "refusal": f"It says what it lacks; the right answer is {right}.",
            "unclear": f"Judge for yourself; the right one is {right}.",
        },
        "runs": {
            key: {
                "answer": run["answer"],
                "verdict": run["verdict"],
                "data": run["data"] | {"colour": get_strategy(way).colour},
            }
            for key, run in runs.items()
        },
        "texts": {chunk: known.texts[chunk] for chunk in sorted(used)},
    }


def computed(_data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`verdict` on the answer, and numbers of the links that `changed`; `values`: `way` and `edit`."""
    runs, way = forked().runs, f"{values['way']} {QUESTION}"
    asked, run = runs[way], runs[way if values["edit"] == "none" else f"{way} {values['edit']}"]
    before = {
        link["number"]: (link["short"] or link["text"], link["searched"]) for link in asked["data"]["links"]
    }
    return {
        "verdict": run["verdict"],
        "changed": [
            link["number"]
            for link in run["data"]["links"]
            if (link["short"] or link["text"], link["searched"]) != before.get(link["number"])
        ],
    }
