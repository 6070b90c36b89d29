"""How commands print."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from core.corpora.demo import DEMO_CORPORA

if TYPE_CHECKING:
    from core.jobs import Job
    from core.runs.sources.corpora import CorpusService

T = TypeVar("T")

POLL_SECONDS = 0.05
MOST_PROGRESS = 120
"""Characters of a line of progress; one that wraps could not be replaced."""


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=1, default=str)
    print()


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Columns wide enough for their longest cell; the last one may be as long as it likes."""
    lines = [list(header), *([printable(str(cell)) for cell in row] for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header) - 1)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line[:-1], widths, strict=True)]
        print("  ".join([*cells, line[-1]]))


def printable(text: str) -> str:
    """Text from a document or a model without the control characters that could drive a terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)


def complain(text: str) -> None:
    """Print what is wrong, or has to be known, on standard error."""
    print(printable(f"python -m core: {text}"), file=sys.stderr)


def progress(message: str) -> None:
    """A line of progress on standard error, where it does not disturb the result."""
    if sys.stderr.isatty():
        shown = printable(message)[:MOST_PROGRESS]
        print(f"\r\033[K{shown}", end="", file=sys.stderr, flush=True)


def end_progress() -> None:
    """Clear the line of progress."""
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def follow(job: Job[T], message: Callable[[], str], patience: float = 0.0) -> T:
    """Show how far a job is until it has ended; what came of it.

    Args:
        job: Stopped by Ctrl-C.
        message: How far it is.
        patience: Seconds that a stopped job may take to put down what it has.

    Raises:
        LoupeError: It failed.
    """
    try:
        while not job.done:
            progress(message())
            time.sleep(POLL_SECONDS)
    except KeyboardInterrupt:
        job.stop(patience)
        raise
    finally:
        end_progress()
    return job.result()


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
    follow(job, lambda: job.message)
