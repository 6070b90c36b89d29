"""The store of data sets that were uploaded or made in the browser, in the SQL database."""

from __future__ import annotations

import builtins
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, cast

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from core.corpora.documents import kept_name
from core.corpora.entries import Corpus
from core.errors import InputError
from core.evaluation.dataset_files import files_of
from core.evaluation.datasets import DataSet
from core.evaluation.set_tables import Base, DataSetFileRow, DataSetRow, MadeQuestionRow, MarkRow
from core.owned import OwnedRows, newest_first, shown_to

MAX_NAME = 60

Origin = Literal["uploaded", "made"]


@dataclass(frozen=True)
class StoredSet:
    """The entry of a data set."""

    id: str
    owner: str
    created: datetime
    """UTC."""
    name: str
    origin: Origin
    pinned: bool
    """Whether the data set is shown to everybody."""
    questions: int
    documents: int
    """Number of documents of an uploaded data set; a made one has the documents of its corpus."""
    corpus: str = ""
    """Id of the corpus of a made data set."""
    corpus_name: str = ""
    """Name of the corpus when the data set was begun."""


class SetStore(OwnedRows):
    """Data sets in one database; evaluations of a deleted data set stay.

    Calls block for a moment; from a coroutine, use a thread.
    """

    tables = Base.metadata
    row = DataSetRow
    parts = (MarkRow.data_set, MadeQuestionRow.data_set, DataSetFileRow.data_set)

    def add(self, dataset: DataSet, owner: str) -> str:
        """Store a data set in one transaction and return its id.

        Raises:
            InputError: Its name is unfit (see `checked_name`).
        """
        row = DataSetRow(
            id=secrets.token_hex(6),
            owner=owner,
            name=self.checked_name(dataset.name),
            origin="uploaded",
            questions=len(dataset.questions),
            documents=len(dataset.documents),
        )
        with self.session() as session:
            session.add(row)
            session.flush()
            session.add_all(
                DataSetFileRow(data_set=row.id, name=name, text=text)
                for name, text in files_of(dataset).items()
            )
            return row.id

    def make(self, name: str, corpus: Corpus, owner: str) -> str:
        """Begin a data set about the documents of a corpus, still without questions, and return its id.

        Raises:
            InputError: The name is unfit (see `checked_name`).
        """
        row = DataSetRow(
            id=secrets.token_hex(6),
            owner=owner,
            name=self.checked_name(name),
            origin="made",
            corpus=corpus.id,
            corpus_name=corpus.name,
        )
        with self.session() as session:
            session.add(row)
            session.flush()
            return row.id

    def list(self, owners: Collection[str] | None) -> builtins.list[StoredSet]:
        """Data sets of these owners and pinned data sets: the pinned ones first, then the newest.

        Args:
            owners: Owners of the data sets; None: all owners.
        """
        query = newest_first(DataSetRow)
        if owners is not None:
            query = query.where(shown_to(DataSetRow, owners))
        with self.session() as session:
            counts = _counted(session)
            return [_value(row, counts.get(row.id, 0)) for row in session.scalars(query)]

    def get(self, data_set: str) -> StoredSet:
        """The data set with this id.

        Raises:
            InputError: There is none.
        """
        with self.session() as session:
            row = session.get(DataSetRow, data_set)
            if row is None:
                raise InputError("This data set is not stored here, or not any more.")
            return _value(row, _counted(session, row.id).get(row.id, 0))

    def files(self, data_set: str) -> dict[str, bytes]:
        """The three files of an uploaded data set; empty: no data set has this id."""
        query = select(DataSetFileRow).where(DataSetFileRow.data_set == data_set)
        with self.session() as session:
            return {row.name: row.text.encode("utf-8", "replace") for row in session.scalars(query)}

    def move(self, data_set: str, corpus: Corpus) -> None:
        """Use another corpus for a made data set from now on; marks stay with their documents."""
        self._change(data_set, corpus=corpus.id, corpus_name=corpus.name)

    def checked_name(self, name: str) -> str:
        """The name of a data set as it is stored: without blanks around it, in Unicode's composed form.

        Raises:
            InputError: It is empty, longer than 60 characters, or holds control characters.
        """
        return kept_name(name, "a data set", MAX_NAME)


def _counted(session: Session, data_set: str | None = None) -> dict[str, int]:
    """Made data set -> number of questions with text, for all data sets or for the one with this id."""
    query = select(MadeQuestionRow.data_set, func.count()).where(MadeQuestionRow.text != "")
    if data_set is not None:
        query = query.where(MadeQuestionRow.data_set == data_set)
    return dict(session.execute(query.group_by(MadeQuestionRow.data_set)).all())


def _value(row: DataSetRow, made: int) -> StoredSet:
    return StoredSet(
        id=row.id,
        owner=row.owner,
        created=row.created.replace(tzinfo=UTC),
        name=row.name,
        origin=cast(Origin, row.origin),
        pinned=row.pinned,
        questions=made if row.origin == "made" else row.questions,
        documents=row.documents,
        corpus=row.corpus,
        corpus_name=row.corpus_name,
    )
