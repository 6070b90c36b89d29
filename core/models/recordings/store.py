"""The recordings in the SQL database."""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC
from typing import TypeVar, cast

from sqlalchemy import (
    Connection,
    ForeignKey,
    String,
    Text,
    UniqueConstraint,
    bindparam,
    insert,
    select,
    true,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.database import Lookup, store_errors, value_of
from core.errors import InputError, StoreError
from core.models.recordings.items import ITEM, Head, Item, Kept, KeptReply, KeptRun, Recording
from core.owned import OwnedRow, OwnedRows, newest_first, short_name, shown_to


class Base(DeclarativeBase):
    """Holds the metadata of the tables of recordings."""


class RecordingRow(OwnedRow, Base):
    """One recording."""

    __tablename__ = "recordings"
    __table_args__ = (UniqueConstraint("owner", "name"),)

    model: Mapped[str] = mapped_column(String(200))
    licence: Mapped[str] = mapped_column(Text, server_default="")
    measured: Mapped[bool] = mapped_column(server_default=true())
    replies: Mapped[int] = mapped_column(server_default="0")
    bytes: Mapped[int] = mapped_column(server_default="0")
    """Of its items."""


class ItemRow(Base):
    """One thing that a recording holds, as a line of JSON; see `core.models.recordings.items`."""

    __tablename__ = "recording_items"

    recording: Mapped[str] = mapped_column(ForeignKey("recordings.id", ondelete="CASCADE"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    key: Mapped[str] = mapped_column(String(32), primary_key=True)
    body: Mapped[str] = mapped_column(Text)


log = logging.getLogger(__name__)
T = TypeVar("T", bound=Kept)

MAX_LICENCE = 2000
"""Characters of a licence note; see `Head`."""
TRIES = 5
"""Number of looks at what is there already, where other runs keep the same at the same moment."""
FEW = 8
"""Keys that are looked up one by one, which is quicker then."""
TOGETHER_SECONDS = 0.3
"""Time for which items are collected that need not be safe at once, so that no run waits for the write: each takes
milliseconds from it. What a kill loses of it would be found again."""
_TOGETHER = 500
"""Keys in one statement."""


class RecordingStore(OwnedRows):
    """The recordings in one database. Calls block for a moment; from a coroutine, use a thread."""

    tables = Base.metadata
    row = RecordingRow
    parts = (ItemRow.recording,)

    def __init__(self, database: str) -> None:
        """See `Store`."""
        super().__init__(database)
        named = select(ItemRow.body).where(
            ItemRow.recording == bindparam("recording"),
            ItemRow.kind == bindparam("kind"),
            ItemRow.key == bindparam("key"),
        )
        self._body = Lookup(self.engine, named)
        self._soon = ThreadPoolExecutor(1, "rag-loupe-recording")
        self._coming: dict[tuple[str, str, str], tuple[Kept, int]] = {}
        """Items that are not written yet, by recording, kind and key; with the bytes that their recording may have."""
        self._adding = threading.Lock()
        self._due = False
        """True if a write is about to begin."""
        self._now = threading.Event()
        """Set: what is to be written is not waited with."""
        self._writing = threading.Lock()
        """Waiting for it takes as long as it has to; SQLite, where its own is taken, sleeps before it looks again."""

    def begin(self, head: Head, owner: str, ident: str = "", items: Iterable[Kept] = ()) -> Recording:
        """A new recording of an owner, with these items; nobody sees it before it holds them. Without an id, one is
        drawn.

        Raises:
            InputError: The owner has one of this name, or the name is empty or too long.
        """
        name, ident = checked(head.name), ident or secrets.token_hex(8)
        rows, size, replies = _rows(ident, items)
        row = RecordingRow(
            id=ident,
            owner=owner,
            created=head.created.astimezone(UTC).replace(tzinfo=None),
            name=name,
            model=head.model,
            licence=head.licence,
            measured=head.measured,
            pinned=False,
            replies=replies,
            bytes=size,
        )
        entry = value_of(Recording, row)
        try:
            with self.session(passed=IntegrityError) as session:
                session.add(row)
                session.flush()
                if rows:
                    session.execute(insert(ItemRow), rows)
        except IntegrityError:
            raise _taken(name) from None
        return entry

    def rename(self, key: str, name: str) -> None:
        """Give the recording with this id another name.

        Raises:
            InputError: The owner has one of this name, or the name is empty or too long.
        """
        name = checked(name)
        try:
            with self.session(passed=IntegrityError) as session:
                session.execute(update(RecordingRow).where(RecordingRow.id == key).values(name=name))
        except IntegrityError:
            raise _taken(name) from None

    def listed(self, owners: Collection[str]) -> list[Recording]:
        """Those of these owners and those that are pinned, pinned ones first, then the newest."""
        with self.session() as session:
            rows = session.scalars(newest_first(RecordingRow).where(shown_to(RecordingRow, owners)))
            return [value_of(Recording, row) for row in rows]

    def get(self, key: str) -> Recording:
        """The recording with this id.

        Raises:
            InputError: There is none.
        """
        with self.session() as session:
            row = session.get(RecordingRow, key)
            if row is None:
                raise InputError("This recording has been deleted. Choose another model.")
            return value_of(Recording, row)

    def there(self, key: str) -> bool:
        """True if it has not been deleted."""
        with self.session() as session:
            return session.get(RecordingRow, key) is not None

    def named(self, name: str, owners: Collection[str]) -> Recording | None:
        """The recording of this name, or with this id: one of these owners before a pinned one."""
        named = [recording for recording in self.listed(owners) if name in (recording.name, recording.id)]
        return min(named, key=lambda recording: recording.owner not in owners) if named else None

    def license(self, key: str, licence: str) -> None:
        """Say of the recording with this id under which licence it may be passed on, and who wrote the replies.

        Raises:
            InputError: It is too long.
        """
        if len(licence) > MAX_LICENCE:
            raise InputError(f"A licence note must have at most {MAX_LICENCE:,} characters.")
        self._change(key, licence=licence.strip())

    def close(self) -> None:
        """Write what is to be written, and give back the connections."""
        self._now.set()
        self._soon.shutdown()
        super().close()

    def item(self, recording: str, kind: type[T], key: str) -> T | None:
        """The item of this kind that the recording with this id holds under a key; None: none."""
        coming, _ = self._coming.get((recording, kind.model_fields["kind"].default, key), (None, 0))
        if isinstance(coming, kind):
            return coming
        body = self._body(recording=recording, kind=kind.model_fields["kind"].default, key=key)
        return None if body is None else kind.model_validate_json(body)

    def rekey(self, recording: str, former: str, key: str) -> None:
        """Move the reply that the recording with this id holds under a former key to its key now."""
        if (item := self.item(recording, KeptReply, former)) is None:
            return
        body = item.model_copy(update={"key": key}).model_dump_json()
        row = ItemRow.recording == recording, ItemRow.kind == item.kind, ItemRow.key == former
        with suppress(IntegrityError), self._writing, self.session(passed=IntegrityError) as session:
            session.execute(update(ItemRow).where(*row).values(key=key, body=body))

    def items(self, recording: str, kind: type[T], keys: Sequence[str]) -> dict[str, T]:
        """The items of this kind that it holds under several keys, as far as it does."""
        if len(keys) <= FEW:
            return {key: item for key in keys if (item := self.item(recording, kind, key)) is not None}
        name = kind.model_fields["kind"].default
        coming = {key: self._coming.get((recording, name, key), (None, 0))[0] for key in keys}
        items = {key: item for key, item in coming.items() if isinstance(item, kind)}
        query = select(ItemRow.key, ItemRow.body).where(ItemRow.recording == recording, ItemRow.kind == name)
        with self.session() as session:
            for some in _portions(keys):
                rows = session.execute(query.where(ItemRow.key.in_(some)))
                items |= {key: kind.model_validate_json(body) for key, body in rows}
        return items

    def runs(self, recording: str, *, settled: bool = True) -> list[KeptRun]:
        """The runs that it noted, as their questions were asked; `settled`: with those that wait to be written."""
        if settled:
            self.settle()
        with self.session() as session:
            query = select(ItemRow.body).where(ItemRow.recording == recording, ItemRow.kind == "run")
            return [KeptRun.model_validate_json(body) for body in session.scalars(query)]

    def keep(self, recording: str, items: Sequence[T], limit: int, *, soon: bool = False) -> list[T]:
        """Keep what the recording with this id does not hold yet, within the bytes that it may have; whoever was first
        stays.

        `soon`: items count at once, and are written a little later, with what comes meanwhile; what there is no room
        for is dropped.

        Returns:
            The items as they count from now on: another run may have been quicker. Empty: nothing is kept, since it is
            full or was deleted.
        """
        if soon:
            with self._adding:
                keyed = [((recording, item.kind, item.key), item) for item in items]
                first = [self._coming.setdefault(key, (item, limit))[0] for key, item in keyed]
                if items and not self._due:
                    self._due = True
                    self._soon.submit(self._write)
            return cast(list[T], first)
        there: set[tuple[str, str]] = set()
        for attempt in range(TRIES):  # the first time all are taken to be new, which is quicker
            try:
                # Without what maps rows to objects: it takes a third of the time, and a run waits for it.
                with self._writing, store_errors(IntegrityError), self.engine.begin() as connection:
                    if attempt:
                        keys = [item.key for item in items]
                        chosen = ({"recording": recording, "keys": some} for some in _portions(keys))
                        rows_there = (row for some in chosen for row in connection.execute(_THERE, some))
                        there = {(row.kind, row.key) for row in rows_there}
                    new = (item for item in items if (item.kind, item.key) not in there)
                    rows, size, replies = _rows(recording, new)
                    if _room(connection, recording, size, replies, limit):
                        if rows:
                            connection.execute(_ADD, rows)
                        break
            except IntegrityError:  # some of them are there: look which
                continue
            if attempt:
                return []
        if not there:
            return list(items)
        return [self.item(recording, type(item), item.key) or item for item in items]

    def _write(self) -> None:
        self._now.wait(TOGETHER_SECONDS)
        with self._adding:
            self._due = False
            coming = dict(self._coming)
        for recording, limit in {(key[0], limit) for key, (_, limit) in coming.items()}:
            mine = [item for key, (item, its) in coming.items() if (key[0], its) == (recording, limit)]
            try:
                self.keep(recording, mine, limit)
            except StoreError:  # the run goes on without it
                log.exception("A recording could not be written")
        for key in coming:
            self._coming.pop(key, None)

    def settle(self) -> None:
        """Wait until all is written."""
        self._now.set()
        try:
            self._soon.submit(int).result()
        finally:
            self._now.clear()

    def everything(self, recording: str) -> list[Item]:
        """Its items: runs, replies, rankings, vectors, each kind in the order of its keys."""
        self.settle()
        order = {"run": 0, "reply": 1, "ranking": 2, "vector": 3}
        with self.session() as session:
            query = select(ItemRow.kind, ItemRow.body).where(ItemRow.recording == recording)
            rows = session.execute(query.order_by(ItemRow.key)).all()
        return [ITEM.validate_json(body) for _, body in sorted(rows, key=lambda row: order[row.kind])]


_ITEMS, _RECORDINGS = (Base.metadata.tables[row.__tablename__] for row in (ItemRow, RecordingRow))
_ADD = insert(_ITEMS)
_THERE = select(_ITEMS.c.kind, _ITEMS.c.key).where(
    _ITEMS.c.recording == bindparam("recording"), _ITEMS.c.key.in_(bindparam("keys", expanding=True))
)
_COUNT = (
    update(_RECORDINGS)
    .where(
        _RECORDINGS.c.id == bindparam("recording"),
        _RECORDINGS.c.bytes + bindparam("more") <= bindparam("limit"),
    )
    .values(
        bytes=_RECORDINGS.c.bytes + bindparam("more"),
        replies=_RECORDINGS.c.replies + bindparam("more_replies"),
    )
)


def _portions(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """Keys in as many as one statement has."""
    return (keys[start : start + _TOGETHER] for start in range(0, len(keys), _TOGETHER))


def _room(connection: Connection, recording: str, size: int, replies: int, limit: int) -> bool:
    """Count what is kept now; False: there is no room for it, or no recording."""
    counted = {"recording": recording, "more": size, "more_replies": replies, "limit": limit}
    return bool(connection.execute(_COUNT, counted).rowcount)


def size_of(items: Iterable[Kept]) -> int:
    """Bytes that these items have in a recording, which are those of their lines in a file."""
    return _rows("", items)[1]


def _rows(recording: str, items: Iterable[Kept]) -> tuple[list[dict[str, str]], int, int]:
    """Items as values of rows, each key once; their bytes, and how many of them are replies."""
    each = {(item.kind, item.key): item for item in items}
    rows = [
        {"recording": recording, "kind": kind, "key": key, "body": item.model_dump_json()}
        for (kind, key), item in each.items()
    ]
    replies = sum(isinstance(item, KeptReply) for item in each.values())
    return rows, sum(len(row["body"].encode()) + 1 for row in rows), replies


def checked(name: str) -> str:
    """The name of a recording, in one line.

    Raises:
        InputError: It is empty or too long.
    """
    name = short_name(name)
    if not name:
        raise InputError("A recording needs a name.")
    return name


def _taken(name: str) -> InputError:
    return InputError(f"There is a recording “{name}” already. Choose another name.")
