"""The recordings of one process, the part of one in a run, and a question as a recording notes it: so it is found
again, before anything is asked and when it is.

One comes with the app: a capable model's replies to questions about the demo documents, made by `make recording`. Every
database gets it once, and again when a later version of the app has another.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import InputError
from core.models.chat_models import RecordedModel
from core.models.recordings.items import Head, KeptRun, Recording
from core.models.recordings.open_recording import digest
from core.retrieval.defaults import Default
from core.retrieval.kinds import RETRIEVERS
from core.runs.request import RunRequest
from core.settings import Settings
from core.skills import methods_in_force, skill_title
from core.skills.base import builtin_prompt
from core.strategies import get_strategy
from core.trace.events import RunStarted
from core.users import APP

if TYPE_CHECKING:
    from core.models.recordings.open_recording import OpenRecording
    from core.models.recordings.playing import Tape
    from core.models.recordings.store import RecordingStore
    from core.skills.base import ModelKind

SHIPPED = Path(__file__).parents[2] / "data" / "recordings" / "pellamar.jsonl"
LARGEST_SHIPPED = 50 * 2**20
"""Bytes."""


def install_shipped(store: RecordingStore) -> Recording | None:
    """The app's recording in a database, which gets it if it lacks it; None: there is none. Blocks for a moment.

    Raises:
        InputError: The file was changed and is no recording any more.
        StoreError: The database cannot be written.
    """
    from core.models.recordings.files import import_recording

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
        from core.models.recordings.store import RecordingStore

        store = RecordingStore(self._settings.database)
        install_shipped(store)
        return store

    def find(self, name: str, owners: Collection[str]) -> Recording:
        """The recording of this name, or with this id, that one of these owners may play.

        Raises:
            InputError: There is none.
        """
        recording = self.store.named(name, owners)
        if recording is None:
            known = ", ".join(f"“{other.name}”" for other in self.store.listed(owners)[:10])
            raise InputError(
                f"There is no recording “{name[:80]}”. "
                + (f"There is: {known}." if known else "None is kept yet.")
            )
        return recording

    def to_keep(self, name: str, model: str, owner: str) -> Recording:
        """The owner's recording of this name, in which replies of a model are kept; begun where there is none.

        Raises:
            InputError: It was made with another model, or the name is empty or too long.
        """
        from core.models.recordings.store import checked

        name = checked(name)
        recording = self._own(name, owner)
        if recording is None:
            try:
                return self.store.begin(Head(name=name, model=model[:200], created=datetime.now(UTC)), owner)
            except InputError:  # another process was quicker
                if (recording := self._own(name, owner)) is None:
                    raise
        check_model(recording, model)
        return recording

    def _own(self, name: str, owner: str) -> Recording | None:
        listed = self.store.listed([owner])
        return next(
            (recording for recording in listed if (recording.name, recording.owner) == (name, owner)), None
        )

    def runs_of(self, play: RecordedModel) -> list[KeptRun]:
        """Return how questions were asked for a recording, as of when it was chosen; read once for many runs.

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
        from core.models.recordings.open_recording import OpenRecording

        return OpenRecording(self.store, play.recording, play.keeps, self._settings.max_recording_bytes)

    def tape(self, play: RecordedModel, model: str, run: KeptRun, *, forked: bool = False) -> Tape:
        """The recording in one run, or in another work with the model: replies are played from it and kept in it.

        Args:
            model: Name of the model that answers what is missing.
            forked: Whether it goes on from an edited artefact.

        Raises:
            InputError: Replies are to be kept, but of another model than the recording's own.
        """
        from core.models.recordings.playing import Tape

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


def kept_run(
    started: RunStarted,
    prompts: Mapping[str, str],
    methods: Mapping[str, str],
    mark: str,
    dense_share: float | None = None,
) -> KeptRun:
    """Note how a question is asked, as a recording does.

    Args:
        prompts: Prompts that were given, which may be as they come with the app.
        mark: What is searched, see `core.retrieval.corpus.mark_of`; empty: nothing is.
        dense_share: Weight of the dense scores; None: none are added up.
    """
    how: dict[str, Any] = {
        "question": started.question,
        "strategy": started.strategy,
        "params": started.params,
        "corpus": started.corpus or "",
        "mark": mark,
        "retriever": started.retriever or "",
        "where": started.where,
        "graph": started.graph or "",
        "methods": dict(methods),
        "edited": tuple(sorted(key for key, text in prompts.items() if text != builtin_prompt(key))),
    }
    if dense_share is not None:
        how["dense_share"] = dense_share
    if started.retrieval_only:
        how["searched_only"] = True
    return KeptRun(key=digest("run", how), **how)


def recorded_share(
    runs: Iterable[KeptRun], started: RunStarted, mark: str, dense_share: float
) -> float | None:
    """The weight with which a recording holds this question's searches; today's where it holds none.

    Args:
        runs: How questions were asked while it was made.
        mark: What is searched, see `core.retrieval.corpus.mark_of`.
        dense_share: Today's weight of the dense scores.
    """
    key = started.question, started.retriever, mark
    known = [run.dense_share for run in runs if (run.question, run.retriever, run.mark) == key]
    return dense_share if not known or dense_share in known else known[0]


def as_noted(kind: ModelKind, request: RunRequest, mark: str) -> KeptRun:
    """A request to this kind of model as a recording would note it; `mark`: the documents that are searched, see
    `core.retrieval.corpus.mark_of`, empty: none are.

    Raises:
        InputError: A parameter or a method cannot be used.
    """
    strategy = get_strategy(request.strategy)
    params = strategy.parse(request.params)
    methods = methods_in_force(strategy.skills_with(params), kind, request.methods)
    own = strategy.retriever or request.retriever
    as_begun = replace(request, question=request.question.strip(), retriever=own)
    searches = strategy.retrieves and bool(request.corpus)
    return kept_run(
        as_begun.first_event(strategy, params, ""), request.prompts, methods, mark if searches else ""
    )


def recorded_default(
    name: str, runs: Iterable[KeptRun], strategy: str, *, mark: str = "", questions: Collection[str] = ()
) -> Default | None:
    """The retriever with which most of a recording's runs of a strategy searched, with the sentence that says so; None:
    it holds no such run.

    Args:
        runs: How questions were asked while it was made.
        mark: Documents that are searched, see `core.retrieval.corpus.mark_of`; empty: whichever.
        questions: That are asked; none: whichever.
    """
    known = Counter(
        run.retriever
        for run in runs
        if run.strategy == strategy
        and run.retriever in RETRIEVERS
        and (not mark or run.mark == mark)
        and (not questions or run.question in questions)
    )
    if not known:
        return None
    ((kind, _),) = known.most_common(1)
    return Default(kind, why=f"The recording “{name}” was made with {kind} search of these documents.")
