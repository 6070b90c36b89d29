"""The pool of several queries, as a picture and as a matrix: which query found which passage, and at which rank."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from core.cards.grid import Cell, Column, Grid, GridRow, found_by, list_columns, strength
from core.cards.kind import Gist, Kind, Picture, Scene, drawn_picture, provenance
from core.cards.kinds.queries import merged
from core.cards.narration import SceneContext, Sentence
from core.cards.parts import Aid, Card, Drawing, Fold
from core.cards.passages import STAR, Stars, named_apart, names, passage_card, row_card, says_the_same
from core.cards.texts import COLOURS, QUIET
from core.retrieval.fusion import rank_rows
from core.runs.record import Record
from core.trace.artefacts import PooledRanking, RankedList, Ranking, RankRow, StepBack
from core.wording import counted

READING = (
    "Numbers are ranks: 1 is the best hit of that query, an empty cell means not found. "
    "Choose a row to read its passage."
)

TABLE = "The ranks as a table"


def union_grid(artefact: PooledRanking, stars: Stars = frozenset()) -> Grid:
    """The union's passages, best rank first; ranks from 1 in the cells."""
    called = names(row.passage for row in artefact.rows)
    rows = (
        GridRow(
            card=row_card(row, rank, called[row.passage.chunk], stars),
            leads=(Cell(found_by(row)),),
            cells=tuple(Cell(str(list_rank or ""), strength=strength(list_rank)) for list_rank in row.ranks),
        )
        for rank, row in enumerate(artefact.rows, 1)
    )
    finders = Column("Found by", "How many of the queries found the passage.")
    return Grid((finders,), list_columns(artefact.lists), tuple(rows))


def card(artefact: PooledRanking, scene: Scene) -> Card:
    """Show how the queries fill the pool, and which of them found which passage."""
    parts = (
        Aid(reading_pool(scene.record)),
        Drawing("pool", pool(artefact, scene)),
        Fold(TABLE, (Aid(READING), *union_grid(artefact, scene.stars).parts(scene.colour)), slot="table"),
        *provenance(artefact),
    )
    return Card(parts, counted(len(artefact.places), "different passage"))


SEEN = 10
"""Passages in sight before one asks for all."""
READING_POOL = (
    "Each query sends its passages into one pool, which holds each passage once, {first}. A number is its rank for "
    "that query; in colour is what one query alone found. Point at one to see its threads, choose a passage to read it."
)


def reading_pool(record: Record) -> str:
    """Explain how to read the picture of a run."""
    stepped = record.find(StepBack)
    return READING_POOL.format(first="those of the question first" if stepped else "the best rank first")


def pooled(record: Record) -> PooledRanking | None:
    """The pool of a run; None: no step has made one yet."""
    if pools := record.find(PooledRanking):
        return pools[-1]
    stepped = record.find(StepBack)
    if not stepped or record.context is None:
        return None
    # Of a step back, only what came of the pool is kept: the passages of the question come first.
    rankings = {ranking.query: ranking for ranking in record.find(Ranking)}
    texts = dict.fromkeys((stepped[-1].question, stepped[-1].general))
    searched = [rankings[text] for text in texts if text in rankings]
    lists = tuple(RankedList(query=ranking.query, retriever=ranking.retriever) for ranking in searched)
    return PooledRanking(lists=lists, rows=tuple(rank_rows(searched)))


def pool(union: PooledRanking, scene: Scene) -> dict[str, Any]:
    """Return the data of the picture of a pool (see `pooled`): `lists`, and `passages` in the order of the pool."""
    record = scene.record
    context = record.context
    chunks = {passage.chunk for passage in context.given_passages} if context else None
    every = [row.passage for row in union.rows]
    called, details = names(every), named_apart(every)
    columns = list_columns(union.lists)
    colours = [COLOURS[place] if place < len(COLOURS) else QUIET for place in range(len(union.lists))]
    stepped = bool(record.find(StepBack))
    passages = []
    for place, row in enumerate(union.rows, 1):
        finders = [at for at, rank in enumerate(row.ranks) if rank is not None]
        passages.append(
            {
                "card": asdict(passage_card(row.passage, place, None, "", stars=scene.stars)),
                "name": called[row.passage.chunk],
                "detail": details[row.passage.chunk],
                "ranks": ["" if rank is None else str(rank) for rank in row.ranks],
                "alone": finders[0] if len(finders) == 1 < len(union.lists) else -1,
                "given": chunks is None or row.passage.chunk in chunks,
                **({"repeats": says_the_same(row.repeats)} if row.repeats else {}),
                "told": _row_line(row, [column.name for column in columns], chunks, by_rank=not stepped),
            }
        )
    alone = [passage["alone"] for passage in passages]
    lists = [
        {
            "name": column.name,
            "query": column.meaning,
            "found": sum(row.ranks[at] is not None for row in union.rows),
            "alone": alone.count(at),
            "colour": colours[at],
        }
        for at, column in enumerate(columns)
    ]
    return {
        "lists": lists,
        "passages": passages,
        "judged": chunks is not None,
        "seen": SEEN,
        "summary": _summary(union, len(alone) - alone.count(-1)),
    }


def _row_line(
    row: RankRow, columns: Sequence[str], answer_chunks: Collection[str] | None, *, by_rank: bool
) -> str:
    """The queries that found a passage, each with its rank, and what that led to."""
    places = [
        f"{name} at rank {rank}" for name, rank in zip(columns, row.ranks, strict=True) if rank is not None
    ]
    best = min(rank for rank in row.ranks if rank is not None)
    text = f"found by {', '.join(places)}"
    if row.repeats:
        return f"{text}; {says_the_same(row.repeats)}, which takes the place of both"
    if by_rank:
        text += f"; its best rank, {best}, decides its place in the pool"
    if answer_chunks is None:
        return text
    return f"{text}; {'given' if row.passage.chunk in answer_chunks else 'not given'} to the answer"


def _summary(union: PooledRanking, alone: int) -> str:
    """Say how many hits came to how many passages."""
    hits = sum(rank is not None for row in union.rows for rank in row.ranks)
    if not hits:
        return "Nothing is in the pool yet."
    several = len(union.rows) - alone
    return (
        f"{counted(hits, 'hit')} of {counted(len(union.lists), 'query', 'queries')} are "
        f"{counted(len(union.rows), 'passage')}: {several} found by several, {alone} by one alone."
    )


def _sentence(pools: Sequence[PooledRanking], scene: SceneContext) -> str:
    rows, lists = pools[-1].rows, pools[-1].lists
    if not rows:
        return "Nothing was found, so the pool is empty."
    text = f"The pool of {counted(len(lists), 'search', 'searches')} holds {counted(len(rows), 'different passage')}"
    question = scene.run.question
    own = [place for place, ranked in enumerate(lists) if ranked.query == question]
    gained = [
        row
        for row in rows
        if row.passage.chunk in scene.stars and all(row.ranks[place] is None for place in own)
    ]
    if gained and own:
        return f"{text}; {len(gained)} with evidence {STAR} would have been missed by the question alone."
    single = sum(sum(rank is not None for rank in row.ranks) == 1 for row in rows)
    alone = f"; {single} of them were found by one query alone" if single > 1 and len(lists) > 1 else ""
    return f"{text}{alone}."


def _picture(scene: Scene) -> Picture | None:
    union = pooled(scene.record)
    data = pool(union, scene) if union else None
    return drawn_picture("The pool", reading_pool(scene.record), "pool", data)


KINDS = (
    Kind(
        key="union",
        title="Unique union",
        icon="join_full",
        gist=Gist(80, merged),
        card=card,
        sentence=Sentence(30, _sentence),
        picture=_picture,
    ),
)
