"""What people make and leave in the app, through every store: how it is found, and how it is deleted.

Each kind names the tables whose rows go with it. Every other table is in `EXEMPT`, with the reason; a test fails for
one that is in neither.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from core.classroom.handing_in import HandInRow
from core.classroom.plans import PlanStore, plan_store
from core.classroom.store import ClassStore, MemberRow, VoteRow, class_store
from core.corpora.contexts import ReplyRow
from core.corpora.entries import CorpusRow, DocumentRow
from core.corpora.ingestion import remove_corpus
from core.corpora.writing import HOLD_SECONDS, uninterrupted
from core.errors import InputError
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.dataset_indexing import PREFIX, indexed_from
from core.evaluation.evaluation_store import EvaluationStore
from core.evaluation.pairs import runs_of
from core.evaluation.runner import evaluations_of
from core.evaluation.set_store import SetStore
from core.knowledge.store import aliases, build_ledger, graph_catalogue
from core.models.recordings.store import RecordingStore
from core.models.spending import SpentRow
from core.owned import Extent, OwnedRows
from core.runs import gallery
from core.runs.comparisons import ComparisonStore
from core.runs.request import EVALUATION
from core.runs.store import RunStore
from core.runs.workbench import Workbench

STOP_SECONDS = 10.0
"""Longest time that work under way is given to end before what it made is deleted."""
MOST_PINNED = 10_000
"""Pinned things that are looked through."""
GRAPH_TABLES = frozenset(
    row.__tablename__
    for row in (
        graph_catalogue.GraphRow,
        graph_catalogue.EntitiesRow,
        build_ledger.ChunkRow,
        build_ledger.WriterRow,
        aliases.AliasRow,
    )
)


@dataclass(frozen=True)
class Kind:
    """Something that a person makes or leaves in the app."""

    name: str
    tables: frozenset[str]
    """Names of the tables whose rows are deleted with it."""
    find: Callable[[Workbench, Extent], Iterable[str]]
    """Gives the keys of those that are meant; blocks."""
    delete: Callable[[Workbench, str], Awaitable[object]]
    """Deletes one by its key. After a kill in the middle it can be found and deleted again; one that is gone is no
    error."""
    expires: bool = False
    """True if it goes after `Settings.keep_days`."""
    names: str = ""
    """Its name for more than one; empty: with an s."""

    def keys(self, bench: Workbench, extent: Extent) -> list[str]:
        """The keys of those that are meant; blocks."""
        return list(self.find(bench, extent))


def _owned(
    name: str,
    kind: type[OwnedRows],
    store: Callable[[Workbench], OwnedRows],
    delete: Callable[[Workbench, str], Awaitable[object]] | None = None,
    *,
    find: Callable[[Workbench, Extent], Iterable[str]] | None = None,
    expires: bool = False,
    names: str = "",
) -> Kind:
    """Rows of a store of owned rows, which are deleted by it unless more has to be done."""
    rows = (kind.row, *(column.class_ for column in kind.parts))
    tables = frozenset(row.__tablename__ for row in rows)

    async def drop(bench: Workbench, key: str) -> None:
        await uninterrupted(store(bench).delete, key)

    return Kind(
        name,
        tables,
        find or (lambda bench, extent: store(bench).within(extent)),
        delete or drop,
        expires,
        names,
    )


# Corpora and graphs


def _indexed_sets(bench: Workbench, owner: str) -> set[str]:
    """Ids of the corpora that evaluations made of this owner's data sets, and that nobody else's need."""
    corpora = [corpus for corpus in bench.corpora.catalogue.corpora() if corpus.name.startswith(PREFIX)]
    if not corpora:
        return set()
    searched, sets = evaluations_of(bench).store.searched(), data_sets_of(bench)
    mine = {corpus.id for corpus in corpora if owner in searched.get(corpus.id, ())}
    others = {corpus.id for corpus in corpora if set(searched.get(corpus.id, ())) - {owner}}
    for entry in sets.described(None):
        with suppress(InputError):  # one that cannot be used yet was not indexed either
            (mine if entry.owner == owner else others).update(indexed_from(sets.open(entry.id), corpora))
    return mine - others


def _corpora(bench: Workbench, extent: Extent) -> Iterator[str]:
    """Corpora of an owner; first those of their data sets, which are found by their documents."""
    of_sets = _indexed_sets(bench, extent.owner)
    corpora = [corpus for corpus in bench.corpora.catalogue.corpora() if _meant(corpus, extent)]
    own = {corpus.id for corpus in corpora if corpus.owner == extent.owner}
    yield from (corpus.id for corpus in corpora if corpus.id in of_sets)
    yield from own - of_sets


def _meant(made: Any, extent: Extent) -> bool:
    return extent.before is None or made.created.replace(tzinfo=None) < extent.before


async def _delete_corpus(bench: Workbench, key: str) -> None:
    for corpus in await asyncio.to_thread(bench.corpora.catalogue.corpora):
        if corpus.id == key:
            # Patience until the hold of a killed process has ended.
            await remove_corpus(corpus, await bench.corpora.stores(), HOLD_SECONDS + 1)


def _graphs(bench: Workbench, extent: Extent) -> list[str]:
    graphs = bench.graphs.graphs.catalogue.graphs()
    return [graph.name for graph in graphs if graph.owner == extent.owner and _meant(graph, extent)]


async def _delete_graph(bench: Workbench, name: str) -> None:
    with suppress(graph_catalogue.UnknownGraph):
        await uninterrupted(bench.graphs.delete, name)


# Runs, and what is made of them


def _stays(bench: Workbench) -> set[str]:
    """Ids of what no age deletes, though it is not pinned itself: the gallery, and the runs of what is pinned."""
    pieces = {piece.id: piece for piece in gallery.PIECES}
    runs = {piece.run_id(place) for piece in pieces.values() for place in range(len(piece.requests))}
    for comparison in bench.comparisons.list((), MOST_PINNED):
        runs.update(comparison.runs)
    for evaluation in evaluations_of(bench).store.list((), MOST_PINNED):
        runs |= runs_of(evaluation)
    return runs | set(pieces)


def _aged(bench: Workbench, store: OwnedRows, extent: Extent) -> list[str]:
    stays = set() if extent.before is None else _stays(bench)
    return [key for key in store.within(extent) if key not in stays]


def _runs(bench: Workbench, extent: Extent) -> Iterable[str]:
    begun = bench.launcher.begun_by(extent.owner) if extent.before is None else []
    return dict.fromkeys([*_aged(bench, bench.store, extent), *begun])


async def _delete_evaluation(bench: Workbench, key: str) -> None:
    evaluations = evaluations_of(bench)
    if (job := evaluations.job(key)) is not None:
        await asyncio.to_thread(job.stop, STOP_SECONDS)
    with suppress(InputError):  # it is gone
        evaluation = await asyncio.to_thread(evaluations.store.get, key)
        stored = await asyncio.to_thread(bench.store.within, Extent(EVALUATION))
        for run in runs_of(evaluation).intersection(stored):
            await bench.launcher.delete(run)
    await uninterrupted(evaluations.store.delete, key)


# Classes


def _classes(bench: Workbench) -> ClassStore:
    return class_store(bench.settings.database)


def _memberships(bench: Workbench, extent: Extent) -> list[str]:
    """A class and its member, for each class that an owner joined."""
    if not extent.owner:
        return []
    return [f"{key} {extent.owner}" for key in _classes(bench).memberships(extent.owner, extent.before)]


async def _leave(bench: Workbench, key: str) -> None:
    classroom, _, member = key.partition(" ")
    await uninterrupted(_classes(bench).leave, classroom, member)


def _replies(bench: Workbench, extent: Extent) -> list[str]:
    """Replies about documents of an owner, which no extent with an age means: they are dropped after days anyway."""
    return bench.corpora.context_ledger.kept_for(extent.owner) if extent.before is None else []


async def _delete_reply(bench: Workbench, key: str) -> None:
    await uninterrupted(bench.corpora.context_ledger.delete, key)


def _spending(bench: Workbench, extent: Extent) -> list[str]:
    """An owner who spent something on a past day; today's stays, or else whoever deletes would have a new budget."""
    if extent.before is not None or not bench.backends.models.spending.store.has_past(extent.owner):
        return []  # the first call of a day forgets what is older
    return [extent.owner]


async def _delete_spending(bench: Workbench, owner: str) -> None:
    await uninterrupted(bench.backends.models.spending.store.delete, owner)


KINDS = (
    # Corpora first: those of data sets are found by the documents of what comes after.
    Kind(
        "corpus",
        frozenset(row.__tablename__ for row in (CorpusRow, DocumentRow)),
        _corpora,
        _delete_corpus,
        names="corpora",
    ),
    Kind(
        "reply with contexts",
        frozenset({ReplyRow.__tablename__}),
        _replies,
        _delete_reply,
        names="replies with contexts",
    ),
    Kind("graph", GRAPH_TABLES, _graphs, _delete_graph),
    _owned(
        "evaluation",
        EvaluationStore,
        lambda bench: evaluations_of(bench).store,
        _delete_evaluation,
        expires=True,
    ),
    _owned("data set", SetStore, lambda bench: data_sets_of(bench).store),
    _owned(
        "comparison",
        ComparisonStore,
        lambda bench: bench.comparisons,
        find=lambda bench, extent: _aged(bench, bench.comparisons, extent),
        expires=True,
    ),
    _owned(
        "run",
        RunStore,
        lambda bench: bench.store,
        lambda bench, run: bench.launcher.delete(run),
        find=_runs,
        expires=True,
    ),
    _owned("recording", RecordingStore, lambda bench: bench.recordings.store),
    Kind(
        "membership of a class",
        frozenset(row.__tablename__ for row in (MemberRow, VoteRow, HandInRow)),
        _memberships,
        _leave,
        names="memberships of classes",
    ),
    _owned("class", ClassStore, _classes, expires=True, names="classes"),
    _owned("plan", PlanStore, lambda bench: plan_store(bench.settings.database)),
    Kind(
        "record of spending",
        frozenset({SpentRow.__tablename__}),
        _spending,
        _delete_spending,
        names="records of spending",
    ),
)
"""Everything, in the order in which it is deleted."""
EXEMPT = {
    "gallery": "says which pieces of the gallery a database was given",
    "call_times": "tokens and seconds of calls to models of this machine, without text or owner",
}
"""Table -> reason why nothing in it is deleted for anybody."""
