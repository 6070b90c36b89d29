"""Recordings as files: JSON Lines, out of the store and, checked, back into it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from core.errors import InputError
from core.models.recordings.items import LINE, VERSION, Head, Item, KeptReply, KeptVector, Line, Recording
from core.models.recordings.store import RecordingStore, checked, size_of
from core.strict_json import read_json

MAX_LINES = 300_000
HEAD_BYTES = 16_384
"""Largest head of a file, beside what the recording holds."""


def to_lines(store: RecordingStore, recording: Recording) -> Iterator[str]:
    """A recording as lines of a file: its head, then what it holds."""
    yield recording.head.model_dump_json() + "\n"
    for item in store.everything(recording.id):
        yield item.model_dump_json() + "\n"


def from_lines(name: str, data: bytes, limit: int) -> tuple[Head, list[Item]]:
    """Read a file of at most `limit` bytes that somebody gave us, by its name for messages; nothing of it is trusted.

    Raises:
        InputError: It is not a whole recording of this format; the sentence says where it goes wrong.
    """
    if len(data) > limit + HEAD_BYTES:
        raise _too_large(name, limit)
    lines = data.splitlines()
    if not lines:
        raise InputError(f"“{name}” is empty. Choose a file that was exported from a recording.")
    if len(lines) > MAX_LINES:
        raise InputError(f"“{name}” has {len(lines):,} lines; at most {MAX_LINES:,} are accepted.")
    _check_version(name, lines[0])
    head, *items = (_line(name, number, line) for number, line in enumerate(lines, 1))
    if not isinstance(head, Head):
        raise InputError(f"“{name}” does not begin with the head of a recording. Export it again.")
    head = head.model_copy(update={"name": checked(head.name), "model": checked(head.model)})
    bodies: list[Item] = [item for item in items if not isinstance(item, Head)]
    if len(bodies) < len(items):
        raise InputError(f"“{name}” holds more than one recording. Import them one by one.")
    if not any(isinstance(item, KeptReply) for item in bodies):
        raise InputError(f"“{name}” holds no reply of a model, so there is nothing to play.")
    _check_vectors(name, [item for item in bodies if isinstance(item, KeptVector)])
    return head, bodies


def import_recording(
    name: str, data: bytes, store: RecordingStore, owner: str, limit: int, ident: str = ""
) -> Recording:
    """Store a recording from a file; where its owner has one of its name, it gets a number behind it.

    For `name`, `data` and `limit` see `from_lines`; without an id (`ident`), one is drawn.

    Raises:
        InputError: The file is not a whole recording, see `from_lines`.
        StoreError: It cannot be stored.
    """
    head, items = from_lines(name, data, limit)
    taken = {recording.name for recording in store.listed([owner]) if recording.owner == owner}
    names = (head.name, *(f"{head.name[:190]} ({number})" for number in range(2, len(taken) + 3)))
    free = next(candidate for candidate in names if candidate not in taken)
    if size_of(items) > limit:  # fields that the file leaves out make rows longer than its lines
        raise _too_large(name, limit)
    return store.begin(head.model_copy(update={"name": free}), owner, ident, items)


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a file, without taking more of it into memory than tells that it is too large.

    Raises:
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        return file.read(limit + HEAD_BYTES + 1)


def _too_large(name: str, limit: int) -> InputError:
    return InputError(f"“{name}” is larger than the {limit // 2**20} MB that a recording may have.")


def _check_version(name: str, line: bytes) -> None:
    """Say so, where a later version of the app wrote the file."""
    with suppress(ValueError):
        head = read_json(line)
        if isinstance(head, dict) and head.get("kind") == "recording" and head.get("version") != VERSION:
            raise InputError(
                f"“{name}” has another version of the format; this RAG Loupe reads version {VERSION}."
            )


def _line(name: str, number: int, line: bytes) -> Line:
    try:
        read_json(line)
        item = LINE.validate_json(line)
    except ValueError:  # pydantic's among them
        raise InputError(
            f"Line {number} of “{name}” is no line of a recording. Choose a file that was exported from one."
        ) from None
    return item


def _check_vectors(name: str, vectors: Sequence[KeptVector]) -> None:
    """Check that they can be decoded; their lengths differ where the embedding model was changed."""
    try:
        for vector in vectors:
            base64.b64decode(vector.numbers, validate=True)
    except binascii.Error:
        raise InputError(f"“{name}” holds a vector that cannot be read. Export it again.") from None
