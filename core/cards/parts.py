"""The parts that cards are made of, in plain words and data, without HTML and without Streamlit.

Two interpreters draw them: `core.report` with a macro each (`templates/parts.html`), `core.ui.cards.parts` on the page.
All text is raw and must not be interpreted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Drawing:
    """A drawing of `core.drawings` with its data."""

    what: ClassVar[str] = "drawing"
    name: str
    data: Mapping[str, object]
    slot: str = ""
    """Tells it from others of the same name in a card."""
    id: str = ""
    """By which citations find it; empty: they do not."""


@dataclass(frozen=True)
class Aid:
    """How to read what follows or stands above."""

    what: ClassVar[str] = "aid"
    text: str


@dataclass(frozen=True)
class Note:
    """A small line with an icon."""

    what: ClassVar[str] = "note"
    text: str
    icon: str = ""
    help: str = ""


@dataclass(frozen=True)
class Heading:
    """A heading within a card."""

    what: ClassVar[str] = "heading"
    text: str


@dataclass(frozen=True)
class Line:
    """One line of a list; raw text."""

    text: str
    remark: str = ""
    head: str = ""
    """Stands before the text, in bold."""


@dataclass(frozen=True)
class Lines:
    """A list."""

    what: ClassVar[str] = "lines"
    lines: Sequence[Line]
    numbered: bool = True
    struck: bool = False
    """Whether they were left out."""
    quiet: bool = False
    """In small print, without numbers or bullets."""


@dataclass(frozen=True)
class Change:
    """A text and what became of it."""

    what: ClassVar[str] = "change"
    before: str
    after: str


@dataclass(frozen=True)
class Code:
    """Text in monospace."""

    what: ClassVar[str] = "code"
    text: str


@dataclass(frozen=True)
class Fold:
    """Parts that are one click away."""

    what: ClassVar[str] = "fold"
    title: str
    parts: Sequence[Part]
    open: bool = False
    slot: str = ""
    """Tells it from other folds of a card."""


@dataclass(frozen=True)
class Beside:
    """Parts side by side, where there is room."""

    what: ClassVar[str] = "beside"
    columns: Sequence[Sequence[Part]]


@dataclass(frozen=True)
class Prose:
    """A model's text with its formatting."""

    what: ClassVar[str] = "prose"
    text: str
    """Markdown as the model wrote it."""
    chunks: Mapping[int, str] | None = None
    """Number of a passage -> its id: `[2]` leads to it; None: a draft, whose marks lead nowhere."""
    evidence: str = ""
    """`id` of the drawing that holds the passages."""


@dataclass(frozen=True)
class Chip:
    """A citation to click on: one per cited passage."""

    number: int
    """Number of the passage, as the answer cites it."""
    chunk: str
    title: str
    uses: int
    """How many sentences of the answer cite it."""


@dataclass(frozen=True)
class Cites:
    """The passages that an answer cites; each leads to its passage."""

    what: ClassVar[str] = "cites"
    chips: Sequence[Chip]
    evidence: str
    """`id` of the drawing that holds them."""


Part = Drawing | Aid | Note | Heading | Lines | Change | Code | Fold | Beside | Prose | Cites


def drawings(parts: Sequence[Part]) -> set[str]:
    """Names of the drawings among parts."""
    return {part.name for part in parts if isinstance(part, Drawing)}


@dataclass(frozen=True)
class Mark:
    """A small mark: an icon with a word or two, and what it means."""

    icon: str
    text: str
    help: str


@dataclass(frozen=True)
class Card:
    """Artefacts in their frame."""

    parts: Sequence[Part]
    subtitle: str = ""
    kind: str = ""
    title: str = ""
    """What the kind is called."""
    icon: str = ""
    """The kind's icon, a name of Material Symbols."""
    seconds: float | None = None
    """How long its step took; None: nobody says."""
    edited: bool = False
    """Whether somebody put it in the place of what the run had made."""
    mark: Mark | None = None
    """What was recorded of the steps that it is the first card of; None: nothing is said."""
    framed: bool = True
    """Whether it has a frame and a heading; else it stands below a line that says what its heading would."""
