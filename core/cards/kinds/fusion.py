"""Reciprocal Rank Fusion: the picture of lists that flow into one, and every rank, every contribution and the sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.cards.grid import Cell, Column, Grid, GridRow, list_columns, strength
from core.cards.kind import Gist, Kind, Picture, Scene, drawn_picture, provenance
from core.cards.kinds.queries import merged
from core.cards.narration import NAME, SceneContext, Sentence, quoted
from core.cards.parts import Aid, Card, Drawing, Fold, Note, Part
from core.cards.passages import Stars, named_apart, names, passage_card, row_card, says_the_same
from core.cards.texts import COLOURS, QUIET
from core.retrieval.fusion import contribution, fuse
from core.runs.record import Record
from core.strategies import strategies
from core.trace.artefacts import FusedRow, Fusion, Queries, Ranking
from core.wording import counted

FIRST = 6
"""Passages given to the answer by default: the part of the order that matters most."""

READING = (
    "A cell holds the rank in one list and, below it, what that adds: 1 / (k + rank). The largest sum comes "
    "first. First row: {example}. Choose a row to read its passage."
)
LEAD = len(COLOURS)
"""Passages of the fused order that are in colour."""
READING_FLOW = (
    "A column is what one query found, best first. Lines lead each passage to its place in the fused order, "
    f"the first {LEAD} in colour. Point at a passage to see its sum, choose it to read it."
)
READING_LISTS = (
    "A column is what one query found, best first; lines join what several of them found. "
    "Nothing is fused yet."
)
TABLE = "The score table, to check by hand"


def fusion_grid(artefact: Fusion, own: Fusion | None = None, stars: Stars = frozenset()) -> Grid:
    """Return the score table, row by row checkable by hand; `own` is the run's own fusion, if that is another one."""
    most = max((row.score for row in artefact.rows), default=1.0)
    before = {row.passage.chunk: rank for rank, row in enumerate((own or artefact).rows, 1)}
    called = names(row.passage for row in artefact.rows)
    rows: list[GridRow] = []
    for rank, row in enumerate(artefact.rows, 1):
        shares = [
            0.0 if list_rank is None else contribution(list_rank, artefact.k, artefact.first_rank)
            for list_rank in row.ranks
        ]
        leads = [Cell(decimals(row.score))]
        if own is not None:
            leads.append(Cell(change(before[row.passage.chunk], rank)))
        rows.append(
            GridRow(
                card=row_card(row, rank, called[row.passage.chunk], stars),
                leads=tuple(leads),
                cells=tuple(
                    _cell(list_rank, share, artefact)
                    for list_rank, share in zip(row.ranks, shares, strict=True)
                ),
                parts=tuple(share / most for share in shares),
            )
        )
    columns = [Column("Sum", "Sum of the row: the fused score. The bar shows what each list adds to it.")]
    if own is not None:
        columns.append(Column("Was", "Rank in the order of the run."))
    return Grid(tuple(columns), list_columns(artefact.lists), tuple(rows))


def _cell(rank: int | None, share: float, artefact: Fusion) -> Cell:
    """Rank in one list, counted as the formula counts, and what it adds."""
    if rank is None:
        return Cell()
    return Cell(str(rank - 1 + artefact.first_rank), decimals(share), strength(rank))


def decimals(value: float) -> str:
    """Five decimals, as short as a table needs them: `.01639`."""
    return f"{value:.5f}".removeprefix("0")


def example(artefact: Fusion) -> str:
    """The first row worked out, for the reading aid; empty without rows."""
    if not artefact.rows:
        return ""
    row = artefact.rows[0]
    counted = [rank - 1 + artefact.first_rank for rank in row.ranks if rank is not None]
    terms = " + ".join(f"1/({artefact.k}+{rank})" for rank in counted)
    return f"{terms} = {decimals(row.score)}"


def change(before: int, now: int) -> str:
    """Rank in the order of the run, with an arrow where it moved."""
    if before == now:
        return f"{before}"
    return f"{before} {'▲' if now < before else '▼'}"


def order_changes(artefact: Fusion, own: Fusion) -> list[str]:
    """The difference in the first passages from the order of the run; empty: there is none."""
    now = [row.passage for row in artefact.places[:FIRST]]
    before = [row.passage for row in own.places[:FIRST]]
    was, stays = {p.chunk for p in before}, {p.chunk for p in now}
    called = names([*now, *before], NAME)
    changes = [f"{quoted(called[p.chunk])} comes in" for p in now if p.chunk not in was]
    changes += [f"{quoted(called[p.chunk])} drops out" for p in before if p.chunk not in stays]
    swapped = sum(a.chunk != b.chunk for a, b in zip(now, before, strict=False))
    if not changes and swapped:
        changes.append(f"the same passages, {swapped} of them at another rank")
    return changes


def fusion_parts(artefact: Fusion, own: Fusion | None, scene: Scene) -> tuple[Part, ...]:
    """The picture, and the score table in a fold; arguments as for `fusion_grid`."""
    shown = own or artefact
    with_k = f"In this run the lists were fused with k = {shown.k}, counting from {shown.first_rank}."
    note = Note(with_k)
    if own is not None:
        what = "; ".join(order_changes(artefact, own)) or "the order stays the same"
        note = Note(f"{with_k} With these values, among the first {FIRST}: {what}.", "compare_arrows")
    return (
        note,
        Aid(READING_FLOW),
        Drawing("fusion_flow", fusion_flow(artefact, own, scene.stars)),
        Fold(
            TABLE,
            (
                Aid(READING.format(example=example(artefact))),
                *fusion_grid(artefact, own, scene.stars).parts(scene.colour),
            ),
            slot="table",
        ),
    )


def card(artefact: Fusion, scene: Scene) -> Card:
    """Show how the lists flow into one, and the score table."""
    parts = (*fusion_parts(artefact, None, scene), *provenance(artefact))
    return Card(parts, "Reciprocal Rank Fusion")


SEEN = 6
"""Ranks that are in sight before one asks for all."""


def lists_found(record: Record) -> list[Ranking]:
    """The rankings that a run is about to fuse, in the order of their queries.

    Empty before the first search, where the strategy fuses nothing, and in step mode, which shows each search alone.
    """
    strategy = strategies().get(record.started.strategy) if record.started else None
    written = record.find(Queries)
    if not written or strategy is None or not strategy.fuses or record.step_by_step:
        return []
    order = [query.text for query in written[-1].queries]
    rankings = [ranking for ranking in record.find(Ranking) if ranking.query in order]
    return sorted(rankings, key=lambda ranking: order.index(ranking.query))


def lists_flow(rankings: Sequence[Ranking], stars: Stars = frozenset()) -> dict[str, Any]:
    """The picture before the lists are fused: the lists alone, without the order to come."""
    flow = fusion_flow(fuse(rankings), stars=stars)
    passages = sorted(
        (
            passage
            | {
                "card": passage["card"] | {"rank": ""},
                "leads": False,
                "colour": QUIET,
                "score": "",
                "sum": "",
            }
            | {"terms": [""] * len(rankings), "told": passage["told"].rpartition("; ")[0]}
            for passage in flow["passages"]
        ),
        key=lambda passage: min((rank, at) for at, rank in enumerate(passage["places"]) if rank is not None),
    )
    return flow | {"passages": passages, "fused": False}


def fusion_flow(artefact: Fusion, own: Fusion | None = None, stars: Stars = frozenset()) -> dict[str, Any]:
    """Return the data of the picture: `lists` left to right, and `passages`, the best fused score first; text is
    raw. `own` is the run's own fusion, if that is another one: passages keep its colours."""
    every = [row.passage for row in artefact.rows]
    called, details = names(every), named_apart(every)
    columns = list_columns(artefact.lists)
    colours = _colours(artefact, own or artefact)
    before = {row.passage.chunk: rank for rank, row in enumerate((own or artefact).rows, 1)}
    passages = []
    for fused, row in enumerate(artefact.rows, 1):
        chunk = row.passage.chunk
        ranks = [None if rank is None else rank - 1 + artefact.first_rank for rank in row.ranks]
        terms = ["" if rank is None else f"1/{artefact.k + rank}" for rank in ranks]
        total = f"{' + '.join(filter(None, terms))} = {row.score:.4f}"
        same = says_the_same(row.repeats)
        if same:
            total += f"; {same}"
        places = zip((column.name for column in columns), ranks, strict=True)
        where = ", ".join(f"rank {rank} in {name}" for name, rank in places if rank is not None)
        passages.append(
            {
                "card": asdict(passage_card(row.passage, fused, None, "", stars=stars)),
                "name": called[chunk],
                "detail": details[chunk],
                "places": row.ranks,
                "ranks": ["" if rank is None else str(rank) for rank in ranks],
                "terms": terms,
                "score": f"{row.score:.4f}",
                "sum": total,
                "told": f"{where}; {total}",
                **({"repeats": same} if same else {}),
                "was": 0 if before[chunk] == fused else before[chunk],
                "leads": chunk in colours,
                "colour": colours.get(chunk, QUIET),
            }
        )
    return {
        "formula": f"1 / ({artefact.k} + rank)",
        "from": "" if artefact.first_rank else "ranks from 0",
        "seen": SEEN,
        "lists": [asdict(column) for column in columns],
        "passages": passages,
    }


def _colours(shown: Fusion, own: Fusion) -> dict[str, str]:
    """Id of each passage that leads -> its colour: the one that it has in `own`, or one that is free."""
    leading = [row.passage.chunk for row in shown.rows[:LEAD]]
    earlier = {row.passage.chunk: colour for row, colour in zip(own.rows, COLOURS, strict=False)}
    colours = {chunk: earlier[chunk] for chunk in leading if chunk in earlier}
    free = (colour for colour in COLOURS if colour not in colours.values())
    return colours | {chunk: next(free) for chunk in leading if chunk not in colours}


def _summary(artefact: Fusion) -> str:
    return f"{counted(len(artefact.lists), 'list')} into one of {counted(len(artefact.rows), 'passage')}"


NEAR_TOP = 3
"""Ranks that count as near the top of a list."""
FALLS = 3
"""Fused rank from which a list's first passage has fallen."""


def _sentence(fusions: Sequence[Fusion], scene: SceneContext) -> str:
    fusion = fusions[-1]
    if not fusion.rows:
        return "Nothing was found, so there is nothing to fuse."
    called, lists = scene.names(row.passage for row in fusion.rows), len(fusion.lists)
    best = fusion.rows[0]
    near = sum(rank is not None and rank <= NEAR_TOP for rank in best.ranks)
    holding = sum(rank is not None for rank in best.ranks)
    where = f"near the top of {_of(near, lists)}" if near > 1 or lists == 1 else f"in {_of(holding, lists)}"
    text = f"{called[best.passage.chunk]} wins: it is {where}."
    columns = list_columns(fusion.lists)
    fallen = [
        (row, fused, row.ranks.index(1))
        for fused, row in enumerate(fusion.rows, 1)
        if fused >= FALLS and 1 in row.ranks
    ]
    if fallen:
        row, fused, place = max(fallen, key=lambda fall: (_alone(fall[0]), fall[1]))
        alone = " alone" if _alone(row) else ""
        text += f" {called[row.passage.chunk]}, first in {columns[place].name}{alone}, falls to rank {fused}."
    return text


def _of(near: int, lists: int) -> str:
    if lists == 1:
        return "the only list"
    return f"all {lists} lists" if near == lists else f"{near} of {lists} lists"


def _alone(row: FusedRow) -> bool:
    return sum(rank is not None for rank in row.ranks) == 1


def _picture(scene: Scene) -> Picture | None:
    if fusions := scene.record.find(Fusion):
        flow = fusion_flow(fusions[-1], stars=scene.stars)
        return drawn_picture("Ranked lists into one", READING_FLOW, "fusion_flow", flow)
    flow = lists_flow(lists, scene.stars) if (lists := lists_found(scene.record)) else {}
    return drawn_picture("Ranked lists", READING_LISTS, "fusion_flow", flow)


KINDS = (
    Kind(
        key="fusion",
        title="Rank fusion",
        icon="merge",
        gist=Gist(80, merged),
        card=card,
        summary=_summary,
        sentence=Sentence(20, _sentence),
        picture=_picture,
    ),
)
