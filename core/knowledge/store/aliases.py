"""The alias table: which entities were merged into which, and what was moved, so that it can be moved back."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, String, Text, delete, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from core.database import Store, value_of
from core.errors import InputError
from core.knowledge.records import NodeRecord
from core.knowledge.store.graph_catalogue import Base


class AliasRow(Base):
    """An entity that is another one now."""

    __tablename__ = "graph_aliases"

    id: Mapped[str] = mapped_column(String(12), primary_key=True)
    graph: Mapped[str] = mapped_column(String(32), index=True)
    place: Mapped[int]
    keep: Mapped[str] = mapped_column(Text)
    keep_name: Mapped[str] = mapped_column(Text)
    keep_kind: Mapped[str] = mapped_column(Text, default="")
    gone: Mapped[str] = mapped_column(Text)
    gone_name: Mapped[str] = mapped_column(Text)
    gone_kind: Mapped[str] = mapped_column(Text, default="")
    reason: Mapped[str] = mapped_column(Text, default="")
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))
    moved: Mapped[list[Any]] = mapped_column(JSON, default=list)
    added: Mapped[list[Any]] = mapped_column(JSON, default=list)


@dataclass(frozen=True)
class Merge:
    """Two entities that were made one."""

    id: str
    keep: NodeRecord
    gone: NodeRecord
    """The entity that was merged, as it was before."""
    reason: str
    created: datetime
    moved: list[dict[str, Any]]
    """The edges that the lost entity had, as they were."""
    added: list[dict[str, Any]]
    """The edges that the other one has in their place and had not before."""

    @property
    def touched(self) -> set[str]:
        """Ids of every node at an edge that was moved."""
        ends = {end for edge in self.moved for end in (edge["s"], edge["t"])}
        return ends | {self.keep.id, self.gone.id}


def survivors(merges: Iterable[Merge]) -> dict[str, str]:
    """Return the id of each entity of some merges, in their order -> the one that it is part of now."""
    stays: dict[str, str] = {}
    for merge in merges:
        for gone, keep in stays.items():
            if keep == merge.gone.id:
                stays[gone] = merge.keep.id
        stays[merge.gone.id] = merge.keep.id
        stays.pop(merge.keep.id, None)
    return stays


def former_names(merges: Sequence[Merge]) -> list[tuple[str, str]]:
    """Return the names that went with merges, each with the id of the entity that it stands for now, in their order."""
    stays = survivors(merges)
    return [(merge.gone.name, stays.get(merge.gone.id, merge.gone.id)) for merge in merges]


class Aliases(Store):
    """The merges in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata

    def merges(self, graph: str) -> list[Merge]:
        """Return the merges in the graph with this id that were not undone, in their order."""
        with self.session() as session:
            rows = session.scalars(select(AliasRow).where(AliasRow.graph == graph).order_by(AliasRow.place))
            return [_merge(row) for row in rows]

    def merge(self, graph: str, ident: str) -> Merge:
        """Return the merge of that id.

        Raises:
            InputError: There is none in this graph.
        """
        for merge in self.merges(graph):
            if merge.id == ident.strip():
                return merge
        raise InputError(f"There is no merge “{ident[:40]}” in this graph. It may have been undone already.")

    def add(self, graph: str, keep: NodeRecord, gone: NodeRecord, reason: str) -> Merge:
        """Note that two entities are one from now on; nothing is moved yet."""
        with self.session() as session:
            last = session.scalar(select(func.max(AliasRow.place)).where(AliasRow.graph == graph))
            row = AliasRow(
                id=uuid.uuid4().hex[:8],
                graph=graph,
                place=(last or 0) + 1,
                keep=keep.id,
                keep_name=keep.name,
                keep_kind=keep.kind,
                gone=gone.id,
                gone_name=gone.name,
                gone_kind=gone.kind,
                reason=reason,
            )
            session.add(row)
            session.flush()
            session.refresh(row)
            return _merge(row)

    def moving(self, merge: Merge) -> None:
        """Note what is about to be moved."""
        with self.session() as session:
            statement = update(AliasRow).where(AliasRow.id == merge.id)
            session.execute(statement.values(moved=merge.moved, added=merge.added))

    def remove(self, merge: str) -> None:
        """Forget the merge with this id."""
        with self.session() as session:
            session.execute(delete(AliasRow).where(AliasRow.id == merge))


def _merge(row: AliasRow) -> Merge:
    return value_of(
        Merge,
        row,
        keep=NodeRecord(id=row.keep, name=row.keep_name, kind=row.keep_kind),
        gone=NodeRecord(id=row.gone, name=row.gone_name, kind=row.gone_kind),
        moved=list(row.moved),
        added=list(row.added),
    )
