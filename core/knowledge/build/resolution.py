"""Which entities of a graph may be one: by how their names are written, and by what they mean.

These are proposals. Whoever knows the documents decides; see `core.knowledge.build.merging`.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.knowledge.build.name_variants import SAME_LETTERS, SAME_WORDS, may_be_one, plain, variant
from core.knowledge.store.graph_store import GraphStore
from core.models.embedding_vectors import normalise
from core.trace.passages import Frozen

if TYPE_CHECKING:
    from core.models.embeddings import Embedder

NEAR = 0.82
"""Cosine between two names from which they are proposed. With the built-in embeddings, of 15 pairs of our own that
mean the same 8 are above it, of 15 that do not, none (the nearest: 0.78)."""
MOST_COMPARED = 10_000
"""Entities whose names are embedded: those with the most edges. Comparing spellings has no limit."""
_BLOCK = 500
_BATCH = 64
_LARGEST_GROUP = 60
"""Names with one last word, or first letters; in a larger group it tells nothing."""


class ComparedEntity(Frozen):
    """An entity as it is compared."""

    id: str
    name: str
    kind: str
    edges: int


class Proposal(Frozen):
    """Two entities that may be one."""

    keep: ComparedEntity
    """The one with more edges."""
    duplicate: ComparedEntity
    reason: str
    likeness: float | None = None
    """Cosine of their names, where that is the reason."""

    @property
    def safe(self) -> bool:
        """Whether the two names have the same letters, so that hardly anybody will doubt it."""
        return self.reason in (SAME_WORDS, SAME_LETTERS)


class Proposals(Frozen):
    """What was found."""

    proposals: tuple[Proposal, ...]
    """The surest first."""
    entities: int
    compared: int
    """How many of them were compared by meaning; the others have fewer edges."""


async def duplicates(
    store: GraphStore,
    embedder: Embedder | None,
    near: float = NEAR,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Proposals:
    """Pairs of entities that may be one.

    Args:
        store: The graph.
        embedder: Compares meanings; None: spelling alone.
        near: Cosine from which two names are proposed.
        progress: Told how many names are embedded, and how many there are; called on the event loop.

    Raises:
        InputError: The graph has a schema of its own, or the threshold is not between 0 and 1.
        ModelError, ServiceError, StoreError: Embeddings or the graph server fail.
    """
    if store.native:
        raise InputError("This graph has a schema of its own, so its nodes cannot be merged.")
    if not 0 < near <= 1:
        raise InputError("The threshold must be above 0 and at most 1.")
    rows = await asyncio.to_thread(store.entities)
    named = sorted((ComparedEntity(**row) for row in rows), key=lambda one: (-one.edges, one.id))
    found = {(p.keep.id, p.duplicate.id): p for p in await asyncio.to_thread(by_spelling, named)}
    compared = named[:MOST_COMPARED] if embedder is not None else []
    if embedder is not None and compared:
        vectors: list[list[float]] = []
        for start in range(0, len(compared), _BATCH):
            progress(start, len(compared))
            names = [one.name for one in compared[start : start + _BATCH]]
            vectors += await embedder.embed_documents(names)
        progress(len(compared), len(compared))
        near_ones = await asyncio.to_thread(by_meaning, compared, np.array(vectors), near)
        found = {(p.keep.id, p.duplicate.id): p for p in near_ones} | found
    ordered = sorted(found.values(), key=lambda p: (-(2 if p.likeness is None else p.likeness), p.keep.id))
    return Proposals(proposals=tuple(ordered), entities=len(named), compared=len(compared))


def by_spelling(named: Sequence[ComparedEntity]) -> list[Proposal]:
    """Pairs whose names are ways to write the same; the first of a pair is the one that comes first."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(named):
        for key in _keys(one.name):
            groups[key].append(place)
    found: dict[tuple[int, int], Proposal] = {}
    for members in groups.values():
        if len(members) > _LARGEST_GROUP:
            continue
        for a, b in combinations(members, 2):
            if (a, b) not in found and _same_kind(named[a], named[b]):
                reason = variant(named[a].name, named[b].name)
                if reason:
                    found[a, b] = Proposal(keep=named[a], duplicate=named[b], reason=reason)
    return [found[pair] for pair in sorted(found)]


def by_meaning(named: Sequence[ComparedEntity], vectors: NDArray[Any], near: float = NEAR) -> list[Proposal]:
    """Pairs whose names are near in meaning and whose writing does not speak against it."""
    unit = np.array([normalise(vector) for vector in vectors], dtype=np.float32)
    found = []
    for start in range(0, len(unit), _BLOCK):
        similar = unit[start : start + _BLOCK] @ unit.T
        for row, b in zip(*np.nonzero(similar >= near), strict=True):
            a = start + int(row)
            if a < b and _same_kind(named[a], named[b]) and may_be_one(named[a].name, named[b].name):
                likeness = round(min(1.0, float(similar[row, b])), 3)
                reason = f"near in meaning (cosine {likeness:.2f})"
                found.append(Proposal(keep=named[a], duplicate=named[b], reason=reason, likeness=likeness))
    return found


def _same_kind(one: ComparedEntity, other: ComparedEntity) -> bool:
    return not one.kind or not other.kind or one.kind.casefold() == other.kind.casefold()


def _keys(name: str) -> Iterator[str]:
    """What two variants have at least one of in common, so that not every pair must be looked at."""
    words = plain(name).split()
    if not words:
        return
    yield "written " + "".join(words)
    if len(words) > 1:
        yield f"last {words[0][0]} {len(words)} {words[-1]}"
    letters = "".join(word[0] for word in words if word not in ("of", "the", "and", "for", "in", "on"))
    if 2 <= len(letters) <= 6:
        yield f"letters {letters}"
    if len(words) == 1 and 2 <= len(words[0]) <= 6:
        yield f"letters {words[0]}"
