"""A recording as it is listed; without its store, since whoever names one need not open a database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.models.recordings.items import Head


@dataclass(frozen=True)
class Recording:
    """A recording as it is listed."""

    id: str
    owner: str
    created: datetime
    """UTC."""
    name: str
    model: str
    licence: str
    measured: bool
    """Whether the times of its replies are the model's own."""
    pinned: bool
    replies: int
    bytes: int

    @property
    def head(self) -> Head:
        """First line of its file."""
        return Head(
            name=self.name,
            model=self.model,
            created=self.created,
            licence=self.licence,
            measured=self.measured,
        )
