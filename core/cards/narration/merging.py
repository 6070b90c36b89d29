"""What became of what was found, in a sentence: pooled, fused, walked from, cut down, given."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.grid import list_columns
from core.cards.kinds.walk import walked
from core.cards.narration.told import Told
from core.cards.stars import STAR
from core.runs.budget import chunks_given, plain_with
from core.runs.gold import pieces_held
from core.trace.artefacts import Baseline, Context, FusedRow, Fusion, PooledRanking, Refinement, Walk
from core.wording import counted

NEAR_TOP = 3
"""Ranks that count as near the top of a list."""
FALLS = 3
"""Fused rank from which a list's first passage has fallen."""


def union(found: Sequence[PooledRanking], told: Told) -> str:
    rows, lists = found[-1].rows, found[-1].lists
    if not rows:
        return "Nothing was found, so the pool is empty."
    text = f"The pool of {counted(len(lists), 'search', 'searches')} holds {counted(len(rows), 'different passage')}"
    asked = told.run.started.question if told.run.started else ""
    own = [place for place, one in enumerate(lists) if one.query == asked]
    gained = [
        row
        for row in rows
        if row.passage.chunk in told.stars and all(row.ranks[place] is None for place in own)
    ]
    if gained and own:
        return f"{text}; {len(gained)} with evidence {STAR} would have been missed by the question alone."
    single = sum(sum(rank is not None for rank in row.ranks) == 1 for row in rows)
    alone = f"; {single} of them were found by one query alone" if single > 1 and len(lists) > 1 else ""
    return f"{text}{alone}."


def fusion(found: Sequence[Fusion], told: Told) -> str:
    made = found[-1]
    if not made.rows:
        return "Nothing was found, so there is nothing to fuse."
    called, lists = told.named(row.passage for row in made.rows), len(made.lists)
    best = made.rows[0]
    near = sum(rank is not None and rank <= NEAR_TOP for rank in best.ranks)
    holding = sum(rank is not None for rank in best.ranks)
    where = f"near the top of {_of(near, lists)}" if near > 1 or lists == 1 else f"in {_of(holding, lists)}"
    text = f"{called[best.passage.chunk]} wins: it is {where}."
    columns = list_columns(made.lists)
    fallen = [
        (row, fused, row.ranks.index(1))
        for fused, row in enumerate(made.rows, 1)
        if fused >= FALLS and 1 in row.ranks
    ]
    if fallen:
        row, fused, place = max(fallen, key=lambda one: (_alone(one[0]), one[1]))
        alone = " alone" if _alone(row) else ""
        text += f" {called[row.passage.chunk]}, first in {columns[place].name}{alone}, falls to rank {fused}."
    return text


def _of(near: int, lists: int) -> str:
    if lists == 1:
        return "the only list"
    return f"all {lists} lists" if near == lists else f"{near} of {lists} lists"


def _alone(row: FusedRow) -> bool:
    return sum(rank is not None for rank in row.ranks) == 1


def walk(found: Sequence[Walk], told: Told) -> str:
    made = found[-1]
    if not made.passages:
        return "There is nothing to walk along: no passage mentions another."
    ranked = sorted(made.passages, key=lambda one: one.rank)
    called = told.named(one.passage for one in ranked)
    reached = [one for one in ranked if one.via and not (one.visits and one.visits[0])]
    text = f"The walk goes {walked(made)}"
    if not reached:
        return f"{text}."
    best = next((one for one in reached if one.passage.chunk in told.stars), reached[0])
    return f"{text}; {called[best.passage.chunk]} comes to rank {best.rank}."


def refinement(found: Sequence[Refinement], told: Told) -> str:
    strips = [strip for one in found[-1].passages for strip in one.strips]
    struck = sum(not strip.kept for strip in strips)
    if not struck:
        return f"Every one of {counted(len(strips), 'sentence')} is kept for the answer."
    empty = sum(not any(strip.kept for strip in one.strips) for one in found[-1].passages)
    gone = f", and with them {counted(empty, 'whole passage')}" if empty else ""
    return f"{struck} of {counted(len(strips), 'sentence')} are struck out, since the answer does not need them{gone}."


def context(found: Sequence[Context], told: Told) -> str:
    given = [item.passage for item in found[-1].passages if item.given]
    if not given:
        return "No passage is left for the model to read."
    goes = "passage goes" if len(given) == 1 else "passages go"
    return f"{len(given)} {goes} to the model{told.held(given)}."


def baseline(found: Sequence[Baseline], told: Told) -> str:
    made = found[-1]
    if not made.retriever:  # nothing was searched for comparison
        return ""
    if not made.gold:
        return f"Plain retrieval finds {counted(len(made.given), 'passage')}, for comparison."
    held = pieces_held(made.gold, made.given)
    plain = plain_with(chunks_given(told.run)).capitalize()
    return f"{plain} finds {held} of {counted(len(made.gold), 'piece')} of evidence."
