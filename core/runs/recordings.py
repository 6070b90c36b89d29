"""The recordings of one process: which there are, and how a run works with one.

One comes with the app: a capable model's replies to questions about the demo documents, made by `make recording`. Every
database gets it once, and again when a later version of the app has another.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from core.errors import InputError
from core.models.chat_models import RecordedModel
from core.models.recordings.files import import_recording
from core.models.recordings.items import Head, KeptRun, Recording
from core.models.recordings.open_recording import OpenRecording
from core.models.recordings.playing import Tape
from core.models.recordings.store import RecordingStore, checked
from core.settings import Settings
from core.skills import skill_title
from core.users import APP

SHIPPED = Path(__file__).parents[2] / "data" / "recordings" / "pellamar.jsonl"
LARGEST_SHIPPED = 50 * 2**20
"""Bytes."""


def install_shipped(store: RecordingStore) -> Recording | None:
    """The app's recording in a database, which gets it if it lacks it; None: there is none. Blocks for a moment.

    Raises:
        InputError: The file was changed and is no recording any more.
        StoreError: The database cannot be written.
    """
    if not SHIPPED.exists():
        return None
    data = SHIPPED.read_bytes()
    ident = f"app-{hashlib.sha256(data).hexdigest()[:12]}"
    with suppress(InputError):
        return store.get(ident)
    for former in store.listed([APP.owner]):
        if former.owner == APP.owner:
            store.delete(former.id)
    with suppress(InputError):  # of two processes that do it at once, one is too late
        import_recording(SHIPPED.name, data, store, APP.owner, LARGEST_SHIPPED, ident)
        store.pin(ident, True)
    return store.get(ident)


class Recordings:
    """Recordings of models' replies; thread-safe. Calls block for a moment."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._runs: tuple[tuple[str, int], list[KeptRun]] | None = None

    @cached_property
    def store(self) -> RecordingStore:
        """The store of recordings; a new database gets the one that comes with the app, which takes a moment."""
        store = RecordingStore(self._settings.database)
        install_shipped(store)
        return store

    def find(self, name: str, owners: Collection[str]) -> Recording:
        """The recording of this name, or with this id, that one of these owners may play.

        Raises:
            InputError: There is none.
        """
        found = self.store.named(name, owners)
        if found is None:
            known = ", ".join(f"“{one.name}”" for one in self.store.listed(owners)[:10])
            raise InputError(
                f"There is no recording “{name[:80]}”. "
                + (f"There is: {known}." if known else "None is kept yet.")
            )
        return found

    def to_keep(self, name: str, model: str, owner: str) -> Recording:
        """The owner's recording of this name, in which replies of a model are kept; begun where there is none.

        Raises:
            InputError: It was made with another model, or the name is empty or too long.
        """
        name = checked(name)
        found = self._own(name, owner)
        if found is None:
            try:
                return self.store.begin(Head(name=name, model=model[:200], created=datetime.now(UTC)), owner)
            except InputError:  # another process was quicker
                if (found := self._own(name, owner)) is None:
                    raise
        check_model(found, model)
        return found

    def _own(self, name: str, owner: str) -> Recording | None:
        listed = self.store.listed([owner])
        return next((one for one in listed if (one.name, one.owner) == (name, owner)), None)

    def runs_of(self, play: RecordedModel) -> list[KeptRun]:
        """How questions were asked while a recording was made, as of when it was chosen; read once for many runs.

        Raises:
            StoreError: The recordings cannot be read.
        """
        state, known = (play.recording.id, play.recording.bytes), self._runs
        if known is None or known[0] != state:
            self._runs = known = state, self.store.runs(play.recording.id, settled=False)
        return known[1]

    def recorded(self, play: RecordedModel) -> OpenRecording:
        """The recording at work.

        Raises:
            StoreError: The recordings cannot be read.
        """
        return OpenRecording(self.store, play.recording, play.keeps, self._settings.max_recording_bytes)

    def tape(self, play: RecordedModel, model: str, run: KeptRun, *, forked: bool = False) -> Tape:
        """The recording in one run, or in another work with the model: replies are played from it and kept in it.

        Args:
            play: What was chosen.
            model: Name of the model that answers what is missing.
            run: How it asks.
            forked: Whether it goes on from an edited artefact.

        Raises:
            InputError: Replies are to be kept, but of another model than the recording's own.
        """
        if play.keeps:
            check_model(play.recording, model)
        return Tape(self.recorded(play), play.pace, run, play.missing == "endpoint", skill_title, forked)


def check_model(recording: Recording, model: str) -> None:
    """One recording, one model.

    Raises:
        InputError: The replies of this model cannot be kept in it.
    """
    if recording.model != model[:200]:
        raise InputError(
            f"“{recording.name}” holds replies of the model “{recording.model}”, so replies of “{model}” cannot be "
            "kept in it. Choose another name for a new recording."
        )
