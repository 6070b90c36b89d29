"""A chain of thoughts as a picture: a rung per thought, with its searches and the passages that they brought.

Drawn as turns, see `core.cards.turns`: each rung leads to the next. Plain data; all text is raw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.cards.ending import ending
from core.cards.gist import unformatted
from core.cards.kinds.thought import asks, summary
from core.cards.searches import searches_data
from core.cards.turns import Box, Names, Turn, names_in
from core.runs.record import Record
from core.trace.artefacts import Ranking, Thought
from core.trace.passages import Passage
from core.wording import counted

READING = (
    "A rung is a sentence of reasoning, its search, and the passages that this brought in. A line leads to the "
    "sentence that was written next. Choose a box to read what is in it."
)
READING_SEARCHES = (
    "A rung is a piece of reasoning, what it searches for, and what is read of the passages found; that goes into the "
    "next piece. Choose a box to read what is in it."
)


def ladder(record: Record) -> dict[str, Any] | None:
    """What the picture shows; None: nothing is thought yet."""
    thoughts = record.find(Thought)
    if not thoughts:
        return None
    called = names_in(record)
    made = _with_searches(thoughts, record, called) if asks(thoughts) else _searched(thoughts, record, called)
    if record.answer:
        made[-1].way, made[-1].led = "done", thoughts[-1].ends or "The answer is read from all passages."
    return {
        "turns": [asdict(turn) for turn in made],
        "ladder": True,
        "summary": summary(thoughts, record.context),
    } | ending(record)


def reading(record: Record) -> str:
    """How to read the picture of a run."""
    return READING_SEARCHES if asks(record.find(Thought)) else READING


def _searched(thoughts: Sequence[Thought], record: Record, called: Names) -> list[Turn]:
    """Thoughts that are searched with themselves (IRCoT): the question is the first rung."""
    context = record.context
    searched = {ranking.query for ranking in record.find(Ranking)}
    question = record.started.question if record.started else ""
    asked = Box(0, "The question", text=question, told=f"The question: {question}")
    first = Turn("The question", [asked], way="back")
    first.boxes.append(_found(context.brought_in("the question") if context else (), called))
    made = [first]
    for thought in thoughts:
        if not thought.text:
            continue
        rung = Turn(f"Thought {thought.index + 1}", [_thought(thought)], way="back")
        if not thought.ends and thought.text in searched:
            rung.boxes.append(_found(context.brought_in(thought.source) if context else (), called))
        made.append(rung)
    return made


def _thought(thought: Thought) -> Box:
    said = "a guess" if thought.guess else ""
    told = f"Thought {thought.index + 1}{f', {said}' if said else ''}: {thought.text} {thought.ends}".strip()
    return Box(0, f"Thought {thought.index + 1}", said, thought.text, told=told)


def _found(new: Sequence[Passage], called: Names) -> Box:
    """What a search brought in that was not there before."""
    items = tuple(called.item(passage, rank) for rank, passage in enumerate(new, 1))
    said = f"{len(new)} new" if new else "nothing new"
    told = (
        f"The search brought in {counted(len(new), 'passage')}."
        if new
        else "The search brought in nothing new."
    )
    return Box(1, "Search", said, items=items, told=told)


def _with_searches(thoughts: Sequence[Thought], record: Record, called: Names) -> list[Turn]:
    """Thoughts that ask for searches (reasoning with search): each with what was read of its passages."""
    passages = {hit.passage.chunk: hit.passage for one in record.find(Ranking) for hit in one.used}
    made = []
    for thought, searches in zip(thoughts, searches_data(thoughts, record), strict=True):
        rung = Turn(f"Thought {thought.index + 1}", [_thought(thought)], way="back")
        for search in searches:
            items = tuple(called.item(passages[card["id"]], int(card["rank"])) for card in search["cards"])
            new = "" if search["new"] == len(items) else f", {search['new'] or 'none'} new"
            said = search["why_not"] or f"{counted(len(items), 'passage')}{new}"
            told = f"Searches for “{search['query']}”: {said.removesuffix('.')}."
            rung.boxes.append(Box(1, "Search", said, search["query"], items, told))
            if search["digest"]:
                name = "Nothing that helps" if search["nothing"] else "Read"
                digest = unformatted(search["digest"])
                rung.boxes.append(Box(2, name, text=digest, told=f"{name}: {digest}"))
        made.append(rung)
    return made
