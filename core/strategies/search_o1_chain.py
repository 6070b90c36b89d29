"""The chain of a reasoning that searches, as one text: thought, search, what was read, thought …"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.skills.frame import NOTHING, Framed, framed_line, framed_passages
from core.skills.synthesise import renumber_citations
from core.skills.variants import letters
from core.trace.artefacts import Context, SubAnswer, Thought
from core.trace.passages import Passage, numbers_of

AGAIN = "Not searched again: what it found stands above."
NO_MORE = "Not searched: no search was left."
IDLE = "Nothing new was searched. Search for something else, or answer."


@dataclass(frozen=True)
class Asked:
    """A search that a thought asks for."""

    query: str
    number: int | None
    """Its place among the run's searches, from 0; None: it is not made."""
    why_not: str = ""


def asked(thoughts: Sequence[Thought], most: int) -> list[list[Asked]]:
    """The searches of each thought: one that was made before is not made again, and no more than `most` are made."""
    made: dict[str, int] = {}
    chain: list[list[Asked]] = []
    for thought in thoughts:
        searches: list[Asked] = []
        for query in thought.queries:
            if letters(query) in made:
                searches.append(Asked(query, None, AGAIN))
            elif len(made) >= most:
                searches.append(Asked(query, None, NO_MORE))
            else:
                searches.append(Asked(query, made.setdefault(letters(query), len(made))))
        chain.append(searches)
    return chain


def new_searches(searches: Sequence[Asked]) -> list[tuple[int, str]]:
    """Those of a thought's searches that are made, each with its place among the run's searches."""
    return [(search.number, search.query) for search in searches if search.number is not None]


@dataclass(frozen=True)
class Chain:
    """All that was thought and found so far."""

    thoughts: Sequence[Thought]
    searches: Sequence[Sequence[Asked]]
    """Of each thought."""
    hits: Mapping[int, Sequence[str]]
    """Search -> chunks that it found, best first."""
    digests: Mapping[int, SubAnswer]
    """Search -> what was read in them; none where passages stand in the chain as they are."""
    given: Sequence[Passage]
    """The evidence, which citation marks count from 1."""

    def found(self, number: int) -> list[Passage]:
        """The passages that a search found and that are given."""
        numbers = numbers_of(self.given)
        found = dict.fromkeys(numbers[chunk] for chunk in self.hits.get(number, ()) if chunk in numbers)
        return [self.given[place - 1] for place in found]

    def text(self) -> Framed:
        """As the model reads it: a line each, which no line of a document can forge."""
        lines: list[str] = []
        shown: set[str] = set()
        for thought, searches in zip(self.thoughts, self.searches, strict=True):
            lines.append(f"Thought: {framed_line(thought.text)}")
            for search in searches:
                lines.append(f"Search: {framed_line(search.query)}")
                if search.number is None:
                    lines.append(search.why_not)
                elif digest := self.digests.get(search.number):
                    nothing = "Found nothing that helps. " if digest.abstained else "Found: "
                    lines.append(nothing + framed_line(renumber_citations(digest, self.given)))
                elif search.number in self.hits:
                    lines.append(self._raw(search.number, shown))
            if not new_searches(searches):
                lines.append(IDLE)
        return Framed("\n".join(lines) or NOTHING)

    def _raw(self, number: int, shown: set[str]) -> str:
        """The passages of a search as they are, each only where it is first found."""
        numbers = {passage.chunk: place for place, passage in enumerate(self.given, 1)}
        found = self.found(number)
        marks = " ".join(f"[{numbers[passage.chunk]}]" for passage in found)
        new = [passage for passage in found if passage.chunk not in shown]
        shown.update(passage.chunk for passage in new)
        texts = [framed_passages([passage], numbers[passage.chunk]) for passage in new]
        return "\n".join([f"Found: {marks or NOTHING}", *texts])


def given(context: Context) -> list[Passage]:
    """The passages of the evidence that count."""
    return [item.passage for item in context.passages if item.given]
