"""A run through its loops: one iteration per search, and one more per answer that was written again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from core.cards.kinds.grades import grade_data
from core.trace.artefacts import Answer, Artefact, Grade, Ranking, Rewrite

CAP = "Cap reached"
AGAIN = "Not supported: written again, told what was unsupported."
PARTLY_AGAIN = "Supported only in part: written again, told what was unsupported."


@dataclass
class Iteration:
    """What happened between two jumps back; all text is raw and must not be interpreted."""

    title: str
    """Which iteration, e.g. `Search 2`."""
    search: str
    """What was searched with; empty: the evidence of the iteration before, or none."""
    found: int | None = None
    """Passages used; None: nothing was searched."""
    chunks: list[dict[str, Any]] = field(default_factory=list)
    draft: str = ""
    """Empty: none was written, so far."""
    number: int = 0
    """Number of the draft, from 1."""
    answer: list[dict[str, Any]] = field(default_factory=list)
    """IsSup and IsUse."""
    led: str = ""
    """What it led to, as a sentence; empty: not known yet."""
    way: str = "open"
    """`back`, `done`, `cap`, or `open` while the run goes on."""
    returned: bool = False
    """Whether its draft is the run's answer."""


def iterations(artefacts: Iterable[Artefact]) -> list[Iteration]:
    """The iterations of a run that grades, from its artefacts in order, as far as it is."""
    found: list[Iteration] = []
    searches = drafts = 0
    for artefact in artefacts:
        match artefact:
            case Ranking():
                searches += 1
                if found and found[-1].way == "open":
                    found[-1].led, found[-1].way = "Not useful, so documents are searched.", "back"
                lap = Iteration(f"Search {searches}", artefact.query, found=len(artefact.used))
                found.append(lap)
            case Grade(what="IsRel") if found:
                found[-1].chunks.append(grade_data(artefact))
            case Grade(what="IsSup" | "IsUse") if found:
                found[-1].answer.append(grade_data(artefact))
            case Answer(final=False):
                drafts += 1
                if not found:
                    found.append(Iteration("From memory", ""))
                elif found[-1].draft:
                    partly = any(grade["verdict"] == "partially" for grade in found[-1].answer)
                    found[-1].led = PARTLY_AGAIN if partly else AGAIN
                    found[-1].way = "back"
                    found.append(Iteration("Same passages", ""))
                found[-1].draft, found[-1].number = artefact.text, drafts
            case Rewrite() if found:
                found[-1].led, found[-1].way = f"{artefact.cause} The question is rewritten.", "back"
            case Answer() if found:
                _end(found, artefact)
    return found


def _end(found: list[Iteration], answer: Answer) -> None:
    """How the run ended, at its last iteration and at the one whose draft it returned."""
    written = [lap for lap in found if lap.draft and lap.draft == answer.text]
    if written:
        written[-1].returned = True
    last = found[-1]
    if not written:
        last.led = f"{CAP}: no answer is given."
    elif CAP in answer.note:
        last.led = f"{CAP}: draft {written[-1].number} is the best there is, and is returned."
    else:
        last.led = f"Good enough: draft {written[-1].number} is the answer."
    last.way = "cap" if CAP in answer.note else "done"
