"""A chain of thoughts: each sentence of reasoning, and the paragraphs that it brought in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from core.cards.kind import Edit, Gist, Kind, Scene, TextField, provenance
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import PassageCard, passage_card
from core.runs import edits
from core.runs.record import Record
from core.skills.think import first_sentence
from core.trace.artefacts import AnyArtefact, Context, Ranking, Thought
from core.wording import counted

READING = (
    "Each sentence is the next search. A square is a paragraph: filled where the sentence brought it in, "
    "pale where it was there before."
)


@dataclass(frozen=True)
class ThoughtView:
    """One link of the chain of thoughts; raw text."""

    number: int
    text: str
    rest: str
    """What was written after the first sentence, and is not used."""
    cards: tuple[PassageCard, ...]
    """Passages that came in new."""
    pool: int
    """Passages gathered so far."""
    ends: str
    note: str
    searched: bool
    """Whether its search is done."""

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


def thought_view(artefact: Thought, pool: Context | None = None, *, searched: bool = True) -> ThoughtView:
    """A thought with its new passages, in the order they were found.

    Args:
        artefact: The thought.
        pool: Everything that was gathered, with where each passage came from.
        searched: Whether its search is done.
    """
    _, rest = first_sentence(artefact.written)
    passages = pool.passages if pool else ()
    new = pool.brought_in(artefact.source) if pool else ()
    later = {artefact.model_copy(update={"index": artefact.index + more}).source for more in range(1, 21)}
    gathered = sum(item.source not in later for item in passages)
    cards = tuple(
        passage_card(passage, rank, None, "") for rank, passage in enumerate(new, gathered - len(new) + 1)
    )
    return ThoughtView(
        artefact.index + 1, artefact.text, rest, cards, gathered, artefact.ends, artefact.note, searched
    )


def summary(thoughts: Sequence[Thought], pool: Context | None) -> str:
    """How far a chain is, in a few words."""
    written = sum(bool(thought.text) for thought in thoughts)
    words = counted(written, "thought")
    return f"{words}, {len(pool.passages) if pool else 0} paragraphs gathered"


def card(artefact: Thought, scene: Scene) -> Card:
    """All thoughts of the run, at the place of the first."""
    record = scene.record
    thoughts, pool = record.find(Thought) or [artefact], record.context
    searched = {ranking.query for ranking in record.find(Ranking)}
    views = [thought_view(item, pool, searched=item.text in searched) for item in thoughts]
    data = {"colour": scene.colour, "thoughts": [view.data() for view in views]}
    # What is said of a single thought stands beside it.
    parts = (Aid(READING), Drawing("thought", data), *provenance(artefact, note=False))
    return Card(parts, summary(thoughts, pool))


def _inside(record: Record) -> Iterator[tuple[str, int]]:
    """The later thoughts, and what each thought found."""
    chain = False
    for step in record.steps:
        thinks = any(isinstance(artefact, Thought) for artefact in step.artefacts)
        for place, artefact in enumerate(step.artefacts):
            searched = isinstance(artefact, Ranking) and (thinks or chain)
            if searched or (isinstance(artefact, Thought) and chain):
                yield step.id, place
            chain = chain or isinstance(artefact, Thought)


def _fields(artefact: Thought) -> tuple[TextField]:
    return (TextField("edit-text", "Thought", artefact.text, 140),)


def _change(artefact: Thought, values: Sequence[str]) -> AnyArtefact:
    return edits.with_text(artefact, values[0])


def _gist(record: Record) -> str:
    sentences = counted(len(record.find(Thought)), "sentence")
    return f"{sentences} of reasoning, {counted(len(record.find(Ranking)), 'search', 'searches')}"


KINDS = (
    Kind(
        key="thought",
        title="Thought",
        icon="psychology_alt",
        moment="A thought",
        gist=Gist(30, _gist),
        card=card,
        inside=_inside,
        spans=True,
        edit=Edit(
            _fields, _change, lambda artefact: [artefact.text], lambda artefact: str(artefact.index + 1)
        ),
    ),
)
