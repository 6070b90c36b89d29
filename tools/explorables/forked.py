"""Recorded runs and their forks, kept small: the picture of each without the text of its passages, which they share.

`tools.recording` plays them and writes the file; lessons compare them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.cards.kind import Scene
from core.cards.outcome import outcome
from core.cards.parts import Drawing
from core.cards.stage import picture
from core.runs.budget import given_passages
from core.runs.record import Record
from core.strategies import get_strategy
from core.trace.artefacts import Route
from tools.explorables.recorded import shown

FILE = Path(__file__).parents[2] / "data" / "recordings" / "forks.json"
TEXT = "pieces"
"""The field of a passage card that holds its text."""


@dataclass(frozen=True)
class Forked:
    """The recorded runs of a question."""

    runs: Mapping[str, Any]
    """`<strategy> <edit>`, or the strategy alone for the run that was left -> what `told` says of it."""
    texts: Mapping[str, Any]
    """Passage -> its text, as passage cards have it."""


def told(run: Record, texts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a run that a lesson needs: its picture, if it has one, its answer, outcome and passages.

    Args:
        run: A run that has ended.
        texts: Where the texts of passages go, which all runs share.

    Raises:
        ValueError: It has not ended, or nobody knows the right answer.
    """
    started = run.started
    made = picture(Scene(run, get_strategy(started.strategy).colour, "")) if started else None
    drawn = next((part for part in made.parts if isinstance(part, Drawing)), None) if made else None
    came = outcome(run)
    if started is None or came is None:
        raise ValueError("this run has not ended, or nobody knows the right answer")
    routes = run.find(Route)
    return {
        "question": started.question,
        "answer": run.answer.text if run.answer else "",
        "verdict": came.verdict,
        "found": came.found,
        "of": came.of,
        "right": came.answers[0] if came.answers else "",
        "calls": len(run.calls),
        "way": routes[-1].way if routes else "",
        "reason": routes[-1].reason if routes else "",
        "given": _light(json.loads(json.dumps(shown(given_passages(run), run))), texts),
        "drawing": drawn.name if drawn else "",
        "data": _light(json.loads(json.dumps(drawn.data)), texts) if drawn else {},
    }


def _light(value: Any, texts: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_light(one, texts) for one in value]
    if not isinstance(value, dict):
        return value
    if TEXT in value and "id" in value:
        plain = "".join(piece["text"] for piece in value[TEXT])
        texts[value["id"]] = [{"text": plain, "marked": False}]
        return {name: one for name, one in value.items() if name != TEXT and one not in ("", False)} | {
            name: "" for name in ("badge", "was", "score") if not value.get(name)
        }
    return {name: _light(one, texts) for name, one in value.items()}


@cache
def forked() -> Forked:
    """Return the content of the file."""
    found = json.loads(FILE.read_text(encoding="utf-8"))
    return Forked(found["runs"], found["texts"])
