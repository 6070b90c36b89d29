"""Queries, searches, and what became of the passages found (pooled, fused, walked from, cut down), in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.cards.grid import list_columns
from core.cards.kinds.hypothetical import rankings_of
from core.cards.kinds.walk import walked
from core.cards.narration.words import SceneContext, quoted
from core.cards.reranking import came_in, reranked
from core.cards.stars import STAR
from core.runs.budget import chunks_given, plain_with
from core.runs.gold import pieces_held
from core.trace.artefacts import (
    Baseline,
    Context,
    DroppedQuery,
    FusedRow,
    Fusion,
    HypotheticalDocuments,
    PooledRanking,
    Queries,
    RankedList,
    Ranking,
    Refinement,
    Rewrite,
    StepBack,
    Walk,
)
from core.wording import counted


def queries(found: Sequence[Queries], scene: SceneContext) -> str:
    queries = found[-1].queries
    itself = any(query.origin == "question" for query in queries)
    if any(query.origin == "user" for query in queries):
        text = f"You chose what is searched with: {counted(len(queries), 'query', 'queries')}"
    elif len(queries) == 1:
        text = (
            "The question is searched as it is"
            if itself
            else f"It is searched with {quoted(queries[0].text)}"
        )
    else:
        text = f"The question becomes {len(queries)} queries" + (", itself the first" if itself else "")
    return f"{text}{_dropped(found[-1].dropped)}."


def _dropped(dropped: Sequence[DroppedQuery]) -> str:
    """How many variants were dropped, and why most of them were."""
    if not dropped:
        return ""
    (reason, times), *_ = Counter(one.reason.partition(" (")[0] for one in dropped).most_common(1)
    why = reason if times == len(dropped) else f"most of them: {reason}"
    return f"; {counted(len(dropped), 'more was', 'more were')} dropped ({why})"


def step_back(found: Sequence[StepBack], scene: SceneContext) -> str:
    made = found[-1]
    if made.general == made.question:
        return "No more general question was found, so the question is searched alone."
    return f"A step back: {quoted(made.general)} is searched beside the question."


def hypothetical(found: Sequence[HypotheticalDocuments], scene: SceneContext) -> str:
    count = len(found[-1].texts)
    if not count:
        return "No passage was made up, so the question is searched as it is."
    one = count == 1
    made = "A passage is made up" if one else f"{count} passages are made up"
    false = "It may be false: it only leads" if one else "They may be false: they only lead"
    return f"{made} that would answer the question. {false} to real ones."


def rewrite(found: Sequence[Rewrite], scene: SceneContext) -> str:
    return f"The question is put differently and searched again: {quoted(found[-1].after)}"


def rankings(found: Sequence[Ranking], scene: SceneContext) -> str:
    if not any(one.used for one in found):
        return "Nothing is found."
    written = [one for one in scene.before if isinstance(one, HypotheticalDocuments)]
    if written and written[-1].texts and (text := _resembling(found[-1], written[-1], scene)):
        return text
    return _one_search(found[0], scene) if len(found) == 1 else _searches(found, scene)


def _resembling(found: Ranking, written: HypotheticalDocuments, scene: SceneContext) -> str:
    """The finds of hypothetical passages that the question alone misses; empty: that was not searched."""
    _, beside = rankings_of(written, scene.run.find(Ranking))
    if beside is None or beside is found:
        return ""
    alone = {hit.passage.chunk for hit in beside.used}
    new = [hit.passage for hit in found.used if hit.passage.chunk not in alone]
    if not new:
        return "Searching with them finds what the question alone finds, too."
    return (
        f"{len(new)} of {counted(len(found.used), 'passage')} would not have been found with the question alone"
        f"{scene.with_evidence(new)}."
    )


def _one_search(found: Ranking, scene: SceneContext) -> str:
    used = [hit.passage for hit in found.used]
    first = scene.names(hit.passage for hit in found.hits)[used[0].chunk]
    if reranked(found):
        was = found.used[0].before
        moved = "stays first" if was == 1 else f"comes first, which the search had at rank {was}"
        came = came_in(found)
        brought = f"; {counted(came, 'passage')} of {len(used)} came in from below" if came else ""
        return f"Judged anew, {first} {moved}{brought}{scene.with_evidence(used)}."
    if earlier := scene.found_before():
        new = [one for one in used if one.chunk not in earlier]
        what = f"Searching with {quoted(found.query, 60)}"
        if not new:
            return f"{what} finds nothing that was not found before."
        return f"{what} finds {counted(len(new), 'new passage')}{scene.with_evidence(new)}."
    return f"One search finds {counted(len(used), 'passage')}, {first} first{scene.with_evidence(used)}."


def _searches(found: Sequence[Ranking], scene: SceneContext) -> str:
    """Several searches at once: what one alone found, or what each found first."""
    columns = list_columns([RankedList(query=one.query, retriever=one.retriever) for one in found])
    called = scene.names(hit.passage for one in found for hit in one.used)
    finders: dict[str, list[int]] = {}
    for place, one in enumerate(found):
        for hit in one.used:
            finders.setdefault(hit.passage.chunk, []).append(place)
    asked = scene.run.started.question if scene.run.started else ""
    for chunk, places in finders.items():
        if chunk in scene.stars and len(places) == 1 and found[places[0]].query != asked:
            only, query = columns[places[0]].name, quoted(found[places[0]].query, 60)
            return f"{only} alone finds {called[chunk]}, which holds evidence: {query}"
    firsts = Counter(one.used[0].passage.chunk for one in found if one.used)
    (top, times), *others = firsts.most_common()
    if times == len(found):
        return f"Every query finds {called[top]} first; together they find {len(finders)} different passages."
    if len(others) == 1 and others[0][1] == 1 and times > 1:
        odd = others[0][0]
        name = next(
            column.name
            for column, one in zip(columns, found, strict=True)
            if one.used and one.used[0].passage.chunk == odd
        )
        return f"{name} is the only query that puts {called[odd]} first; the others begin with {called[top]}."
    lead = (
        f"{times} of {len(found)} queries find {called[top]} first"
        if times > 1
        else f"Each of the {len(found)} queries finds another passage first"
    )
    return f"{lead}; together they find {len(finders)} different passages."


NEAR_TOP = 3
"""Ranks that count as near the top of a list."""
FALLS = 3
"""Fused rank from which a list's first passage has fallen."""


def union(found: Sequence[PooledRanking], scene: SceneContext) -> str:
    rows, lists = found[-1].rows, found[-1].lists
    if not rows:
        return "Nothing was found, so the pool is empty."
    text = f"The pool of {counted(len(lists), 'search', 'searches')} holds {counted(len(rows), 'different passage')}"
    asked = scene.run.started.question if scene.run.started else ""
    own = [place for place, one in enumerate(lists) if one.query == asked]
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


def fusion(found: Sequence[Fusion], scene: SceneContext) -> str:
    made = found[-1]
    if not made.rows:
        return "Nothing was found, so there is nothing to fuse."
    called, lists = scene.names(row.passage for row in made.rows), len(made.lists)
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


def walk(found: Sequence[Walk], scene: SceneContext) -> str:
    made = found[-1]
    if not made.passages:
        return "There is nothing to walk along: no passage mentions another."
    ranked = sorted(made.passages, key=lambda one: one.rank)
    called = scene.names(one.passage for one in ranked)
    reached = [one for one in ranked if one.via and not (one.visits and one.visits[0])]
    text = f"The walk goes {walked(made)}"
    if not reached:
        return f"{text}."
    best = next((one for one in reached if one.passage.chunk in scene.stars), reached[0])
    return f"{text}; {called[best.passage.chunk]} comes to rank {best.rank}."


def refinement(found: Sequence[Refinement], scene: SceneContext) -> str:
    strips = [strip for one in found[-1].passages for strip in one.strips]
    struck = sum(not strip.kept for strip in strips)
    if not struck:
        return f"Every one of {counted(len(strips), 'sentence')} is kept for the answer."
    empty = sum(not any(strip.kept for strip in one.strips) for one in found[-1].passages)
    gone = f", and with them {counted(empty, 'whole passage')}" if empty else ""
    return f"{struck} of {counted(len(strips), 'sentence')} are struck out, since the answer does not need them{gone}."


def context(found: Sequence[Context], scene: SceneContext) -> str:
    given = [item.passage for item in found[-1].passages if item.given]
    if not given:
        return "No passage is left for the model to read."
    goes = "passage goes" if len(given) == 1 else "passages go"
    return f"{len(given)} {goes} to the model{scene.with_evidence(given)}."


def baseline(found: Sequence[Baseline], scene: SceneContext) -> str:
    made = found[-1]
    if not made.retriever:  # nothing was searched for comparison
        return ""
    if not made.gold:
        return f"Plain retrieval finds {counted(len(made.given), 'passage')}, for comparison."
    held = pieces_held(made.gold, made.given)
    plain = plain_with(chunks_given(scene.run)).capitalize()
    return f"{plain} finds {held} of {counted(len(made.gold), 'piece')} of evidence."
