"""Everything that one process needs to index and to ask, put together once."""

from __future__ import annotations

from functools import cache

from core.runs.backends import Backends
from core.runs.comparing import Comparing
from core.runs.comparisons import ComparisonStore
from core.runs.launch import RunLauncher
from core.runs.sources.builds import Builds
from core.runs.sources.corpora import CorpusService
from core.runs.sources.graphs import GraphService
from core.runs.store import RunStore
from core.settings import Settings, get_settings


class Workbench:
    """Backends, corpora, graphs and runs of one process; thread-safe."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.backends = Backends(settings)
        self.corpora = CorpusService(self.backends)
        self.graphs = GraphService(self.backends)
        self.builds = Builds(self.corpora, self.graphs)
        self.launcher = RunLauncher(self.corpora, self.graphs)
        self.comparing = Comparing(self.corpora, self.launcher)

    @property
    def store(self) -> RunStore:
        """Runs and their events."""
        return self.launcher.store

    @property
    def comparisons(self) -> ComparisonStore:
        """Runs that stand side by side."""
        return self.comparing.store


@cache
def get_workbench() -> Workbench:
    """The workbench of this process."""
    return Workbench(get_settings())
