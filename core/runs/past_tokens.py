"""What earlier runs used: tokens of a coming run, estimated from runs of the same strategy with the same model."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median

from core.runs.store import RunStore

JUDGED_RUNS = 20
"""How many of the newest finished runs are looked at."""


@dataclass(frozen=True)
class PastTokens:
    """The medians of what earlier runs used per model call."""

    runs: int
    """Number of runs that this is estimated from."""
    input: float = 0.0
    """Median over the runs of the tokens sent per call."""
    output: float = 0.0
    """Median over the runs of the tokens written per call."""
    seconds: float = 0.0
    """Median over the runs of the run's seconds per call."""

    def of(self, calls: int) -> tuple[int, int]:
        """Estimated input and output tokens of this number of calls, rounded to two digits."""
        return _rounded(self.input * calls), _rounded(self.output * calls)


def past_tokens(
    store: RunStore, owners: Collection[str], strategy: str, model: str, *, builtin: bool
) -> PastTokens:
    """Judge from the newest finished runs of these owners, forks left out: their calls are only a part.

    Args:
        store: Where the runs are.
        owners: Whose runs count; pinned ones count whoever asked them.
        strategy: Its key.
        model: Name of the chat model; empty: any that is not the built-in one.
        builtin: Whether the built-in model answers; the name is then of no matter.

    Raises:
        StoreError: The store cannot be read.
    """
    used = [
        use
        for use in store.token_uses(strategy, owners, JUDGED_RUNS)
        if use.builtin == builtin and (builtin or not model or use.model == model)
    ]
    if not used:
        return PastTokens(0)
    return PastTokens(
        len(used),
        median(use.input / use.calls for use in used),
        median(use.output / use.calls for use in used),
        median(use.seconds / use.calls for use in used),
    )


def _rounded(tokens: float) -> int:
    return int(float(f"{tokens:.2g}"))
