"""Starter cards: questions of the demo documents, and what a strategy was seen to make of them.

`python -m tools.starters` finds them by running and writes the file that is read here. What a card says is
computed from what happened, so that it cannot promise what was not seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from core.corpora.demo import DEMOS, STARTERS, WORLD
from core.trace.passages import Frozen
from core.wording import counted, number_word

FILE = WORLD / "cards.jsonl"
MOST = 4
"""Cards of a strategy: few enough to be read at a glance."""
LEAST = 3
"""Cards of a strategy, where as many questions were tried."""

Who = Literal["recording", "builtin"]
"""The model that answered: the recording that comes with the app, or the built-in one."""
Judged = Literal["right", "wrong", "refusal"]
Shows = Literal["more", "enough", "right", "not_told", "made_up", "none", "lacks", "misread"]
"""The point of a card, see `shows`."""


class Starter(Frozen):
    """A question through a strategy, as it came out with default settings."""

    who: Who
    strategy: str
    """Its key."""
    question: str
    """Id of a question of the demo documents."""
    found: Annotated[int, Field(ge=0)]
    """Pieces of evidence that were given to the answer."""
    of: Annotated[int, Field(ge=0)]
    """Pieces of evidence in all; 0: there is none, or it is not searched for in documents."""
    plain: Annotated[int, Field(ge=0)] | None
    """Pieces that as many passages of plain retrieval hold; None: it is plain retrieval, or nothing was searched."""
    verdict: Judged
    told: bool
    """True if the documents tell the answer."""
    calls: Annotated[int, Field(ge=0)]
    """Model calls."""
    retriever: str
    """With which it was searched; empty: no documents were."""

    @property
    def shows(self) -> Shows:
        """Its point: `more` evidence than plain retrieval and a right answer; that one search is `enough`; a
        `right` answer and no more; that what is `not_told` is not answered, or `made_up`; that there is `none` though
        it is told; a wrong answer since a piece of evidence `lacks`, or `misread` ones."""
        if not self.told:
            return "not_told" if self.verdict == "refusal" else "made_up"
        if self.verdict == "refusal":
            return "none"
        if self.verdict == "wrong":
            return "lacks" if self.found < self.of else "misread"
        if self.of and self.plain is not None and self.found > self.plain:
            return "more"
        beside = self.found if self.plain is None else self.plain
        return "enough" if self.of and self.found == self.of == beside else "right"

    @property
    def sentence(self) -> str:
        """The point of the card, in words."""
        pieces = (
            f"{self.found} of {counted(self.of, 'piece')} of evidence"
            if self.found
            else "none of the evidence"
        )
        more = self.found - (self.plain or 0)
        said: dict[Shows, str] = {
            "more": f"Finds {number_word(more)} more {'piece' if more == 1 else 'pieces'} of evidence than plain with "
            "as many passages",
            "enough": "One search is enough: plain with as many passages finds all, too"
            if self.plain is not None
            else "One search is enough",
            "right": f"Answered rightly, with {pieces}" if self.of else "Answered rightly",
            "not_told": "Not in the documents, and it says so",
            "made_up": "Not in the documents, and answered all the same",
            "none": f"Ends without an answer: {pieces} found" if self.of else "Ends without an answer",
            "lacks": f"Gets it wrong: {pieces} found",
            "misread": "Gets it wrong, with all the evidence at hand" if self.of else "Gets it wrong",
        }
        return said[self.shows]


def starters(strategy: str, who: Who) -> tuple[Starter, ...]:
    """The cards of a strategy in their order; none where nothing was tried. Blocks while reading, once.

    Args:
        strategy: Its key.
        who: Who answers.
    """
    return tuple(one for one in every() if (one.strategy, one.who) == (strategy, who))


@cache
def every() -> tuple[Starter, ...]:
    """All cards."""
    if not FILE.exists():
        return ()
    return tuple(Starter.model_validate_json(line) for line in FILE.read_text(encoding="utf-8").splitlines())


class StarterQuestion(NamedTuple):
    """A question of the demo documents."""

    text: str
    kind: str
    """Kind of reasoning that it takes."""
    shows: str
    """The point that it was written to show."""


@cache
def starter_questions() -> dict[str, StarterQuestion]:
    """Id -> question, as the demo's own files have them: they are known before the documents are indexed."""
    found = {}
    for name in (DEMOS[0].questions, STARTERS):
        for line in (WORLD / name).read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            found[one["id"]] = StarterQuestion(one["text"], one["kind"], one["shows"])
    return found


def chosen(tried: Iterable[Starter]) -> list[Starter]:
    """Those of one strategy that become cards: one of each kind as far as there are, a right answer first.

    Args:
        tried: In the order in which one would show them.
    """
    order: tuple[Shows, ...] = (
        "more", "enough", "right", "not_told", "lacks", "misread", "none", "made_up",
    )  # fmt: skip
    ranked = sorted(tried, key=lambda one: order.index(one.shows))
    first: dict[Shows, Starter] = {}
    for one in ranked:
        first.setdefault(one.shows, one)
    found = list(first.values())
    if len(found) > MOST:  # to see it go wrong teaches more than to see it be right twice
        found = [one for one in found if one.shows != "right" or one is ranked[0]][:MOST]
    others = [one for one in ranked if one not in found]
    found += [one for one in others if one.shows == "more"][: MOST - len(found)]
    found += [one for one in others if one not in found][: max(0, LEAST - len(found))]
    return sorted(found, key=ranked.index)
