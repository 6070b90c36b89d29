"""A chain of thoughts: each sentence of reasoning, and the paragraphs that it brought in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from core.cards.kind import Gist, Kind, Scene, provenance, text_edit
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import passage_card
from core.cards.reranking import searches_reranked
from core.runs import edits
from core.runs.record import Record
from core.skills.think import first_sentence
from core.trace.artefacts import Context, Ranking, Thought
from core.wording import counted

READING = (
    "Each sentence is the next search. A square is a paragraph: filled where the sentence brought it in, "
    "pale where it was there before."
)


def thought_data(artefact: Thought, pool: Context | None, *, searched: bool = True) -> dict[str, Any]:
    """A thought with the passages that it brought in, in the order they were found, for the drawing."""
    _, unused = first_sentence(artefact.written)
    passages = pool.passages if pool else ()
    new = pool.brought_in(artefact.source) if pool else ()
    later = {artefact.model_copy(update={"index": artefact.index + more}).source for more in range(1, 21)}
    gathered = sum(item.source not in later for item in passages)
    return {
        **artefact.model_dump(include={"text", "ends", "note"}),
        "number": artefact.index + 1,
        "rest": unused,
        "cards": [
            asdict(passage_card(passage, rank, None, ""))
            for rank, passage in enumerate(new, gathered - len(new) + 1)
        ],
        "pool": gathered,
        "searched": searched,
    }


def summary(thoughts: Sequence[Thought], pool: Context | None) -> str:
    """How far a chain is, in a few words."""
    written = sum(bool(thought.text) for thought in thoughts)
    words = counted(written, "thought")
    return f"{words}, {len(pool.passages) if pool else 0} paragraphs gathered"


def card(artefact: Thought, scene: Scene) -> Card:
    """All thoughts of the run, at the place of the first."""
    record = scene.record
    thoughts, pool = record.find(Thought) or [artefact], record.context
    found = record.find(Ranking)
    searched = {ranking.query for ranking in found}
    drawn = [thought_data(item, pool, searched=item.text in searched) for item in thoughts]
    data = {"colour": scene.colour, "thoughts": drawn}
    # What is said of a single thought stands beside it.
    anew = searches_reranked([one for one in found if one.query in {item.text for item in thoughts}], scene)
    parts = (Aid(READING), Drawing("thought", data), *anew, *provenance(artefact, note=False))
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
        edit=text_edit(
            "Thought",
            lambda artefact: artefact.text,
            edits.with_thought,
            140,
            lambda artefact: f"Thought {artefact.index + 1}",
        ),
    ),
)
