"""What lies in the folder `lessons`: our own text, the worked examples as they were observed, and the exercises."""

from __future__ import annotations

import json
import tomllib
from functools import cache

from pydantic import BaseModel, ConfigDict

from core.errors import InputError
from core.strategies import strategies
from core.ui.shell.assets import asset

INDEXING = "indexing"
"""Key of the lesson that belongs to no strategy, since all of them search what it is about."""


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Observed(_Read):
    """What one run gave to the answer."""

    gold: int
    """Passages that hold evidence."""
    given: int
    """Passages in all."""
    calls: int
    right: bool
    """Whether the answer held an expected answer word for word."""


class Example(_Read):
    """A demo question and what was observed with it."""

    id: str
    question: str
    evidence: int
    """Passages that hold the evidence."""
    plain: Observed
    plain_as_many: int
    """Evidence in plain retrieval's ranking, down to as many passages as the strategy gave."""
    strategy: Observed


class Examples(_Read):
    """The worked examples of a strategy: where it finds more, and where not; None: no such question was found."""

    tried: int
    helps: Example | None
    fails: Example | None


class _Book(_Read):
    model: str
    embeddings: str
    strategies: dict[str, Examples]


class Exercise(_Read):
    """A question about what will happen; which option is right is worked out by `core.ui.learn.exercises_view`."""

    question: str
    explanation: str
    options: dict[str, str]


@cache
def _book() -> _Book:
    return _Book.model_validate(json.loads(asset("lessons/examples.json")))


@cache
def _exercises() -> dict[str, Exercise]:
    found = tomllib.loads(asset("lessons/exercises.toml"))
    return {key: Exercise.model_validate(value) for key, value in found.items()}


def observed_with() -> str:
    """The model that the examples were found with."""
    return _book().model


def examples(key: str) -> Examples | None:
    """The worked examples of a strategy; None: it has none."""
    return _book().strategies.get(key)


def exercise(key: str) -> Exercise | None:
    """The exercise of a lesson; None: it has none."""
    return _exercises().get(key)


def lesson(key: str) -> str:
    """Our own text of a lesson: on a strategy, or on indexing; empty for a strategy that has none."""
    if key not in strategies() and key != INDEXING:
        raise InputError(f"There is no strategy '{key[:60]}'.")
    try:
        return asset(f"lessons/{key}.md")
    except FileNotFoundError:
        return ""
