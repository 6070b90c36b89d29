"""Runs and comparisons as files: JSON Lines, one event a line, out of the store and, checked, back into one. That of a
comparison begins with a header; the events of each run follow in turn."""

from __future__ import annotations

import io
import math
import secrets
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from core.errors import InputError
from core.owned import MAX_NAME
from core.runs.comparisons import COLUMNS_LEAST, COLUMNS_MOST, Comparison, ComparisonStore
from core.runs.store import RunStore
from core.strict_json import read_json
from core.trace.events import (
    FORMAT_VERSION,
    Event,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    dump,
    load,
)
from core.trace.gold import Gold
from core.trace.passages import Frozen

MAX_BYTES = 20 * 2**20
MAX_EVENTS = 50_000
MAX_TEXT = 500_000
"""Characters of one text in an event; the longest prompt has a fraction of that."""
MAX_SECONDS = 1e6
"""Longest run that is accepted: eleven days."""

YEARS = range(2000, 3000)
"""In which a run may have been asked. At either end of the calendar, a time cannot be told in another zone."""


def to_lines(events: Iterable[Event]) -> str:
    """Events as JSON Lines."""
    return "".join(dump(event) + "\n" for event in events)


def from_lines(name: str, data: bytes) -> list[Event]:
    """The events of a run from a file that somebody gave us; nothing of it is trusted. `name` is for messages.

    Raises:
        InputError: It is not one whole run of this format; the sentence says where it goes wrong.
    """
    if len(data) > MAX_BYTES:
        raise InputError(f"“{name}” is larger than the {MAX_BYTES // 2**20} MB that a run may have.")
    lines = data.splitlines()
    if not lines:
        raise InputError(f"“{name}” is empty. Choose a file that was exported from a run.")
    if len(lines) > MAX_EVENTS:
        raise InputError(f"“{name}” has {len(lines):,} events; at most {MAX_EVENTS:,} are accepted.")
    events = [read_event(name, number, line) for number, line in enumerate(lines, 1)]
    check_order(name, events)
    return events


def read_event(name: str, number: int, line: bytes) -> Event:
    """One event from the line of a file with this number, from 1.

    Raises:
        InputError: It is none.
    """
    try:
        longest = _longest(read_json(line))
        event = load(line)
    except ValueError:  # pydantic's among them
        raise InputError(
            f"Line {number} of “{name}” is not an event of a run. Choose a file that was exported from a run."
        ) from None
    if longest > MAX_TEXT:
        raise InputError(
            f"Line {number} of “{name}” holds a text of {longest:,} characters; at most {MAX_TEXT:,} are accepted."
        )
    return event


def _longest(value: object) -> int:
    """Characters of the longest text in what a line of JSON says."""
    if isinstance(value, dict):
        return max(map(_longest, value.values()), default=0)
    if isinstance(value, list):
        return max(map(_longest, value), default=0)
    return len(value) if isinstance(value, str) else 0


def check_order(name: str, events: list[Event]) -> None:
    """Check that these are the events of one run, from its start.

    Raises:
        InputError: They are not; the sentence says why.
    """
    first = events[0]
    if not isinstance(first, RunStarted):
        raise InputError(f"“{name}” does not begin with the start of a run. Export the run again.")
    if first.version != FORMAT_VERSION:
        raise InputError(
            f"“{name}” has version {first.version} of the format, but this RAG Loupe reads version {FORMAT_VERSION}."
        )
    if [event.seq for event in events] != list(range(len(events))):
        raise InputError(f"Events are missing in “{name}”, or out of order. Export the run again.")
    if any(isinstance(event, RunStarted) for event in events[1:]):
        raise InputError(f"“{name}” holds more than one run. Import them one by one.")
    times = [event.at for event in events]
    if first.created.year not in YEARS:
        raise InputError(f"“{name}” holds a date that no run has.")
    if not all(math.isfinite(at) for at in times) or times[-1] > MAX_SECONDS:
        raise InputError(f"“{name}” holds times that no run has.")
    if any(later < earlier for earlier, later in pairwise(times)):
        raise InputError(f"Time runs backwards in “{name}”. Export the run again.")


def _renamed(events: list[Event]) -> tuple[str, list[Event]]:
    """A run with an id that is drawn, and with an end."""
    run = secrets.token_hex(8)
    events = [events[0].model_copy(update={"run": run}), *events[1:]]
    last = events[-1]
    if not isinstance(last, RunFinished | RunFailed | RunStopped):
        events.append(
            RunStopped(seq=len(events), at=last.at, reason="The file that this run comes from ends here.")
        )
    return run, events


COMPARISON_VERSION = 1
"""Version of the header; the events have a version of their own."""
MAX_FILE_BYTES = COLUMNS_MOST * MAX_BYTES
MAX_HEADER_BYTES = 2**20
MAX_GOLD = 1000
MAX_QUESTION = 100_000
"""Characters; far beyond what may be asked, so that no exported file is refused."""


class Header(Frozen):
    """First line of the file."""

    type: Literal["comparison"] = "comparison"
    version: int = COMPARISON_VERSION
    question: Annotated[str, StringConstraints(max_length=MAX_QUESTION)]
    gold: Annotated[tuple[Gold, ...], Field(max_length=MAX_GOLD)] = ()
    name: Annotated[str, StringConstraints(max_length=MAX_NAME)] = ""
    runs: Annotated[int, Field(ge=COLUMNS_LEAST, le=COLUMNS_MOST)]
    """How many runs follow: a file that was cut off between two of them is told by it."""
    plain: Annotated[Any, Field(exclude=True)] = None
    """Rankings that earlier versions wrote there; each run has its own now."""


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
    """True if a file says of itself that it is a comparison; only its first line is looked at."""
    first = data[:MAX_HEADER_BYTES].lstrip().partition(b"\n")[0]
    try:
        header = read_json(first)
    except ValueError:
        return False
    return isinstance(header, dict) and header.get("type") == "comparison"


def import_file(
    name: str, data: bytes, store: RunStore, comparisons: ComparisonStore, owner: str
) -> str | Comparison:
    """Store what a file holds under new ids: the id of the run, or the comparison. A run without an end counts as
    stopped.

    Raises:
        InputError: See `read_file`. Nothing is stored.
        StoreError: It cannot be stored.
    """
    header, runs = read_file(name, data)
    by_id = dict(map(_renamed, runs))
    store.add(by_id, owner)
    ids = list(by_id)
    return comparisons.add(header.question, ids, owner, header.gold, name=header.name) if header else ids[0]


def read_file(name: str, data: bytes) -> tuple[Header | None, list[list[Event]]]:
    """The runs of a file, and the header if it is a comparison; nothing of it is trusted.

    Raises:
        InputError: It is neither one whole run nor one whole comparison; the sentence says where it goes wrong.
    """
    return read_comparison(name, data) if is_comparison(data) else (None, [from_lines(name, data)])


def read_comparison(name: str, data: bytes) -> tuple[Header, list[list[Event]]]:
    """Header and runs of a file that says of itself that it is a comparison.

    Raises:
        InputError: It is not a whole one.
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
