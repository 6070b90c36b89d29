"""Home folders for tests: all share the same local services, and an indexed corpus is copied."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

import pytest
from filelock import FileLock

from core.jobs import run_blocking
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.models.recordings.store import RecordingStore
from core.runs import gallery, recordings
from core.runs.workbench import Workbench
from core.services.arcadedb import LOCAL_GRAPHS
from core.services.chat import BUILTIN_CHAT
from core.services.chroma import LOCAL_CHROMA
from core.services.service import Lease, ServiceFiles
from core.settings import Settings
from tests.bench import CORPUS, leave, open_bench, small_corpus

SERVICES = (LOCAL_CHROMA, LOCAL_GRAPHS, BUILTIN_CHAT)
SHARED = ("services", "chroma", "arcadedb")
"""Folders of a home through which its services are found, and where they keep what they hold."""
DATABASE = "rag-loupe.sqlite"
READY = tuple(DEMO_GRAPHS[place].name for place in (0, 2, 4))
"""Graphs that come with the app and are asked most: Pellamar, Neo4j's movies, and the hypernodes of the paper."""


@cache
def _first_home() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="loupe-first-")  # until this process ends
    settings = Settings(_env_file=None, rag_loupe_home=Path(folder.name))
    gallery.install(settings.database)
    store = RecordingStore(settings.database)
    recordings.install_shipped(store)
    store.close()
    return folder


def furnish(home: Path) -> Path:
    """Put into a new home what its first visitor finds: the gallery, and the recording that comes with the app."""
    shutil.copy(Path(_first_home().name) / DATABASE, home / DATABASE)
    return home


class Homes:
    """Makes homes for the tests of one worker.

    A service is started by the first home that needs it and found by all others, also by those of other workers.
    Collections and graph databases are named by random ids, so no home sees what belongs to another.
    """

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        """Claim the services, so that they outlive their first user.

        Args:
            folders: Makes folders for this worker, within one that all workers of a run share.
        """
        self._folder = folders.mktemp
        own = folders.getbasetemp()
        self._common = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
        self.services = self._common / "services"
        self._leases = []
        for service in SERVICES:
            files = ServiceFiles(self.services, service.key)
            files.make_folders()
            self._leases.append(Lease(files.leases))
        for name in SHARED:
            (self.services / name).mkdir(parents=True, exist_ok=True)

    def new(self) -> Path:
        """An empty home."""
        return self.join(self._folder("home"))

    def join(self, home: Path) -> Path:
        """Let a folder without services share those of all tests."""
        for name in SHARED:
            (home / name).symlink_to(self.services / name)
        return home

    def indexed(self) -> Path:
        """A home of its own with the corpus `CORPUS`: read from it, but index, change and delete others."""
        return self._copy(
            "small", lambda bench: bench.corpora.index([small_corpus(self._folder("files"))], CORPUS).result()
        )

    def demo(self) -> Path:
        """A home of its own with the demo corpus, and the graphs `READY` imported and their names indexed."""
        return self._copy("demo", _open_demo)

    def visited(self) -> Path:
        """A home of its own as `demo` makes it, with gallery and shipped recording installed, see `furnish`."""
        return self._copy("visited", _furnished, self.demo)

    def close(self) -> None:
        """Give the services up; they end when nobody else uses them."""
        for lease in self._leases:
            lease.release()

    def _copy(
        self, name: str, make: Callable[[Workbench], object], first: Callable[[], Path] | None = None
    ) -> Path:
        """A new home with the database of a template, which the first worker that needs it makes for all of them.

        Args:
            name: Of the template.
            make: Makes it of an open home.
            first: Makes that home; None: it is empty.
        """
        home, template = self.new(), self._common / f"{name}.sqlite"
        with FileLock(template.with_suffix(".lock")):
            if not template.exists():
                bench = open_bench((first or self.new)())
                make(bench)
                leave(bench)
                _copy_database(bench.settings.rag_loupe_home / DATABASE, template.with_suffix(".part"))
                template.with_suffix(".part").rename(template)
        _copy_database(template, home / DATABASE)
        return home


def _furnished(bench: Workbench) -> None:
    gallery.install(bench.settings.database)
    assert bench.recordings.store


def _open_demo(bench: Workbench) -> None:
    bench.corpora.demo().result()
    for graph in READY:
        run_blocking(bench.graphs.prepare(graph).ended())


def _copy_database(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as original, closing(sqlite3.connect(target)) as copy:
        original.backup(copy)
