"""The progress of a build of a graph, and its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.knowledge.triples import Triple
from core.trace.passages import Frozen


@dataclass(frozen=True)
class NewTriple:
    """A triple that has just been written."""

    title: str
    """Title of the document that states it."""
    triple: Triple


@dataclass(frozen=True)
class BuildProgress:
    """The progress of a build."""

    chunks: int = 0
    """Chunks that are through, failed ones included."""
    chunks_total: int = 0
    """Chunks to be done this time."""
    before: int = 0
    """Chunks done earlier, which are not sent again."""
    triples: int = 0
    """Triples written this time."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Triples that were not taken over, by reason."""
    failed: int = 0
    """Chunks that failed this time."""
    latest: tuple[NewTriple, ...] = ()
    """The last triples written, the newest first."""
    rate: float | None = None
    """Chunks per second, lately; None until there is something to go by."""
    left: float | None = None
    """Seconds that the rest will take at this rate; None where that is not known."""

    @property
    def share(self) -> float:
        """Chunks through of those to be done, from 0 to 1."""
        return self.chunks / self.chunks_total if self.chunks_total else 0.0


class FailedChunk(Frozen):
    """A chunk that gave nothing, and why."""

    chunk: str
    title: str
    reason: str


class BuildReport(Frozen):
    """The outcome of a build."""

    graph: str
    corpus: str
    chunks: int
    """Chunks extracted this time."""
    before: int
    """Chunks done earlier."""
    open: int
    """Chunks that were left for another time."""
    failed: tuple[FailedChunk, ...]
    """All chunks that failed and were not done since, earlier ones included."""
    triples: int
    """Triples written this time."""
    dropped: dict[str, int]
    """Triples not taken over this time, by reason."""
    nodes: int
    """Nodes of the whole graph now."""
    edges: int
    demonstration: bool
    """True if the tiny built-in model was used: a graph to look at, not to rely on."""
    seconds: float
