"""Step-back with handles: how far back the general question goes, in three recorded runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.explorables.forked import forked

QUESTION = "q70"
LEVELS = ("near", "", "far")
TITLES = ("a little", "as the model did", "very far")
HOW = "Choose how far back the general question goes. Below you see what each search found, and the answer."


def make() -> dict[str, Any]:
    """Three runs: what each of their two searches found."""
    known = forked()
    runs = [known.runs[f"step-back {QUESTION} {level}".rstrip()] for level in LEVELS]
    used = {one["card"]["id"] for run in runs for one in run["data"]["passages"]}
    return {
        "question": runs[0]["question"],
        "about": "Three recorded runs on Pellamar, with Claude.",
        "how": HOW,
        "levels": [
            {
                "key": level or "asked",
                "title": title,
                "data": run["data"],
                "answer": run["answer"],
                "verdict": run["verdict"],
                "gold": run["right"],
            }
            for level, title, run in zip(LEVELS, TITLES, runs, strict=True)
        ],
        "texts": {chunk: known.texts[chunk] for chunk in sorted(used)},
    }


def computed(_data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the passages that only the general question found (`added`), and how many hold evidence (`stars`)."""
    level = "" if values["level"] == "asked" else values["level"]
    data = forked().runs[f"step-back {QUESTION} {level}".rstrip()]["data"]
    last = len(data["lists"]) - 1
    added = [
        one for one in data["passages"] if [at for at, rank in enumerate(one["ranks"]) if rank] == [last]
    ]
    return {
        "added": [one["card"]["id"] for one in added],
        "stars": sum(one["card"].get("starred", False) for one in added),
    }
