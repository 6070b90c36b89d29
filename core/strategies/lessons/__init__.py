"""Lessons on the strategies, in files named as their module: a text (.md, see `sections`), guess, exercise and line-ups
(.toml), a tour of a recorded run (.tour.toml), and the worked examples that `tools.examples` observed (.json).

A lesson may stand without a strategy; a strategy without one of the files lacks only what would be in it.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Self, TypeVar

from pydantic import Field, TypeAdapter, ValidationError, model_validator

from core.errors import InputError
from core.trace.passages import Frozen

T = TypeVar("T", bound=Frozen)

INDEXING = "indexing"
"""Key of the lesson on what all strategies search."""
EVALUATION = "evaluation"
"""Key of the lesson on measuring them."""


@dataclass(frozen=True)
class Standalone:
    """A lesson that belongs to no strategy."""

    key: str
    title: str
    idea: str
    """One sentence."""
    page: str
    """Name of the page that it is about, and of its file."""
    chapter: str
    """Key of the chapter in which it stands, see `core.strategies.families`; there it comes before the strategies."""


class Question(Frozen):
    """A question about what will happen, with the option that is right."""

    question: str
    right: str
    """Key of the option that is right."""
    options: dict[str, str] = Field(min_length=2, max_length=4)

    @model_validator(mode="after")
    def _right_is_an_option(self) -> Self:
        if self.right not in self.options:
            raise ValueError(f"there is no option '{self.right}'")
        return self


class Guess(Question):
    """A question that is asked before the handles of the explorable are moved, and answered by moving them."""

    id: str
    """Unique among the guesses of all lessons."""
    move: dict[str, str] = Field(min_length=1)
    """The handles to be moved, and their values as they stand in the address; the others stay as at first."""
    shows: str
    """Words that the explorable says after this move, and not before; a test compares them."""
    after: str
    """The outcome and its reason, in a sentence or two."""


class Exercise(Question):
    """A question at the end of a lesson."""

    explanation: str
    working: tuple[str, ...] = ()
    """Its steps, a line each; plain text."""
    tempting: dict[str, str]
    """Key of each wrong option -> why one may choose it, and what it overlooks."""

    @model_validator(mode="after")
    def _every_wrong_option_is_explained(self) -> Self:
        if set(self.tempting) != set(self.options) - {self.right}:
            raise ValueError("'tempting' has a sentence for each wrong option, and for no other")
        return self


class Place(Frozen):
    """A strategy's place in a line-up: how it is set there."""

    name: str
    """Name of the line-up."""
    retriever: str = ""
    """Empty: the default for the documents."""
    params: dict[str, Any] = Field(default_factory=dict)
    """Parameters that are not at their default."""
    order: int | None = None
    """Place among the others of the line-up; None: as in teaching order."""


class Remark(Frozen):
    """A point in which a strategy's script differs from its runs."""

    says: str
    """One or two sentences."""
    retrievers: tuple[str, ...] = ()
    """Retrievers of the runs of which it is true; none: it is true of all runs."""


class Lesson(Frozen):
    """The parts of a lesson beside its text."""

    guess: Guess | None = None
    exercise: Exercise | None = None
    lineups: tuple[Place, ...] = ()
    """Comparisons worth seeing in which the strategy takes part."""
    remarks: tuple[Remark, ...] = ()
    """Sentences for the notebook of a run, which continues with the strategy's script."""


class Observed(Frozen):
    """Counts of one run: what its answer was given, and what it cost."""

    gold: int
    """Pieces of evidence in these passages."""
    given: int
    """Passages in all."""
    calls: int
    right: bool
    """True if the answer is right, as `core.evaluation.answers` judges it."""


class Example(Frozen):
    """A demo question and what was observed with it."""

    id: str
    question: str
    shows: str = ""
    """The point that the question is there to show."""
    evidence: int
    """Pieces of evidence that there are to find."""
    plain: Observed
    plain_as_many: int
    """Evidence in plain retrieval's ranking, down to as many passages as the strategy gave."""
    strategy: Observed


class Examples(Frozen):
    """The worked examples of a strategy: where it finds more, and where not; None: no such question was found."""

    model: str
    """Model that answered."""
    builtin: bool = True
    """True if it is the tiny built-in one."""
    recording: str = ""
    """Name of the recording that was played; empty: the model itself was asked."""
    embeddings: str
    retriever: str = "dense"
    """Key of the retriever, where the strategy leaves the choice."""
    tried: int
    helps: Example | None
    fails: Example | None


@cache
def lesson(key: str) -> Lesson:
    """The lesson with this key but for its text; empty where it has no such file.

    Raises:
        InputError: The file is not as it should be; the sentence names it.
    """
    return read_toml(Lesson, f"{stem(key)}.toml", _read(key, "toml"))


def read_toml(kind: type[T], name: str, source: str) -> T:
    """A lesson or a tour from the text of a file with this name; see `lesson`."""
    try:
        return kind.model_validate(tomllib.loads(source))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise InputError(f"The {kind.__name__.lower()} in '{name}' cannot be read: {error}") from None


EXAMPLES: TypeAdapter[tuple[Examples, ...]] = TypeAdapter(tuple[Examples, ...])
"""The content of a file of worked examples."""


@cache
def examples(key: str) -> tuple[Examples, ...]:
    """The worked examples of a strategy, by who answered, the most capable first; empty: it has none."""
    source = _read(key, "json")
    return EXAMPLES.validate_json(source) if source else ()


def text(key: str) -> str:
    """The text of a lesson as Markdown, see `sections`; empty where it has no such file."""
    return _read(key, "md")


@cache
def _read(key: str, kind: str) -> str:
    file = resources.files(__name__) / f"{stem(key)}.{kind}"
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def stem(key: str) -> str:
    """The name of the files of a strategy or a lesson."""
    return key.replace("-", "_")


STANDALONE = tuple(Standalone(**row) for row in tomllib.loads(_read("standalone", "toml"))["lessons"])
"""In the order in which they are listed."""


def key_of(stem: str) -> str:
    """The strategy or the lesson whose files are called so."""
    return stem.replace("_", "-")


class Stop(Frozen):
    """A sentence of a tour, and the part of the run that it is about."""

    card: str
    """Its name in the report: a section (`baseline`, `answer`, `totals`, ...) or a kind of artefact, the second of
    its kind as `ranking 2`."""
    part: tuple[str, ...] = ()
    """The part of the card, as `list 2 > passage 1` (see `tour.js`); empty: all of it."""
    read: bool = False
    """True if the words of the parts are shown, where a click shows them."""
    says: str
    """One sentence. `{calls}` and other facts are filled in from the run, see `core.report.tour`."""


class Tour(Frozen):
    """A run of the gallery and what is said about it."""

    piece: str
    """Id in the gallery; of a comparison, the run of the strategy is meant."""
    made: str
    """The digest of what the run made when the sentences were written; a test compares it."""
    stops: tuple[Stop, ...] = Field(min_length=1)


@cache
def tour(key: str) -> Tour | None:
    """The tour of a strategy; None: it has none.

    Raises:
        InputError: The file is not as it should be; the sentence names it.
    """
    source = _read(key, "tour.toml")
    return read_toml(Tour, f"{stem(key)}.tour.toml", source) if source else None
