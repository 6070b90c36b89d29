"""What comes out in the exercises of the lessons: where a module of this package has a function `exercise`, that works
it out with the code that runs use, so that it stays true when the code changes."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.skills import methods_in_force
from core.skills.model_kind import CAPABLE
from core.strategies.base import AnyStrategy, Forecast
from core.strategies.lessons import Exercise, stem
from core.trace.artefacts import Ranking
from core.trace.passages import Hit, Passage

Options = Mapping[str, str]
"""Key of an option -> what it says."""


@dataclass(frozen=True)
class Outcome:
    """What happens in an exercise."""

    right: str
    """Key of the option that says so."""
    working: tuple[str, ...] = ()
    """How it comes about, a line each; plain text."""


def outcome(lesson: str, exercise: Exercise) -> Outcome:
    """What happens in the exercise of a lesson: as its module works it out, else as its file says."""
    name = f"core.strategies.{stem(lesson)}"
    if importlib.util.find_spec(name) is None:
        return Outcome(exercise.right)
    work_out = getattr(importlib.import_module(name), "exercise", None)
    found: Outcome = work_out(exercise.options) if work_out else Outcome(exercise.right)
    return found


def ranked(names: str) -> Ranking:
    """A ranking of passages with one letter each."""
    hits = tuple(Hit(rank=rank, score=1 / rank, passage=_passage(name)) for rank, name in enumerate(names, 1))
    return Ranking(query=names, retriever="dense", score_name="score", k=len(names), hits=hits)


def _passage(name: str) -> Passage:
    return Passage(chunk=name, document=name, title=name, text=name, position=0, start=0, end=1)


def nearest(query: Sequence[float], chunks: Mapping[str, tuple[float, float]]) -> Outcome:
    """Which of the chunks a search with this vector finds first."""
    from core.models.embedding_vectors import cosine_matrix

    cosines = cosine_matrix([query], list(chunks.values()))[0]
    found = dict(zip(chunks, cosines, strict=True))
    working = tuple(f"{name}: cosine {cosine:.3f}" for name, cosine in found.items())
    return Outcome(max(found, key=lambda name: found[name]), working)


def forecast(strategy: AnyStrategy, **params: int) -> Forecast:
    """Calls and rounds of a strategy with a model that does everything."""
    return strategy.forecast(strategy.parse(params), methods_in_force(strategy.skills, CAPABLE, {}))
