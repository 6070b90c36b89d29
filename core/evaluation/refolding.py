"""What a stored run would have found with other parameters that decide what becomes of its searches: nothing is
searched and no model is asked again.

The same functions as in the strategies put the stored rankings together, so that what comes out is exactly what a
run with the same searches gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.errors import InputError
from core.evaluation.plan import Setting
from core.retrieval.fusion import fuse
from core.retrieval.union import unite
from core.runs.record import Record
from core.strategies import get_strategy
from core.strategies.nodes import JUDGED_DEPTH, given_first
from core.strategies.step_back import both_contexts
from core.trace.artefacts import Context, Queries, Ranking, StepBack


def _same_depth(stored: int, wanted: int) -> bool:
    """Whether a search for so many chunks kept the list that one for the others would have: no more, no fewer."""
    return max(stored, JUDGED_DEPTH) == max(wanted, JUDGED_DEPTH)


_ALWAYS: Callable[[Any, Any], bool] = lambda stored, wanted: True  # noqa: E731
_RULES: Mapping[str, Callable[[Any, Any], bool]] = {
    "k": _same_depth,
    "context_size": _ALWAYS,
    "n": lambda stored, wanted: bool(wanted <= stored),  # the first of those that were written
    "include_original": lambda stored, wanted: bool(stored),
    "rrf_k": _ALWAYS,
    "first_rank": _ALWAYS,
}
"""Parameter -> whether a run with one value (the first) tells what another value (the second) gives."""


def refoldable(strategy: str) -> tuple[str, ...]:
    """The parameters of the strategy with this key whose values can be told from a stored run."""
    return _STRATEGIES[strategy][0] if strategy in _STRATEGIES else ()


def derivable(stored: Setting, wanted: Setting) -> bool:
    """Whether the evidence of a setting follows from the stored runs of another one."""
    strategy = get_strategy(stored.strategy)
    if not _alike(stored, wanted):
        return False
    before, after = strategy.parse(stored.params), strategy.parse(wanted.params)
    changed = [name for name in strategy.params.model_fields if getattr(before, name) != getattr(after, name)]
    return all(
        name in refoldable(strategy.key) and _RULES[name](getattr(before, name), getattr(after, name))
        for name in changed
    )


def same(one: Setting, other: Setting) -> bool:
    """Whether two settings are the same, whatever they are called."""
    parse = get_strategy(one.strategy).parse
    return _alike(one, other) and parse(one.params) == parse(other.params)


def _alike(stored: Setting, wanted: Setting) -> bool:
    """Whether two settings differ in their parameters at most."""
    free = {"label", "params", "indexed", "prompt_hashes"}
    return stored.model_dump(exclude=free) == wanted.model_dump(exclude=free)


def refold(run: Record, wanted: Setting) -> Context:
    """The evidence that a run would have had with another setting, which must be `derivable` from its own.

    Raises:
        InputError: What the run found is not stored as a whole.
    """
    strategy = get_strategy(wanted.strategy)
    return _STRATEGIES[strategy.key][1](run, strategy.parse(wanted.params))


def _fused(run: Record, params: Any) -> Context:
    fused = fuse(_searched(run, params), params.rrf_k, params.first_rank)
    return given_first(((row.passage, row.score) for row in fused.rows), params.context_size)


def _united(run: Record, params: Any) -> Context:
    rows = unite(_searched(run, params)).rows
    return given_first(((row.passage, None) for row in rows), params.context_size)


def _stepped_back(run: Record, params: Any) -> Context:
    specific, general = (_of_step(run, node, "") for node in ("retrieve", "retrieve_general"))
    asked = next(iter(run.find(StepBack)), None)
    if asked is None or not (specific or general):
        raise InputError("What this run searched with is not stored.")
    # Where the general question is the one that was asked, it was searched once, as that.
    both = [_cut(one, params.k) for one in (specific or general, general or specific)]
    if not params.include_original:
        return both_contexts(None, both[1], params.context_size)
    return both_contexts(both[0], both[1] if general else None, params.context_size)


def _passages(run: Record, params: Any) -> Context:
    found = _of_step(run, "search", "")
    if not found:
        raise InputError("What this run found is not stored.")
    if len(found) > 1:  # paragraphs about several things, searched one by one
        united = unite([ranking.model_copy(update={"k": params.k}) for ranking in found])
        return given_first(((row.passage, row.score) for row in united.rows), params.k)
    return given_first(((hit.passage, hit.score) for hit in found[0].hits), params.k)


def _searched(run: Record, params: Any) -> list[Ranking]:
    """The rankings of the queries that would have been searched, in their order, each as deep as wanted."""
    queries = next(iter(run.find(Queries)), None)
    if queries is None:
        raise InputError("The queries of this run are not stored.")
    written = [query for query in queries.queries if query.origin != "question"][: params.n]
    asked = [query for query in queries.queries if query.origin == "question"]
    kept = [*asked, *written] if params.include_original or not written else written
    rankings: list[Ranking] = []
    for query in kept:
        found = _of_step(run, "retrieve", query.text)
        if not found:
            raise InputError("A ranking of this run is not stored.")
        rankings += [ranking.model_copy(update={"k": params.k}) for ranking in found]
    return rankings


def _of_step(run: Record, node: str, label: str) -> list[Ranking]:
    """The rankings that a step made."""
    for step in run.steps:
        if (step.node, step.label) == (node, label):
            return [artefact for artefact in step.artefacts if isinstance(artefact, Ranking)]
    return []


def _cut(found: list[Ranking], k: int) -> Ranking | None:
    return found[0].model_copy(update={"k": k}) if found else None


_STRATEGIES: Mapping[str, tuple[tuple[str, ...], Callable[[Record, Any], Context]]] = {
    "rag-fusion": (("rrf_k", "first_rank", "n", "include_original", "k", "context_size"), _fused),
    "multi-query": (("n", "include_original", "k", "context_size"), _united),
    "step-back": (("include_original", "k", "context_size"), _stepped_back),
    "hyde": (("k",), _passages),
}
"""Strategy -> its parameters that can be told from a stored run, and how."""
