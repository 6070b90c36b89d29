"""Everything that a run needs: the settings, and what is reached and kept by them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from core.runs.backends import Backends
from core.settings import Settings

if TYPE_CHECKING:
    from core.runs.allowances import Allowances
    from core.runs.recordings import Recordings
    from core.runs.sources.corpora import CorpusService
    from core.runs.sources.graphs import GraphService
    from core.runs.store import RunStore

T = TypeVar("T")


class Sources:
    """Settings, backends, corpora, graphs and recordings of one process, each imported and made when first needed;
    thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.backends = Backends(settings)
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
    def graphs(self) -> GraphService:
        """The knowledge graphs."""
        from core.runs.sources.graphs import GraphService

        return self._once("graphs", lambda: GraphService(self.backends, self.corpora))

    @property
    def recordings(self) -> Recordings:
        """Replies of models that are kept."""
        return self.backends.recordings

    @property
    def store(self) -> RunStore:
        """Runs and their events."""
        from core.runs.store import RunStore

        return self._once("store", lambda: RunStore(self.settings.database))

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

    def _once(self, name: str, make: Callable[[], T]) -> T:
        """One for the process, whoever asks first."""
        with self._making:
            if name not in self._made:
                self._made[name] = make()
            made: T = self._made[name]
            return made
