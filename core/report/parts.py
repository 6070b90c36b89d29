"""What a report is made of: cards with parts, each part drawn by one macro of `templates/parts.html`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from markupsafe import Markup

from core.cards.evidence import Chip
from core.cards.fusion import BumpLine
from core.cards.kinds import ICONS, TITLES


@dataclass(frozen=True)
class Drawing:
    """A drawing of `core.drawings` with its data."""

    what: ClassVar[str] = "drawing"
    name: str
    data: Mapping[str, object]
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


@dataclass(frozen=True)
class Beside:
    """Parts side by side, where there is room."""

    what: ClassVar[str] = "beside"
    columns: Sequence[Sequence[Part]]


@dataclass(frozen=True)
class Prose:
    """What a model wrote, with its formatting."""

    what: ClassVar[str] = "prose"
    html: Markup


@dataclass(frozen=True)
class Cites:
    """The passages that an answer cites; each leads to its passage."""

    what: ClassVar[str] = "cites"
    chips: Sequence[Chip]
    evidence: str
    """`id` of the drawing that holds them."""


@dataclass(frozen=True)
class Bump:
    """How ranks change from the lists to the fused one."""

    what: ClassVar[str] = "bump"
    names: Sequence[str]
    """Of the lists, the fused one last."""
    lines: Sequence[BumpLine]

    @property
    def deepest(self) -> int:
        """The worst rank, at least 1."""
        return max((rank for line in self.lines for rank in line.ranks if rank is not None), default=1)

    def x(self, place: int) -> str:
        """Where a list stands, in percent of the width."""
        return f"{5 + 90 * place / max(1, len(self.names) - 1):.2f}%"

    def dots(self, line: BumpLine) -> Sequence[tuple[str, int]]:
        """Where a line goes: the place of each list that holds the passage, and the rank there."""
        return [(self.x(place), rank) for place, rank in enumerate(line.ranks) if rank is not None]


Part = Drawing | Bump | Aid | Note | Heading | Lines | Change | Code | Fold | Beside | Prose | Cites


@dataclass(frozen=True)
class Card:
    """An artefact in its frame."""

    kind: str
    parts: Sequence[Part]
    subtitle: str = ""
    seconds: float | None = None
    """How long its step took."""
    edited: bool = False
    """Whether somebody put it in the place of what the run had made."""

    @property
    def title(self) -> str:
        """What its kind is called."""
        return TITLES[self.kind]

    @property
    def icon(self) -> str:
        """Icon of its kind."""
        return ICONS[self.kind]
