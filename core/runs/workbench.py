"""The sources of one process together with what works on them: runs, comparisons, and graphs being built."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from core.runs.launch import RunLauncher
from core.runs.sources.sources import Sources
from core.settings import Settings, get_settings

if TYPE_CHECKING:
    from core.runs.comparisons import Comparing, ComparisonStore
    from core.runs.sources.builds import Builds


class Workbench(Sources):
    """The sources, and the work of one process on them; thread-safe. Pages and commands take the parts from it that
    they need."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.launcher = RunLauncher(self)

    @property
    def builds(self) -> Builds:
        """The graphs being built."""
        from core.runs.sources.builds import Builds

        return self._once("builds", lambda: Builds(self.corpora, self.graphs))

    @property
    def comparing(self) -> Comparing:
        """The comparisons under way."""
        from core.runs.comparisons import Comparing

        return self._once("comparing", lambda: Comparing(self.corpora, self.launcher))

    @property
    def comparisons(self) -> ComparisonStore:
        """Runs that stand side by side."""
        return self.comparing.store


@cache
def get_workbench() -> Workbench:
    """The workbench of this process."""
    return Workbench(get_settings())
