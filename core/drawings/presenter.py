"""A comparison for a projector: the question, a prediction, one strategy after another, and what came out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.cards.kind import Scene
from core.cards.kinds.evidence import answer_view
from core.cards.outcome import missed, rating
from core.cards.parts import Drawing
from core.cards.passages import names
from core.cards.recorded import origin
from core.cards.stage import picture
from core.cards.status import gist
from core.cards.texts import doubted, unformatted
from core.charts.columns import Column
from core.charts.difference import difference, same_answers, searches, truth, with_as_many
from core.charts.shared_evidence import gold_found
from core.drawings.side_by_side import judged_view
from core.runs.budget import LookUp, chunks_given, given_passages
from core.runs.record import Record
from core.skills.answer import CITED, cited
from core.strategies import strategies
from core.trace.artefacts import HypotheticalDocuments, Ranking
from core.trace.gold import Gold, Known, holds_evidence, pieces_held
from core.wording import counted

SHOWN = 6
"""Passages listed per strategy; those that hold evidence are never left out for others."""
SEARCHES = 6
"""Searches listed per strategy."""
ENDS = {"running": "Still running", "failed": "Failed", "stopped": "Stopped", "paused": "Paused"}
_MARK = re.compile(rf"({CITED})")


@dataclass(frozen=True)
class Slide:
    """One strategy; all text is raw and must not be interpreted."""

    mark: str
    """Its letter."""
    title: str
    detail: str
    colour: str
    idea: str
    state: str
    """How the run stands, in words; empty: it has finished."""
    error: str
    """Why it failed or was stopped; may be empty."""
    running: bool
    did: str
    """Its run in one line; may be empty."""
    searches: tuple[dict[str, Any], ...]
    """Its queries, and the passages that each search was the first to bring in, of those given to the answer:
    number as the answer cites it, title, whether it is gold and whether cited. A search without words has those that
    none of the searches brought."""
    more: tuple[int, int]
    """Searches and passages that are not listed."""
    answer: tuple[dict[str, Any], ...]
    """Parts of its text, and whether each is a citation mark such as “[2]”; empty: there is none (yet)."""
    costs: tuple[str, ...]
    """Calls, rounds, tokens, seconds; each with its unit."""
    origin: str
    """Where its replies come from, if a recording played or kept some; else empty."""
    found: int
    """How much of the evidence is among what was given."""
    given: int
    """Different passages in any prompt that asked for an answer."""
    plain: str
    """How much of the evidence plain retrieval finds with as many, in words; empty: unknown."""
    stars: str
    """A star for each piece of evidence, filled where it was found; empty: there are many, or none is known."""
    missed: tuple[dict[str, Any], ...]
    """The evidence that it did not find, see `core.cards.outcome.Missed`."""
    judged: dict[str, str] | None
    """The verdict on its answer, its sign and what it is called; None: nobody knows."""
    picture: dict[str, Any] | None
    """Its picture: `title`, and `name` and `data` of a drawing that the presenter holds; None: it has none (yet)."""


@dataclass(frozen=True)
class Presentation:
    """All that the presenter view shows, except for the votes."""

    question: str
    ask: str
    """The question of the prediction."""
    gold: int
    """How much evidence there is to find; 0: nobody knows."""
    slides: tuple[Slide, ...]
    best: tuple[str, ...]
    """Letters of those that found the most evidence; empty: not known, not yet, or none found any."""
    outcome: str
    """The difference, in a sentence that names a tie; empty while a strategy runs."""
    right: str
    """The right answer; empty: nobody knows."""
    missed: tuple[str, ...]
    """Evidence that nobody found; empty while a strategy runs."""


def presentation(
    columns: Sequence[Column],
    gold: Sequence[Gold],
    question: str,
    looked: Mapping[str, LookUp] | None = None,
) -> Presentation:
    """Return the presenter view of these runs on one question, each as far as it is; `gold` is the evidence, or
    empty: what the runs keep of it. `looked` as of `core.drawings.side_by_side.live_columns`."""
    known = truth(columns, gold)
    slides = tuple(_slide(column, known, (looked or {}).get(column.run)) for column in columns)
    most = max((slide.found for slide in slides), default=0)
    ended = not any(slide.running for slide in slides)
    passages = [passage for column in columns for passage in given_passages(column.record)]
    return Presentation(
        question=question,
        ask="Which strategy finds the evidence?" if known.gold else "Which answer will be best?",
        gold=len(known.gold),
        slides=slides,
        best=tuple(slide.mark for slide in slides if slide.found == most) if most and ended else (),
        outcome=difference(columns, known),
        right=known.answers[0] if known.answers else "",
        missed=tuple(piece.name for piece in known.gold if not pieces_held([piece], passages))
        if ended
        else (),
    )


def _slide(column: Column, known: Known, looked: LookUp | None) -> Slide:
    record, gold = column.record, known.gold
    strategy = strategies().get(record.started.strategy) if record.started else None
    listed, more = _searches(record, gold)
    answers = same_answers([column], known.answers)
    pieces = gold_found(column, gold)
    return Slide(
        mark=column.mark,
        title=column.title,
        detail=column.detail,
        colour=column.colour,
        idea=strategy.idea.split(". ")[0].rstrip(".") + "." if strategy else "",
        state=ENDS.get(record.state, ""),
        error=record.error,
        running=record.state == "running",
        did=gist(record),
        searches=listed,
        more=more,
        answer=_answer(record),
        costs=_costs(record),
        origin=origin(record),
        found=pieces,
        given=chunks_given(record),
        plain=with_as_many(column, gold),
        stars=rating(pieces, len(gold)),
        missed=tuple(asdict(piece) for piece in missed(record, gold, looked)) if searches(column) else (),
        judged=judged_view(answers[0].said) if answers else None,
        picture=_picture(column),
    )


def _picture(column: Column) -> dict[str, Any] | None:
    view = picture(Scene(column.record, column.colour, column.mark))
    drawn = [part for part in view.parts if isinstance(part, Drawing)] if view else []
    return {"title": view.title, "name": drawn[0].name, "data": drawn[0].data} if view and drawn else None


def _searches(record: Record, gold: Sequence[Gold]) -> tuple[tuple[dict[str, Any], ...], tuple[int, int]]:
    """Its queries and the passages that each added; and how much of both is left out."""
    lines = {line["id"]: line for line in _passages(record, gold)}
    texts = [text for hyde in record.find(HypotheticalDocuments) for text in hyde.texts]
    searches: list[tuple[str, str, list[dict[str, Any]]]] = []
    for ranking in record.find(Ranking):
        new = [lines.pop(hit.passage.chunk) for hit in ranking.used if hit.passage.chunk in lines]
        # What was searched with is no text where it is the mean of some: then they are shown.
        invented = bool(texts) and record.started is not None and ranking.query != record.started.question
        written = texts[0] if invented and ranking.query not in texts else ranking.query
        searches.append(("made up" if invented else "", unformatted(written), new))
    if lines:
        searches.append(("", "", list(lines.values())))
    # Searches that add something come before those that do not, where not all can be listed.
    listed = sorted(sorted(searches, key=lambda search: not search[2])[:SEARCHES], key=searches.index)
    every = [line for _, _, new in listed for line in new]
    listed_lines = {line["id"] for line in sorted(every, key=lambda line: not line["gold"])[:SHOWN]}
    shown = tuple(
        {
            "kind": kind,
            "text": text,
            "added": [line for line in new if line["id"] in listed_lines],
            "more": sum(line["id"] not in listed_lines for line in new),
        }
        for kind, text, new in listed
    )
    return shown, (len(searches) - len(listed), sum(len(new) for _, _, new in searches) - len(listed_lines))


def _passages(record: Record, gold: Sequence[Gold]) -> list[dict[str, Any]]:
    """The passages given to its answers, drafts and sub-answers."""
    answer, context = record.answer, record.context
    cited = {citation.chunk for citation in answer.citations} if answer else set()
    evidence = context.given_passages if context else ()
    number = {passage.chunk: place for place, passage in enumerate(evidence, 1)}
    passages = given_passages(record)
    called = names(passages)
    return [
        {
            "id": passage.chunk,
            "number": number.get(passage.chunk, 0),
            "title": called[passage.chunk],
            "gold": holds_evidence(gold, passage),
            "cited": passage.chunk in cited,
        }
        for passage in passages
    ]


def _answer(record: Record) -> tuple[dict[str, Any], ...]:
    answer = record.answer
    if answer is None:
        return ()
    text, chips = answer_view(answer, record.context)
    known = {chip.number for chip in chips}
    return tuple(
        {"text": part, "mark": bool(place % 2) and any(number in known for number in cited(part))}
        for place, part in enumerate(_MARK.split(doubted(unformatted(text), answer)))
        if part
    )


def _costs(record: Record) -> tuple[str, ...]:
    totals = record.totals
    tokens = totals.tokens_in + totals.tokens_out
    return (
        counted(totals.calls, "call"),
        counted(totals.rounds, "round"),
        f"{'' if totals.tokens_known else '≥ '}{counted(tokens, 'token')}",
        f"{totals.seconds:.1f} s{' (replayed)' if totals.played else ''}",
    )
