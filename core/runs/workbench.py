"""Everything that one process needs to index and to ask, put together once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from core.runs.backends import Backends
from core.runs.launch import RunLauncher
from core.settings import Settings, get_settings

if TYPE_CHECKING:
    from core.runs.allowances import Allowances
    from core.runs.comparisons import Comparing, ComparisonStore
    from core.runs.recordings import Recordings
    from core.runs.sources.builds import Builds
    from core.runs.sources.corpora import CorpusService
    from core.runs.sources.graphs import GraphService
    from core.runs.store import RunStore

T = TypeVar("T")


class Workbench:
    """Backends, corpora, graphs and runs of one process, each imported and made when first needed; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.backends = Backends(settings)
        self.launcher = RunLauncher(self)
        self._made: dict[str, Any] = {}
        self._making = threading.RLock()

    @property
    def corpora(self) -> CorpusService:
        """The corpora."""
        from core.runs.sources.corpora import CorpusService
        from core.runs.sources.entities import GraphEntities

        entities = GraphEntities(lambda: self.graphs.graphs)
        return self._once("corpora", lambda: CorpusService(self.backends, entities, self.allowances))

    @property
    def allowances(self) -> Allowances:
        """What visitors may still spend."""
        from core.runs.allowances import Allowances

        rooms = (
            lambda owner: self.corpora.catalogue.stored_by(owner),
            lambda owner: self.store.stored_by(owner),
            lambda owner: self.recordings.store.stored_by(owner),
        )
        return self._once("allowances", lambda: Allowances(self.settings, rooms))

    @property
    def graphs(self) -> GraphService:
        """The knowledge graphs."""
        from core.runs.sources.graphs import GraphService

        return self._once("graphs", lambda: GraphService(self.backends, self.corpora))

    @property
    def builds(self) -> Builds:
        """The graphs being built."""
        from core.runs.sources.builds import Builds

        return self._once("builds", lambda: Builds(self.corpora, self.graphs))

    @property
    def recordings(self) -> Recordings:
        """Replies of models that are kept."""
        return self.backends.recordings

    @property
    def comparing(self) -> Comparing:
        """The comparisons under way."""
        from core.runs.comparisons import Comparing

        return self._once("comparing", lambda: Comparing(self.corpora, self.launcher))

    @property
    def store(self) -> RunStore:
        """Runs and their events."""
        return self.launcher.store

    @property
    def comparisons(self) -> ComparisonStore:
        """Runs that stand side by side."""
        return self.comparing.store

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """One for the process, whoever asks first."""
        with self._making:
            if name not in self._made:
                self._made[name] = make()
            made: T = self._made[name]
            return made


@cache
def get_workbench() -> Workbench:
    """The workbench of this process."""
    return Workbench(get_settings())
