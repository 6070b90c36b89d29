"""The evidence of several runs for one question: as values (ranks, overlaps), as a grid, and in sentences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from core.cards.grid import Cell, Grid, GridRow, strength
from core.cards.grid import Column as Heading
from core.cards.narration import NAME, quoted
from core.cards.passages import names, passage_card, says_the_same
from core.charts.columns import Column
from core.runs.budget import given_passages
from core.trace.gold import Gold, holds_evidence, pieces_held
from core.trace.passages import Passage

LISTED = 3
"""Titles that a sentence names."""


@dataclass(frozen=True)
class FoundPassage:
    """A passage in the evidence of one column."""

    rank: int
    """From 1."""
    given: bool
    """True if it was given to the answer."""
    cited: bool


@dataclass(frozen=True)
class EvidenceRow:
    """A passage, and who found it."""

    passage: Passage
    found: tuple[FoundPassage | None, ...]
    """One per column; None: not in its evidence."""
    gold: bool
    """True if it holds evidence, as the labels say."""

    @property
    def only(self) -> int | None:
        """The column that alone found it."""
        finders = [place for place, hit in enumerate(self.found) if hit is not None]
        return finders[0] if len(finders) == 1 and len(self.found) > 1 else None


@dataclass(frozen=True)
class Overlap:
    """How much of what they found two columns share."""

    first: int
    second: int
    shared: int
    either: int

    @property
    def jaccard(self) -> float | None:
        """Shared passages over all passages of both, from 0 to 1; None: neither has any."""
        return self.shared / self.either if self.either else None


@dataclass(frozen=True)
class SharedEvidence:
    """The evidence of all columns."""

    rows: tuple[EvidenceRow, ...]
    """Passages that more columns found come first, then those of better rank."""
    overlaps: tuple[Overlap, ...]
    """One per pair of columns."""
    missed: tuple[Gold, ...]
    """Evidence that no column found."""
    lost: tuple[tuple[int, Gold], ...] = ()
    """Evidence that a column found and lost again, when it refined a passage into strips; with the column's place."""


def evidence(columns: Sequence[Column], gold: Sequence[Gold] = (), *, given: bool = False) -> SharedEvidence:
    """Passages × columns; `gold` is the evidence as far as it is known, and with `given` only passages count that were
    given to the answer, else all that were found."""
    passages: dict[str, Passage] = {}
    places: list[dict[str, FoundPassage]] = []
    for column in columns:
        answer, context = column.record.answer, column.record.context
        cited = {citation.chunk for citation in answer.citations} if answer else set()
        own: dict[str, FoundPassage] = {}
        for item in context.passages if context else ():
            if item.given or not given:
                known = passages.setdefault(item.passage.chunk, item.passage)
                if known.left_out and not item.passage.left_out:  # the whole of it tells more
                    passages[item.passage.chunk] = item.passage
                entry = FoundPassage(item.rank, item.given, item.passage.chunk in cited)
                # A chunk is there with its surroundings, and in what says the same, as well as alone.
                own = dict.fromkeys(item.passage.ids, entry) | own | dict.fromkeys(item.passage.chunks, entry)
        places.append(own)
    rows = [
        EvidenceRow(passage, tuple(own.get(chunk) for own in places), holds_evidence(gold, passage))
        for chunk, passage in passages.items()
    ]
    return SharedEvidence(
        tuple(sorted(rows, key=_order)),
        tuple(
            Overlap(a, b, len(places[a].keys() & places[b].keys()), len(places[a].keys() | places[b].keys()))
            for a, b in combinations(range(len(columns)), 2)
        ),
        tuple(piece for piece in gold if not pieces_held([piece], passages.values())),
        tuple((place, piece) for place, column in enumerate(columns) for piece in _lost(column, gold)),
    )


def _lost(column: Column, gold: Sequence[Gold]) -> list[Gold]:
    passages = [item.passage for item in column.record.context.passages] if column.record.context else []
    return [
        piece
        for piece in gold
        if any(map(piece.lost_from, passages)) and not any(map(piece.held_by, passages))
    ]


def _order(row: EvidenceRow) -> tuple[int, int]:
    ranks = [hit.rank for hit in row.found if hit is not None]
    return -len(ranks), min(ranks)


def gold_found(column: Column, gold: Sequence[Gold]) -> int:
    """Count the pieces of evidence that a column gives to its answer, drafts and sub-answers included."""
    return pieces_held(gold, given_passages(column.record))


def gold_rows(
    gold: Sequence[Gold], runs: Mapping[str, Collection[Passage] | None]
) -> list[tuple[str, dict[str, bool | None]]]:
    """Name of each piece of evidence, and name of a run -> True if it is among the passages that the run gave to its
    answer; None: not known yet."""
    return [
        (
            piece.name,
            {name: None if own is None else pieces_held([piece], own) > 0 for name, own in runs.items()},
        )
        for piece in gold
    ]


def first_gold(column: Column, gold: Sequence[Gold]) -> int | None:
    """The best rank at which a column has a passage that holds evidence; None: it has none."""
    context = column.record.context
    items = context.passages if context else ()
    return min((item.rank for item in items if holds_evidence(gold, item.passage)), default=None)


def evidence_grid(shared: SharedEvidence, columns: Sequence[Column], *, known: bool) -> Grid:
    """Passages in rows, runs in columns, ranks in the cells; `known`: labels say which hold the evidence."""
    leads = [Heading("Found by", "How many of the columns found it.")]
    if known:
        leads.append(Heading("★", "The passage holds evidence, as the question's labels say."))
    called = names(row.passage for row in shared.rows)
    rows = []
    same = {copy.chunk: place for place, row in enumerate(shared.rows, 1) for copy in row.passage.stands_for}
    for place, row in enumerate(shared.rows, 1):
        twin = same.get(row.passage.chunk)
        cells = tuple(_cell(hit, column.colour) for hit, column in zip(row.found, columns, strict=True))
        count = sum(hit is not None for hit in row.found)
        own = [Cell(f"{count} of {len(columns)}" if row.only is None else f"only {columns[row.only].mark}")]
        own += [Cell("★" if row.gold else "")] if known else []
        name, same_as = called[row.passage.chunk], says_the_same(twin)
        card = passage_card(row.passage, place, None, "", badge=same_as, faint=twin is not None, name=name)
        rows.append(GridRow(card, tuple(own), cells))
    return Grid(tuple(leads), tuple(Heading(column.mark, column.name) for column in columns), tuple(rows))


def _cell(entry: FoundPassage | None, colour: str) -> Cell:
    if entry is None:
        return Cell()
    small = "cited" if entry.cited else "" if entry.given else "not given"
    return Cell(str(entry.rank), small, strength(entry.rank) if entry.given else 0.08, colour)


def sentences_about(shared: SharedEvidence, columns: Sequence[Column], *, known: bool) -> tuple[str, ...]:
    """Sentences on passages that stand out; raw text."""
    called = names((row.passage for row in shared.rows), NAME)
    sentences = []
    for place, column in enumerate(columns):
        if own := [row for row in shared.rows if row.only == place]:
            named = ", ".join(quoted(called[row.passage.chunk]) for row in own[:LISTED])
            more = f" and {len(own) - LISTED} more" if len(own) > LISTED else ""
            gold = sum(row.gold for row in own)
            holding = f" ★ {gold} of these {'holds' if gold == 1 else 'hold'} evidence." if gold else ""
            sentences.append(f"Only {column.mark} · {column.title} found {named}{more}.{holding}")
    everywhere = sum(all(hit is not None for hit in row.found) for row in shared.rows)
    if shared.rows:
        sentences.append(f"{everywhere} of {len(shared.rows)} passages were found by every column.")
    if known and shared.missed:
        named = "; ".join(piece.name for piece in shared.missed[:LISTED])
        more = f"; and {len(shared.missed) - LISTED} more" if len(shared.missed) > LISTED else ""
        sentences.append(f"★ No column found this evidence: {named}{more}.")
    if known:
        sentences += [
            f"★ {columns[place].mark} · {columns[place].title} found this and left it out when it refined its "
            f"passages: {piece.name}."
            for place, piece in shared.lost[:LISTED]
        ]
    return tuple(sentences)
