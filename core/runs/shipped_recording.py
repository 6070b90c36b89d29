"""The recording that comes with the app: a capable model's replies to questions about the demo documents.

Every database gets it once, and again when a later version of the app has another. The file is made by
`make recording`.
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

from core.errors import InputError
from core.models.recordings.files import import_recording
from core.models.recordings.items import Recording
from core.models.recordings.store import RecordingStore
from core.users import APP

FILE = Path(__file__).parents[2] / "data" / "recordings" / "pellamar.jsonl"
LARGEST = 50 * 2**20


def install(store: RecordingStore) -> Recording | None:
    """The recording in a database, which gets it if it lacks it; None: the app has none. Blocks for a moment.

    Raises:
        InputError: The file was changed and is no recording any more.
        StoreError: The database cannot be written.
    """
    if not FILE.exists():
        return None
    data = FILE.read_bytes()
    ident = f"app-{hashlib.sha256(data).hexdigest()[:12]}"
    with suppress(InputError):
        return store.get(ident)
    for former in store.listed([APP.owner]):
        if former.owner == APP.owner:
            store.delete(former.id)
    with suppress(InputError):  # of two processes that do it at once, one is too late
        import_recording(FILE.name, data, store, APP.owner, LARGEST, ident)
        store.pin(ident, True)
    return store.get(ident)
