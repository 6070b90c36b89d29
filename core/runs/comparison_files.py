"""Comparisons as files: JSON Lines, a header and then the events of each run in turn; out, and checked, in again."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from core.errors import InputError
from core.owned import MAX_NAME
from core.runs.budget import PlainRanking
from core.runs.comparisons import COLUMNS_LEAST, COLUMNS_MOST, Comparison, ComparisonStore
from core.runs.gold import Gold
from core.runs.store import RunStore
from core.runs.transfer import (
    MAX_BYTES,
    MAX_EVENTS,
    check_order,
    import_run,
    put,
    read_event,
    to_lines,
)
from core.strict_json import read_json
from core.trace.events import Event, RunStarted
from core.trace.passages import Frozen

COMPARISON_VERSION = 1
"""Version of the header; the events have a version of their own."""
MAX_FILE_BYTES = COLUMNS_MOST * MAX_BYTES
MAX_HEADER_BYTES = 2**20
MAX_GOLD = 1000
MAX_PLAIN = 4 * COLUMNS_MOST
MAX_QUESTION = 100_000
"""Characters; far beyond what may be asked, so that no exported file is refused."""


class Header(Frozen):
    """First line of the file."""

    type: Literal["comparison"] = "comparison"
    version: int = COMPARISON_VERSION
    question: Annotated[str, StringConstraints(max_length=MAX_QUESTION)]
    gold: Annotated[tuple[Gold, ...], Field(max_length=MAX_GOLD)] = ()
    plain: Annotated[tuple[PlainRanking, ...], Field(max_length=MAX_PLAIN, exclude=True)] = ()
    """Earlier versions wrote it. Now each run keeps what it is held against, so it is read past."""
    name: Annotated[str, StringConstraints(max_length=MAX_NAME)] = ""
    runs: Annotated[int, Field(ge=COLUMNS_LEAST, le=COLUMNS_MOST)]
    """How many runs follow: a file that was cut off between two of them is told by it."""


def comparison_lines(comparison: Comparison, runs: Sequence[Iterable[Event]]) -> str:
    """A comparison and the events of its runs that are still stored, in the order of the columns, as JSON Lines.

    Raises:
        InputError: Fewer than two of its runs are left.
    """
    if len(runs) < COLUMNS_LEAST:
        raise InputError(
            "Most of the runs of this comparison were deleted, so there is nothing left to compare."
        )
    header = Header(
        question=comparison.question,
        gold=comparison.gold,
        name=comparison.name,
        runs=len(runs),
    )
    return header.model_dump_json() + "\n" + "".join(map(to_lines, runs))


def is_comparison(data: bytes) -> bool:
    """Whether a file says of itself that it is a comparison; only its first line is looked at."""
    first = data[:MAX_HEADER_BYTES].lstrip().partition(b"\n")[0]
    try:
        found = read_json(first)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("type") == "comparison"


def import_comparison(
    name: str, data: bytes, store: RunStore, comparisons: ComparisonStore, owner: str
) -> Comparison:
    """Store a comparison from a file and its runs, all under new ids; nothing of the file is trusted.

    A run without an end counts as stopped.

    Raises:
        InputError: The file is not one whole comparison; the sentence says where it goes wrong. Nothing is stored.
        StoreError: It cannot be stored.
    """
    header, runs = read_comparison(name, data)
    ids = put(runs, store, owner)
    return comparisons.add(header.question, ids, owner, header.gold, name=header.name)


def import_file(
    name: str, data: bytes, store: RunStore, comparisons: ComparisonStore, owner: str
) -> str | Comparison:
    """Store what a file holds: the id of the run, or the comparison. See `import_run` and `import_comparison`.

    Raises:
        InputError, StoreError: See there.
    """
    if is_comparison(data):
        return import_comparison(name, data, store, comparisons, owner)
    return import_run(name, data, store, owner)


def read_comparison(name: str, data: bytes) -> tuple[Header, list[list[Event]]]:
    """Header and runs of a file.

    Raises:
        InputError: See `import_comparison`.
    """
    if len(data) > MAX_FILE_BYTES:
        raise InputError(
            f"“{name}” is larger than the {MAX_FILE_BYTES // 2**20} MB that a comparison may have."
        )
    lines = io.BytesIO(data)  # reads line by line out of the same memory
    header = _header(name, lines.readline())
    runs = list(_runs(name, lines))
    if len(runs) != header.runs:
        raise InputError(
            f"“{name}” says that it holds {header.runs} runs, but it holds {len(runs)}. Export the comparison again."
        )
    for events in runs:
        check_order(name, events)
        started = events[0]
        if isinstance(started, RunStarted) and started.question != header.question:
            raise InputError(f"The runs in “{name}” do not answer the question of the comparison.")
    return header, runs


def _header(name: str, line: bytes) -> Header:
    try:
        if len(line) > MAX_HEADER_BYTES:
            raise ValueError
        read_json(line)
        header = Header.model_validate_json(line)
    except ValueError:  # pydantic's among them
        if line and not is_comparison(line):
            raise InputError(
                f"“{name}” is no comparison. Choose a file that was exported from one; a single run is brought in on "
                "the page Runs."
            ) from None
        raise InputError(
            f"The first line of “{name}” is not the header of a comparison. Choose a file that was exported from one."
        ) from None
    if header.version != COMPARISON_VERSION:
        raise InputError(
            f"“{name}” has version {header.version} of the format, but this RAG Loupe reads version "
            f"{COMPARISON_VERSION}."
        )
    return header


def _runs(name: str, lines: Iterable[bytes]) -> Iterator[list[Event]]:
    """The events of one run after another; its size is checked before a line is parsed."""
    events: list[Event] = []
    size = count = 0
    for number, line in enumerate(lines, 2):
        size += len(line)
        if size > MAX_BYTES or len(events) >= MAX_EVENTS:
            raise InputError(
                f"A run in “{name}” is too large: at most {MAX_BYTES // 2**20} MB and {MAX_EVENTS:,} events each."
            )
        event = read_event(name, number, line)
        if isinstance(event, RunStarted) and events:
            yield events
            events, size = [], len(line)
        if not events:
            count += 1
            if count > COLUMNS_MOST:
                raise InputError(f"“{name}” holds more than the {COLUMNS_MOST} runs of a comparison.")
        events.append(event)
    if events:
        yield events
