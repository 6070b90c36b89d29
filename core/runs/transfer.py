"""Runs as files: JSON Lines, one event a line, out of the store and, checked, back into one."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from itertools import pairwise

from core.errors import InputError
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
    """The events of a run from a file that somebody gave us; nothing of it is trusted.

    Args:
        name: What the file is called, for messages.
        data: Its bytes.

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
    """One event from a line of a file.

    Args:
        name: What the file is called, for messages.
        number: Of the line, from 1.
        line: With or without its end.

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
    """Whether these are the events of one run, from its start.

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


def import_run(name: str, data: bytes, store: RunStore, owner: str) -> str:
    """Store a run from a file under a new id, which is returned. One without an end counts as stopped.

    Raises:
        InputError: The file is not one whole run, see `from_lines`.
        StoreError: It cannot be stored.
    """
    (run,) = put([from_lines(name, data)], store, owner)
    return run


def put(runs: Iterable[list[Event]], store: RunStore, owner: str) -> list[str]:
    """Store runs that were read from a file, as `import_run` does, all of them or none; their new ids.

    Raises:
        StoreError: They cannot be stored.
    """
    found = dict(map(_renamed, runs))
    store.add(found, owner)
    return list(found)


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
