"""What a stored run would have found with other parameters that decide what becomes of its searches: nothing is
searched and no model is asked again. How, each strategy says itself (`core.strategies.recomputing`)."""

from __future__ import annotations

from core.errors import InputError
from core.evaluation.plan import Setting
from core.runs.record import Record
from core.strategies import get_strategy, strategies
from core.trace.artefacts import Context


def recomputable_parameters(strategy: str) -> tuple[str, ...]:
    """The parameters of the strategy with this key whose values can be told from a stored run."""
    found = strategies().get(strategy)
    return tuple(found.recomputation.rules) if found and found.recomputation else ()


def recomputable(stored: Setting, wanted: Setting) -> bool:
    """Whether the evidence of a setting follows from the stored runs of another one."""
    strategy = get_strategy(stored.strategy)
    if not _alike(stored, wanted):
        return False
    before, after = strategy.parse(stored.params), strategy.parse(wanted.params)
    rules = strategy.recomputation.rules if strategy.recomputation else {}
    changed = [name for name in strategy.params.model_fields if getattr(before, name) != getattr(after, name)]
    return all(name in rules and rules[name](getattr(before, name), getattr(after, name)) for name in changed)


def same(one: Setting, other: Setting) -> bool:
    """Whether two settings are the same, whatever they are called."""
    parse = get_strategy(one.strategy).parse
    return _alike(one, other) and parse(one.params) == parse(other.params)


def _alike(stored: Setting, wanted: Setting) -> bool:
    """Whether two settings differ in their parameters at most."""
    free = {"label", "params", "indexed", "prompt_hashes"}
    return stored.model_dump(exclude=free) == wanted.model_dump(exclude=free)


def recompute(run: Record, wanted: Setting) -> Context:
    """The evidence that a run would have had with another setting, which must be `recomputable` from its own.

    Raises:
        InputError: What the run found is not stored as a whole, or its strategy recomputes nothing.
    """
    strategy = get_strategy(wanted.strategy)
    if strategy.recomputation is None:
        raise InputError(f"Nothing of “{strategy.title}” can be recomputed from stored runs.")
    return strategy.recomputation.evidence(run, strategy.parse(wanted.params))
