"""Comparisons: one question, several runs, side by side; stored beside the runs, which stay runs of their own."""

from __future__ import annotations

import builtins
import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from core.database import value_of
from core.errors import InputError, UnknownRun
from core.owned import OwnedRows, newest_first, short_name, shown_to
from core.runs.budget import known_gold
from core.runs.request import RunRequest
from core.runs.store import Base, ComparisonRow
from core.strategies import get_strategy
from core.strategies.base import bounds
from core.trace.events import now
from core.trace.gold import Gold

if TYPE_CHECKING:
    from core.runs.launch import RunLauncher
    from core.runs.sources.corpora import CorpusService

COLUMNS_LEAST, COLUMNS_MOST = 2, 4
_GOLD: TypeAdapter[tuple[Gold, ...]] = TypeAdapter(tuple[Gold, ...])


@dataclass(frozen=True)
class Comparison:
    """One question put through several strategies."""

    id: str
    owner: str
    created: datetime
    """UTC."""
    question: str
    runs: tuple[str, ...]
    """Ids of the runs, one per column; a run may have been deleted since."""
    gold: tuple[Gold, ...] = ()
    """Empty: nobody knows where the evidence is."""
    name: str = ""
    pinned: bool = False

    @property
    def title(self) -> str:
        """Its name, or its question."""
        return self.name or self.question


class ComparisonStore(OwnedRows):
    """Comparisons in one database; the runs of one that is deleted stay.

    Calls block for a moment; from a coroutine, use a thread.
    """

    tables = Base.metadata
    row = ComparisonRow

    def add(
        self,
        question: str,
        runs: Sequence[str],
        owner: str,
        gold: Sequence[Gold] = (),
        *,
        name: str = "",
    ) -> Comparison:
        """Store a comparison of these runs, which need not be stored yet.

        Raises:
            InputError: There are too few or too many of them.
        """
        check_columns(runs)
        key, title = secrets.token_hex(8), short_name(name)
        comparison = Comparison(key, owner, now(), question, tuple(runs), tuple(gold), title)
        with self.session() as session:
            session.add(row_of(comparison))
        return comparison

    def get(self, comparison: str) -> Comparison:
        """The comparison with this id.

        Raises:
            UnknownRun: There is none.
        """
        with self.session() as session:
            row = session.get(ComparisonRow, comparison)
            if row is None:
                raise UnknownRun(f"There is no comparison '{comparison[:40]}'.")
            return _value(row)

    def list(self, owners: Collection[str], limit: int = 100) -> builtins.list[Comparison]:
        """Comparisons of these owners and pinned ones, pinned before all, then the newest first."""
        query = newest_first(ComparisonRow).where(shown_to(ComparisonRow, owners)).limit(limit)
        with self.session() as session:
            return [_value(row) for row in session.scalars(query)]


def check_columns(columns: Sequence[object]) -> None:
    """Check the number of columns of a comparison.

    Raises:
        InputError: There are too few or too many.
    """
    if not COLUMNS_LEAST <= len(columns) <= COLUMNS_MOST:
        raise InputError(f"A comparison has {COLUMNS_LEAST} to {COLUMNS_MOST} columns.")


def row_of(comparison: Comparison) -> ComparisonRow:
    """A comparison as it is stored."""
    changed = {
        "created": comparison.created.replace(tzinfo=None),
        "runs": list(comparison.runs),
        "gold": _GOLD.dump_python(comparison.gold),
    }
    return ComparisonRow(**vars(comparison) | changed)


def _value(row: ComparisonRow) -> Comparison:
    return value_of(Comparison, row, runs=tuple(row.runs), gold=_GOLD.validate_python(row.gold))


class Comparing:
    """The comparisons that one process began; thread-safe."""

    def __init__(self, corpora: CorpusService, launcher: RunLauncher) -> None:
        self._corpora, self._launcher = corpora, launcher

    @cached_property
    def store(self) -> ComparisonStore:
        """Runs that stand side by side."""
        return ComparisonStore(self._corpora.settings.database)

    def start(self, requests: Sequence[RunRequest], gold: Sequence[Gold] = ()) -> Comparison:
        """Begin one run per request, all at once, in the background; blocks for a moment.

        Args:
            gold: The evidence; empty: what the corpus knows of this question, if anything.

        Raises:
            InputError: One of them cannot be run, so none is; their questions differ, or there are too few or too many.
            StoreError: The comparison cannot be stored.
        """
        check_columns(requests)
        for request in requests:
            self._launcher.check(request)
        if len({request.question.strip() for request in requests}) > 1:
            raise InputError("All columns of a comparison answer one question.")
        question, owner = requests[0].question.strip(), requests[0].owner
        if not gold:
            gold = self._known_gold(
                dict.fromkeys(column.corpus for column in requests if column.corpus), question
            )
        jobs = [self._launcher.start(request) for request in requests]
        return self.store.add(question, [job.run for job in jobs], owner, gold)

    def _known_gold(self, corpora: Iterable[str], question: str) -> tuple[Gold, ...]:
        """The evidence that corpora know for a question. Where they are cut in different ways, a chunk's id means
        another text in each of them, so only the documents count."""
        labels = [known_gold(self._corpora.catalogue, corpus, question) for corpus in corpora]
        if len(set(labels)) < 2:
            return labels[0] if labels else ()
        documents = {gold.document: gold.title for evidence in labels for gold in evidence}
        return tuple(Gold(document=document, title=title) for document, title in documents.items())


@dataclass(frozen=True)
class EvenColumns:
    """Columns as they are evened out."""

    requests: tuple[RunRequest, ...]
    number: int
    """Passages that each is given; 0: fewer than two columns have a number, or two were set to different ones."""
    changed: tuple[int, ...]
    """Places of the columns whose number is another than it was."""
    without: tuple[int, ...]
    """Places of the columns that search documents, but have no number to set."""


def even_out(requests: Sequence[RunRequest]) -> EvenColumns:
    """The same columns with the same number of passages.

    A number that was set by hand holds for all; else the smallest does, so that no answer has to read more than its
    strategy would have it read.

    Raises:
        InputError: There is no such strategy, or its parameters are not as they should be.
    """
    strategies = [get_strategy(request.strategy) for request in requests]
    numbers: dict[int, int] = {}
    by_hand: set[int] = set()
    for place, (request, strategy) in enumerate(zip(requests, strategies, strict=True)):
        if name := strategy.params.gives:
            numbers[place] = getattr(strategy.parse(request.params), name)
            if numbers[place] != strategy.params.model_fields[name].default:
                by_hand.add(numbers[place])
    without = tuple(
        place for place, strategy in enumerate(strategies) if strategy.retrieves and place not in numbers
    )
    if len(numbers) < 2 or len(by_hand) > 1:
        return EvenColumns(tuple(requests), 0, (), without)
    number = min(by_hand or numbers.values())
    changed = tuple(place for place, own in numbers.items() if own != number)
    columns = list(requests)
    for place in changed:
        name = strategies[place].params.gives
        low, high = bounds(strategies[place].params.model_fields[name])
        fits = min(max(number, int(low or number)), int(high or number))
        columns[place] = replace(columns[place], params={**columns[place].params, name: fits})
    return EvenColumns(tuple(columns), number, changed, without)
