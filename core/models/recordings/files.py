"""Recordings as files: JSON Lines, out of the store and, checked, back into it."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from core.errors import InputError
from core.models.recordings.items import LINE, Head, Item, KeptReply, KeptVector, Line
from core.models.recordings.store import Recording, RecordingStore
from core.strict_json import no_constant

MAX_LINES = 500_000


def to_lines(store: RecordingStore, recording: Recording) -> Iterator[str]:
    """A recording as lines of a file: its head, then what it holds."""
    yield recording.head.model_dump_json() + "\n"
    for item in store.everything(recording.id):
        yield item.model_dump_json() + "\n"


def from_lines(name: str, data: bytes, limit: int) -> tuple[Head, list[Item]]:
    """What is in a file that somebody gave us; nothing of it is trusted.

    Args:
        name: What the file is called, for messages.
        data: Its bytes.
        limit: Bytes that it may have.

    Raises:
        InputError: It is not a whole recording of this format; the sentence says where it goes wrong.
    """
    if len(data) > limit:
        raise InputError(f"“{name}” is larger than the {limit // 2**20} MB that a recording may have.")
    lines = data.splitlines()
    if not lines:
        raise InputError(f"“{name}” is empty. Choose a file that was exported from a recording.")
    if len(lines) > MAX_LINES:
        raise InputError(f"“{name}” has {len(lines):,} lines; at most {MAX_LINES:,} are accepted.")
    head, *items = (_line(name, number, line) for number, line in enumerate(lines, 1))
    if not isinstance(head, Head):
        raise InputError(f"“{name}” does not begin with the head of a recording. Export it again.")
    found: list[Item] = [item for item in items if not isinstance(item, Head)]
    if len(found) < len(items):
        raise InputError(f"“{name}” holds more than one recording. Import them one by one.")
    if not any(isinstance(item, KeptReply) for item in found):
        raise InputError(f"“{name}” holds no reply of a model, so there is nothing to play.")
    _check_vectors(name, [item for item in found if isinstance(item, KeptVector)])
    return head, found


def import_recording(
    name: str, data: bytes, store: RecordingStore, owner: str, limit: int, ident: str = ""
) -> Recording:
    """Store a recording from a file; where its owner has one of its name, it gets a number behind it.

    Args:
        name: What the file is called, for messages.
        data: Its bytes.
        owner: Whose it is from now on.
        limit: Bytes that it may have.
        ident: Its id; empty: one that is drawn.

    Raises:
        InputError: The file is not a whole recording, see `from_lines`.
        StoreError: It cannot be stored.
    """
    head, items = from_lines(name, data, limit)
    taken = {one.name for one in store.listed([owner]) if one.owner == owner}
    names = (head.name, *(f"{head.name[:190]} ({number})" for number in range(2, len(taken) + 3)))
    free = next(one for one in names if one not in taken)
    begun = store.begin(head.model_copy(update={"name": free}), owner, ident)
    if not store.put(begun.id, items, 2 * limit):  # as rows it may be a little longer than as a file
        store.delete(begun.id)
        raise InputError(f"“{name}” is larger than a recording may be.")
    return store.get(begun.id)


def _line(name: str, number: int, line: bytes) -> Line:
    try:
        found = LINE.validate_json(line)
        json.loads(line, parse_constant=no_constant)
    except (ValidationError, ValueError, RecursionError):
        raise InputError(
            f"Line {number} of “{name}” is no line of a recording. Choose a file that was exported from one."
        ) from None
    return found


def _check_vectors(name: str, vectors: Sequence[KeptVector]) -> None:
    try:
        sizes = {len(base64.b64decode(vector.numbers, validate=True)) for vector in vectors}
    except binascii.Error:
        raise InputError(f"“{name}” holds a vector that cannot be read. Export it again.") from None
    if len(sizes) > 1:
        raise InputError(f"“{name}” holds vectors of different lengths. Export it again.")
