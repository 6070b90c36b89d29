"""Evidence that a stored run would have had with other parameters: its rankings are put together again by the functions
that the strategy uses, so nothing is searched and no model is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from core.errors import InputError
from core.trace.artefacts import EVAL_CUTOFF, Artefact, Context, Queries, Ranking

A = TypeVar("A", bound=Artefact)
Rule = Callable[[Any, Any], bool]
"""True if a run with one value of a parameter (the first) is enough to compute that of another (the second)."""


class Stored(Protocol):
    """A stored run, as far as its evidence is recomputed."""

    def find(self, kind: type[A]) -> list[A]:
        """Artefacts of a kind, in order."""

    def rankings(self, node: str, label: str = "") -> list[Ranking]:
        """The rankings that a step made."""


@dataclass(frozen=True, eq=False)
class Recomputation:
    """How a strategy's evidence follows from a stored run."""

    rules: Mapping[str, Rule]
    """Parameter whose other values can be told from a stored run -> which of them."""
    evidence: Callable[[Stored, Any], Context]
    """Evidence of a run with other parameters; raises `InputError` where what it needs is not stored."""


def always(stored: Any, wanted: Any) -> bool:
    """Any value follows from any other."""
    return True


def same_depth(stored: int, wanted: int) -> bool:
    """True if both depths keep the same ranking once it is cut at the evaluation depth."""
    return max(stored, EVAL_CUTOFF) == max(wanted, EVAL_CUTOFF)


def fewer(stored: int, wanted: int) -> bool:
    """Fewer queries follow from more: the first of them are stored."""
    return wanted <= stored


def where_it_was_on(stored: bool, wanted: bool) -> bool:
    """An additional search can be left out of a stored run, but not added to it."""
    return stored


def searched(run: Stored, params: Any) -> list[Ranking]:
    """The rankings of the queries that would have been searched, in their order, each as deep as wanted.

    Args:
        run: One that wrote queries and searched each in a step `retrieve`.
        params: With `n` queries, `k` chunks each and `include_original`.

    Raises:
        InputError: The queries or a ranking are not stored.
    """
    queries = next(iter(run.find(Queries)), None)
    if queries is None:
        raise InputError("The queries of this run are not stored.")
    written = [query for query in queries.queries if query.origin != "question"][: params.n]
    originals = [query for query in queries.queries if query.origin == "question"]
    selected = [*originals, *written] if params.include_original or not written else written
    by_query = [run.rankings("retrieve", query.text) for query in selected]
    if not all(by_query):
        raise InputError("A ranking of this run is not stored.")
    return [as_deep(ranking, params.k) for rankings in by_query for ranking in rankings]


def as_deep(ranking: Ranking, k: int) -> Ranking:
    """The ranking as a search for `k` chunks would have had it."""
    return ranking.model_copy(update={"k": k})
