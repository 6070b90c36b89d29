"""What embedding models were found to find, in the SQL database: measured once, whoever asks."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import Float, String, select
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from core.database import Store
from core.retrieval.defaults import Quality


class _Base(DeclarativeBase):
    """Holds the metadata of the table."""


class CheckRow(_Base):
    """One embedding model in one language."""

    __tablename__ = "retrieval_checks"

    embedder: Mapped[str] = mapped_column(String(200), primary_key=True)
    """Key of the embedding model."""
    language: Mapped[str] = mapped_column(String(40), primary_key=True)
    dense: Mapped[float] = mapped_column(Float)
    hybrid: Mapped[float] = mapped_column(Float)
    keyword: Mapped[float] = mapped_column(Float)
    created: Mapped[datetime] = mapped_column(default=lambda: datetime.now(UTC).replace(tzinfo=None))


class CheckStore(Store):
    """The checks in one database. Calls block for a moment."""

    tables = _Base.metadata

    def of(self, embedder: str) -> dict[str, Quality]:
        """Language -> what was measured with the embedding model of this key.

        Raises:
            StoreError: The database cannot be read.
        """
        with self.session() as session:
            rows = session.scalars(select(CheckRow).where(CheckRow.embedder == embedder))
            return {row.language: Quality(row.dense, row.hybrid, row.keyword) for row in rows}

    def note(self, embedder: str, language: str, found: Quality) -> None:
        """Keep what was measured; a later measurement takes its place.

        Raises:
            StoreError: The database cannot be written.
        """
        row = CheckRow(
            embedder=embedder,
            language=language,
            dense=found.dense,
            hybrid=found.hybrid,
            keyword=found.keyword,
        )
        with self.session() as session:
            session.merge(row)
