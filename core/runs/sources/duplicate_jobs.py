"""Looking for duplicates in a graph, and merging many of them, as background jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.errors import InputError
from core.jobs import Job, WatchedJob
from core.knowledge.build.merging import merge
from core.knowledge.build.resolution import Proposal, Proposals, duplicates
from core.knowledge.store.aliases import Merge, survivors
from core.knowledge.store.graphs import Graphs
from core.runs.sources.graphs import GraphService
from core.users import TEACHER, User


class Compared(NamedTuple):
    """The progress of comparing names by meaning."""

    done: int = 0
    """Names embedded."""
    total: int = 0
    """Names to be embedded; 0: not known yet."""


class DuplicateSearch(WatchedJob[Proposals, Compared]):
    """A graph being searched for entities that may be one."""

    def __init__(self, service: GraphService, graph: str, *, meaning: bool, near: float) -> None:
        """Begin in the background.

        Args:
            meaning: Whether names are compared by meaning too.
            near: Cosine from which two names are proposed.
        """
        self.graph = graph

        async def run() -> Proposals:
            store = await asyncio.to_thread(service.graphs.open, graph)
            embedder = service.backends.embedder if meaning else None
            return await duplicates(store, embedder, near, lambda *counts: self.tell(Compared(*counts)))

        super().__init__(run(), Compared())

    @property
    def message(self) -> str:
        """The progress in a few words."""
        done, total = self.progress
        return f"Comparing meanings: {done:,} of {total:,} names" if total else "Reading the graph"

    @property
    def share(self) -> float:
        """The part that is done, from 0 to 1."""
        return self.progress.done / self.progress.total if self.progress.total else 0.0


@dataclass
class Merged:
    """The outcome of merging many proposals."""

    done: list[Merge] = field(default_factory=list)
    refused: list[tuple[Proposal, str]] = field(default_factory=list)
    """What could not be merged, and why."""


class MergeJob(Job[Merged]):
    """Several proposals being merged, one after the other; what is merged before a stop stays merged."""

    def __init__(self, graphs: Graphs, graph: str, proposals: Sequence[Proposal], by: User = TEACHER) -> None:
        """Begin in the background; the graph of this name must be theirs who ask."""
        self.graph = graph
        self.total = len(proposals)
        self.merged = Merged()
        """What has been done so far; grows as it goes on."""
        self.passed = 0
        """Proposals that are through."""
        super().__init__(self._merge(graphs, proposals, by))

    async def _merge(self, graphs: Graphs, proposals: Sequence[Proposal], by: User) -> Merged:
        graph = await asyncio.to_thread(graphs.catalogue.graph, self.graph)
        by.check(graph.owner, graph.name)
        for proposal in proposals:
            stays = survivors(await asyncio.to_thread(graphs.aliases.merges, graph.id))
            keep, duplicate = (
                stays.get(entity.id, entity.id) for entity in (proposal.keep, proposal.duplicate)
            )  # an earlier one may have taken one of them away
            try:
                if keep != duplicate:
                    self.merged.done.append(await merge(graphs, graph, keep, duplicate, proposal.reason, by))
            except InputError as error:
                self.merged.refused.append((proposal, str(error)))
            self.passed += 1
        return self.merged
