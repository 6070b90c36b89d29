"""Multi-Query and step-back as a picture: queries that send what they find into one pool. Plain data."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from core.cards.colours import QUIET, SERIES
from core.cards.grid import list_columns
from core.cards.passages import named_apart, names, passage_card, says_the_same
from core.retrieval.fusion import rank_rows, unite
from core.runs.record import Record
from core.strategies import strategies
from core.trace.artefacts import PooledRanking, Queries, RankedList, Ranking, RankRow, StepBack
from core.wording import counted

COLOURS = (*SERIES, "#6A5ACD", "#8C8C1F")
"""One for each query; the ninth and later ones have none."""
SEEN = 10
"""Passages in sight before one asks for all."""
READING = (
    "Each query sends its passages into one pool, where a passage stands once, {first}. A number is its rank for that "
    "query; in colour is what one query alone found. Point at one to see its threads, choose a passage to read it."
)


def reading(record: Record) -> str:
    """How to read the picture of a run."""
    stepped = record.find(StepBack)
    return READING.format(first="those of the question first" if stepped else "the best rank first")


def pooled(record: Record) -> PooledRanking | None:
    """The pool of a run; None: no step has made one yet."""
    if made := record.find(PooledRanking):
        return made[-1]
    if (
        record.context is None
    ):  # of a step back, and in runs of earlier versions, only what came of the pool is kept
        return None
    if stepped := record.find(StepBack):
        return _stepped(stepped[-1], record)
    strategy, written = (
        strategies().get(record.started.strategy) if record.started else None,
        record.find(Queries),
    )
    if not written or strategy is None or strategy.merges != "pooled":
        return None
    found = {ranking.query: ranking for ranking in record.find(Ranking)}
    return unite([found[query.text] for query in written[-1].queries if query.text in found])


def _stepped(made: StepBack, record: Record) -> PooledRanking:
    """What the question and its step back found, the question's first."""
    found = {ranking.query: ranking for ranking in record.find(Ranking)}
    searched = [found[text] for text in dict.fromkeys((made.question, made.general)) if text in found]
    lists = tuple(RankedList(query=one.query, retriever=one.retriever) for one in searched)
    return PooledRanking(lists=lists, rows=tuple(rank_rows(searched)))


def pool(made: PooledRanking, record: Record) -> dict[str, Any]:
    """What the picture shows: `lists`, and `passages` in the order of the pool.

    Args:
        made: The pool, see `pooled`.
        record: Its run, as far as it is.
    """
    context = record.context
    given = {item.passage.chunk for item in context.passages if item.given} if context else None
    every = [row.passage for row in made.rows]
    called, details = names(every), named_apart(every)
    columns = list_columns(made.lists)
    colours = [COLOURS[place] if place < len(COLOURS) else QUIET for place in range(len(made.lists))]
    stepped = bool(record.find(StepBack))
    passages = []
    for place, row in enumerate(made.rows, 1):
        finders = [at for at, rank in enumerate(row.ranks) if rank is not None]
        passages.append(
            {
                "card": asdict(passage_card(row.passage, place, None, "")),
                "name": called[row.passage.chunk],
                "detail": details[row.passage.chunk],
                "ranks": ["" if rank is None else str(rank) for rank in row.ranks],
                "alone": finders[0] if len(finders) == 1 < len(made.lists) else -1,
                "given": given is None or row.passage.chunk in given,
                **({"repeats": says_the_same(row.repeats)} if row.repeats else {}),
                "told": _told(row, [column.name for column in columns], given, by_rank=not stepped),
            }
        )
    alone = [one["alone"] for one in passages]
    lists = [
        {
            "name": column.name,
            "query": column.meaning,
            "found": sum(row.ranks[at] is not None for row in made.rows),
            "alone": alone.count(at),
            "colour": colours[at],
        }
        for at, column in enumerate(columns)
    ]
    return {
        "lists": lists,
        "passages": passages,
        "judged": given is not None,
        "seen": SEEN,
        "summary": _summary(made, len(alone) - alone.count(-1)),
    }


def _told(row: RankRow, columns: Sequence[str], given: Collection[str] | None, *, by_rank: bool) -> str:
    """Who found a passage at which rank, and what that led to."""
    places = [
        f"{name} at rank {rank}" for name, rank in zip(columns, row.ranks, strict=True) if rank is not None
    ]
    best = min(rank for rank in row.ranks if rank is not None)
    said = f"found by {', '.join(places)}"
    if row.repeats:
        return f"{said}; {says_the_same(row.repeats)}, which takes the place of both"
    if by_rank:
        said += f"; its best rank, {best}, decides its place in the pool"
    if given is None:
        return said
    return f"{said}; {'given' if row.passage.chunk in given else 'not given'} to the answer"


def _summary(made: PooledRanking, alone: int) -> str:
    """How many hits came to how many passages."""
    hits = sum(rank is not None for row in made.rows for rank in row.ranks)
    if not hits:
        return "Nothing is in the pool yet."
    several = len(made.rows) - alone
    return (
        f"{counted(hits, 'hit')} of {counted(len(made.lists), 'query', 'queries')} are "
        f"{counted(len(made.rows), 'passage')}: {several} found by several, {alone} by one alone."
    )
