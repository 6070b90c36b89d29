"""Entities of a graph that may be one: by how their names are written, and by what they mean.

These are proposals. Somebody who knows the documents decides; see `core.knowledge.build.merging`.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.errors import InputError
from core.knowledge.store.graph_store import GraphStore
from core.models.embedding_vectors import normalise
from core.trace.passages import Frozen

if TYPE_CHECKING:
    from core.models.embeddings import Embedder


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARTICLES = _words("the a an le la les el los las der die das il lo gli")
_JOINING = _words("of the and for in on at to a an de la le du des der von van di da")
_NUMBERS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve first second third fourth "
    "fifth sixth seventh eighth ninth tenth half double january february march april may june july "
    "august september october november december monday tuesday wednesday thursday friday saturday "
    "sunday north south east west northern southern eastern western upper lower junior senior jr sr "
    "not no non anti pre post"
)
"""Words that make two names differ in what they mean, however near they are."""
_ROMAN = re.compile(r"(?:x{0,3})(?:ix|iv|v?i{0,3})", re.IGNORECASE)
SAME_WORDS = "the same but for case, accents, punctuation or an article"
SAME_LETTERS = "the same but for blanks and hyphens"
LIKE_WORDS = 0.8
"""Least likeness at which two words are taken for spellings of one (0 to 1)."""


@lru_cache(maxsize=100_000)
def plain(name: str) -> str:
    """Return a name without case, accents, punctuation and an article in front."""
    text = unicodedata.normalize("NFKD", name.replace("&", " and ").casefold())
    text = "".join(char for char in text if not unicodedata.combining(char))
    # Hangul is taken apart by NFKD; put together again, its letters stay with their syllables.
    text = unicodedata.normalize("NFC", text)
    words = re.findall(r"\w+", re.sub(r"['’]", "", text))
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    return " ".join(words)


def figures(name: str) -> tuple[str, ...]:
    """Return the parts that tell names apart that are otherwise the same: numbers, dates, directions."""
    parts = []
    for word in re.findall(r"\w+", name):
        low = word.casefold()
        if any(char.isdigit() for char in low):
            parts += [
                str(int(part)) if part.isdecimal() else part for part in re.findall(r"\d+|[^\W\d]+", low)
            ]
        elif low in _NUMBERS or (word.isupper() and low not in ("i",) and _ROMAN.fullmatch(word)):
            parts.append(low)
    return tuple(sorted(parts))


def variant(first: str, second: str) -> str:
    """Return a phrase on why two names may be ways to write the same one; empty: by writing alone, they are not."""
    if figures(first) != figures(second):
        return ""
    a, b = plain(first), plain(second)
    if not a or not b:
        return ""
    if a == b:
        return SAME_WORDS
    if a.replace(" ", "") == b.replace(" ", ""):
        return SAME_LETTERS
    if _initials(a.split(), b.split()):
        return "one has initials"
    if _acronym(first, second) or _acronym(second, first):
        return "one is the acronym of the other"
    return ""


def may_be_one(first: str, second: str) -> bool:
    """Return True if nothing in the writing of two names speaks against their meaning the same.

    Numbers, dates and directions must be the same. Where each has words that the other lacks and these begin with a
    capital, they must be spellings of each other: two people of one family name are two.
    """
    if figures(first) != figures(second):
        return False
    a, b = plain(first).split(), plain(second).split()
    mine, theirs = [word for word in a if word not in b], [word for word in b if word not in a]
    if not mine or not theirs:
        return True
    proper = any(char.isupper() for char in first) and any(char.isupper() for char in second)
    if not proper:
        return True
    return len(mine) == len(theirs) and all(_alike(x, y) for x, y in zip(mine, theirs, strict=True))


def _alike(first: str, second: str) -> bool:
    if len(first) == 1 or len(second) == 1:
        return first[0] == second[0]
    return SequenceMatcher(None, first, second).ratio() >= LIKE_WORDS


def _initials(first: list[str], second: list[str]) -> bool:
    """Return True if the last words are the same, and the others are, too, or are first letters, at least one."""
    if len(first) != len(second) or len(first) < 2 or first[-1] != second[-1] or len(first[-1]) < 2:
        return False
    pairs = list(zip(first[:-1], second[:-1], strict=True))
    return all(x == y or (1 in (len(x), len(y)) and x[0] == y[0]) for x, y in pairs)


def _acronym(short: str, long: str) -> bool:
    letters = short.replace(".", "")
    if not (2 <= len(letters) <= 6 and letters.isalpha() and letters.isupper()):
        return False
    words = [word for word in re.findall(r"\w+", long) if word.casefold() not in _JOINING]
    return len(words) == len(letters) and all(
        word[0] == letter for word, letter in zip(words, letters, strict=True)
    )


# Proposals

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
        """True if the two names have the same letters, so that hardly anybody will doubt it."""
        return self.reason in (SAME_WORDS, SAME_LETTERS)


class Proposals(Frozen):
    """The outcome of a search for duplicates."""

    proposals: tuple[Proposal, ...]
    """The surest first."""
    entities: int
    compared: int
    """Number of them that were compared by meaning; the others have fewer edges."""


async def duplicates(
    store: GraphStore,
    embedder: Embedder | None,
    near: float = NEAR,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Proposals:
    """Return pairs of entities of a graph that may be one: by spelling, and by meaning from a cosine of `near` on.

    Without an embedder, by spelling alone. `progress` is told on the event loop how many names of how many are
    embedded.

    Raises:
        InputError: The graph has a schema of its own, or the threshold is not between 0 and 1.
        ModelError, ServiceError, StoreError: Embeddings or the graph server fail.
    """
    if store.native:
        raise InputError("This graph has a schema of its own, so its nodes cannot be merged.")
    if not 0 < near <= 1:
        raise InputError("The threshold must be above 0 and at most 1.")
    rows = await asyncio.to_thread(store.entities)
    named = sorted((ComparedEntity(**row) for row in rows), key=lambda entity: (-entity.edges, entity.id))
    pairs = {(p.keep.id, p.duplicate.id): p for p in await asyncio.to_thread(by_spelling, named)}
    compared = named[:MOST_COMPARED] if embedder is not None else []
    if embedder is not None and compared:
        vectors: list[list[float]] = []
        for start in range(0, len(compared), _BATCH):
            progress(start, len(compared))
            names = [entity.name for entity in compared[start : start + _BATCH]]
            vectors += await embedder.embed_documents(names)
        progress(len(compared), len(compared))
        near_ones = await asyncio.to_thread(by_meaning, compared, np.array(vectors), near)
        pairs = {(p.keep.id, p.duplicate.id): p for p in near_ones} | pairs
    ordered = sorted(pairs.values(), key=lambda p: (-(2 if p.likeness is None else p.likeness), p.keep.id))
    return Proposals(proposals=tuple(ordered), entities=len(named), compared=len(compared))


def by_spelling(named: Sequence[ComparedEntity]) -> list[Proposal]:
    """Return pairs whose names are ways to write the same; the first of a pair is the one that comes first."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place, entity in enumerate(named):
        for key in _keys(entity.name):
            groups[key].append(place)
    proposals: dict[tuple[int, int], Proposal] = {}
    for members in groups.values():
        if len(members) > _LARGEST_GROUP:
            continue
        for a, b in combinations(members, 2):
            if (a, b) not in proposals and _same_kind(named[a], named[b]):
                reason = variant(named[a].name, named[b].name)
                if reason:
                    proposals[a, b] = Proposal(keep=named[a], duplicate=named[b], reason=reason)
    return [proposals[pair] for pair in sorted(proposals)]


def by_meaning(named: Sequence[ComparedEntity], vectors: NDArray[Any], near: float = NEAR) -> list[Proposal]:
    """Return pairs whose names are near in meaning and whose writing does not speak against it."""
    unit = np.array([normalise(vector) for vector in vectors], dtype=np.float32)
    pairs = []
    for start in range(0, len(unit), _BLOCK):
        similar = unit[start : start + _BLOCK] @ unit.T
        for row, b in zip(*np.nonzero(similar >= near), strict=True):
            a = start + int(row)
            if a < b and _same_kind(named[a], named[b]) and may_be_one(named[a].name, named[b].name):
                likeness = round(min(1.0, float(similar[row, b])), 3)
                reason = f"near in meaning (cosine {likeness:.2f})"
                pairs.append(Proposal(keep=named[a], duplicate=named[b], reason=reason, likeness=likeness))
    return pairs


def _same_kind(first: ComparedEntity, second: ComparedEntity) -> bool:
    return not first.kind or not second.kind or first.kind.casefold() == second.kind.casefold()


def _keys(name: str) -> Iterator[str]:
    """Yield the keys of which two variants have at least one in common, so that not every pair must be looked at."""
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
