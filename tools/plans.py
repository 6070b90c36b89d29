"""Makes the plans for a class that come with the app, `data/plans`, by `python -m tools.plans`.

`plans.toml` lists their questions. Wording, options and truth come from the gallery and the lessons, so that they
cannot be wrong.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from core.charts.columns import columns
from core.classroom.plans import FOLDER, Plan, plan_file
from core.classroom.questions import Question
from core.classroom.sources import of_comparison, of_lesson, of_run
from core.runs import gallery
from core.runs.record import record

OUTLINES = Path(__file__).with_suffix(".toml")


def plans() -> dict[str, str]:
    """Name of each plan's file, without its ending -> its text."""
    outlines: dict[str, Any] = tomllib.loads(OUTLINES.read_text(encoding="utf-8"))
    return {key: plan_file(_plan(outline)) for key, outline in outlines.items()}


def _plan(outline: dict[str, Any]) -> Plan:
    questions = [_question(**entry) for entry in outline["questions"]]
    return Plan.model_validate(outline | {"questions": questions})


def _question(source: str, target: str, ask: str, **own: Any) -> Question:
    """One of the questions on a piece of the gallery or a lesson, with the teacher's fields."""
    if source == "lesson":
        made = of_lesson(target)
    else:
        header, runs = gallery.read(next(piece for piece in gallery.PIECES if piece.id == target))
        records = [record(events) for events in runs]
        if header:
            made = of_comparison(columns(records), header.gold, header.question, target)
        else:
            made = of_run(records[0], target)
    return made[ask].model_copy(update=own)


if __name__ == "__main__":
    for key, text in plans().items():
        (FOLDER / f"{key}.json").write_text(text, encoding="utf-8")
        print(f"{key}: {len(text.encode()) / 1000:.0f} kB")
