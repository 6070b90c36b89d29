"""What every card of a report is made with, and the parts that many of them share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.cards.methods import method_view
from core.cards.passages import PassageCard
from core.report.parts import Drawing, Note, Part
from core.runs.record import Record
from core.trace.artefacts import Artefact


@dataclass(frozen=True)
class Scene:
    """The run that a card belongs to."""

    record: Record
    colour: str
    """The strategy's."""
    key: str
    """Unique among the runs of the report; our own."""

    @property
    def evidence(self) -> str:
        """`id` of the drawing that holds the passages given to the answer."""
        return f"{self.key}-evidence"


def made(artefact: Artefact, *, note: bool = True) -> tuple[Part, ...]:
    """Which method made an artefact, and what should be known about it.

    Args:
        artefact: Any.
        note: Whether its note is said here; False: it stands elsewhere.
    """
    parts: list[Part] = []
    if method := method_view(artefact):
        parts.append(Note(f"{method.skill}: {method.method}", "psychology", method.explains))
    if note and artefact.note:
        parts.append(Note(artefact.note, "info"))
    return tuple(parts)


def passages(cards: Sequence[PassageCard], *, compact: bool = True, fold: int = 0, key: str = "") -> Drawing:
    """Passage cards.

    Args:
        cards: Best first.
        compact: Whether their text is shown on a click only.
        fold: How many are seen at once; 0: all of them.
        key: By which citations find them; empty: they do not.
    """
    data = {
        "cards": [card.data() for card in cards],
        "compact": compact,
        "fold": fold,
        "open": "",
        "asked": 0,
    }
    return Drawing("passages", data, key)
