"""What comes with the app is made ready at its first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.cli.output import complain, follow
from core.corpora.demo import DEMO_CORPORA

if TYPE_CHECKING:
    from core.runs.sources.corpora import CorpusService

FIRST_USE = "at first use"
"""Stands in tables where the rest is not known yet."""


def first_use_note(later: Sequence[str]) -> None:
    """Say below a table what `FIRST_USE` means, if it stands there."""
    if later:
        print(f"\n“{FIRST_USE}”: comes with the app; made at its first use.")


def make_ready(corpora: CorpusService, name: str) -> None:
    """Index a corpus that comes with the app unless it is; others are left alone.

    Raises:
        LoupeError: It cannot be indexed.
    """
    if name not in DEMO_CORPORA:
        return
    job = corpora.demo(name)
    if moved := follow(job, lambda: job.message).moved_to:
        complain(f"your corpus “{name}” is called “{moved}” now, since one of that name comes with the app")
