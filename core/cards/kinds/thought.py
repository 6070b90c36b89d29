"""A chain of thoughts: each with the paragraphs that it brought in, or with its searches and what was read of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from core.cards.kind import Edit, Field, Gist, Kind, Scene, TextField, provenance
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import names, passage_card
from core.cards.reranking import searches_reranked
from core.cards.searches import searches_data
from core.runs import edits
from core.runs.record import Record
from core.skills.replies import read_reply
from core.skills.think import first_sentence
from core.trace.artefacts import Context, Ranking, SubAnswer, Thought
from core.wording import counted

READING = (
    "Each sentence is the next search. A square is a paragraph: filled where the sentence brought it in, "
    "pale where it was there before."
)
ONE_TEXT = (
    "One text, from top to bottom: what the model thinks, what it searches for, and what of the passages was put into "
    "its reasoning. Numbers in brackets are those of the evidence."
)


def thought_data(artefact: Thought, pool: Context | None, *, searched: bool = True) -> dict[str, Any]:
    """A thought with the passages that it brought in, in the order they were found, for the drawing."""
    _, unused = first_sentence(artefact.written)
    passages = pool.passages if pool else ()
    new = pool.brought_in(artefact.source) if pool else ()
    later = {artefact.model_copy(update={"index": artefact.index + more}).source for more in range(1, 21)}
    called = names(new)
    gathered = sum(item.source not in later for item in passages)
    return {
        **artefact.model_dump(include={"text", "ends", "note"}),
        "number": artefact.index + 1,
        "rest": unused,
        "cards": [
            asdict(passage_card(passage, rank, None, "", name=called[passage.chunk]))
            for rank, passage in enumerate(new, gathered - len(new) + 1)
        ],
        "pool": gathered,
        "searched": searched,
    }


def reasoning_data(thoughts: Sequence[Thought], record: Record) -> list[dict[str, Any]]:
    """A reasoning that searches, for the drawing: its thoughts with their searches, and the answer at its end."""
    return [
        {
            **thought_data(thought, None, searched=False),
            "rest": "",
            "searches": searches,
            "answer": read_reply(thought.answer).text if thought.answer else "",
        }
        for thought, searches in zip(thoughts, searches_data(thoughts, record), strict=True)
    ]


def summary(thoughts: Sequence[Thought], pool: Context | None) -> str:
    """How far a chain is, in a few words."""
    written = sum(bool(thought.text) for thought in thoughts)
    gathered = counted(len(pool.passages) if pool else 0, "passage" if asks(thoughts) else "paragraph")
    return f"{counted(written, 'thought')}, {gathered} gathered"


def card(artefact: Thought, scene: Scene) -> Card:
    """All thoughts of the run, at the place of the first."""
    record = scene.record
    thoughts, pool = record.find(Thought) or [artefact], record.context
    found = record.find(Ranking)
    searched = {ranking.query for ranking in found}
    asking = {query for item in thoughts for query in item.queries}
    one_text = asks(thoughts)
    if one_text:
        drawn = reasoning_data(thoughts, record)
    else:
        drawn = [thought_data(item, pool, searched=item.text in searched) for item in thoughts]
        asking = {item.text for item in thoughts}
    data = {"colour": scene.colour, "thoughts": drawn}
    # What is said of a single thought stands beside it.
    anew = searches_reranked([one for one in found if one.query in asking], scene)
    reading = Aid(ONE_TEXT if one_text else READING)
    made = [artefact, *record.find(SubAnswer)[:1]] if one_text else [artefact]
    by = [part for one in made for part in provenance(one, note=False)]
    parts = (reading, Drawing("thought", data), *anew, *by)
    return Card(parts, summary(thoughts, pool))


def asks(thoughts: Sequence[Thought]) -> bool:
    """Whether the thoughts ask for searches or answer, and are not themselves what is searched with."""
    return any(one.queries or one.answer for one in thoughts)


def _inside(record: Record) -> Iterator[tuple[str, int]]:
    """The later thoughts, and what each thought found."""
    chain = False
    for step in record.steps:
        thinks = any(isinstance(artefact, Thought) for artefact in step.artefacts)
        for place, artefact in enumerate(step.artefacts):
            searched = isinstance(artefact, Ranking | SubAnswer) and (thinks or chain)
            if searched or (isinstance(artefact, Thought) and chain):
                yield step.id, place
            chain = chain or isinstance(artefact, Thought)


def _gist(record: Record) -> str:
    thoughts = record.find(Thought)
    searches = counted(len(record.find(Ranking)), "search", "searches")
    if asks(thoughts):
        return f"{counted(len(thoughts), 'thought')}, {searches}"
    return f"{counted(len(thoughts), 'sentence')} of reasoning, {searches}"


def _fields(artefact: Thought) -> Sequence[Field]:
    text = TextField("edit-text", "Thought", artefact.text, 140)
    if not asks([artefact]):
        return (text,)
    return (
        text,
        TextField("edit-queries", "Searches, one a line", "\n".join(artefact.queries), 100),
        TextField("edit-answer", "Answer, where it searches no more", artefact.answer, 140),
    )


def _changed(artefact: Thought, values: Sequence[Any]) -> Thought:
    if len(values) == 1:
        return edits.with_thought(artefact, values[0])
    return edits.with_searches(artefact, *values)


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
            _fields,
            _changed,
            lambda artefact: [one for one in (artefact.text, *artefact.queries, artefact.answer) if one],
            lambda artefact: f"Thought {artefact.index + 1}",
        ),
    ),
)
