"""The cost of a run before it begins: its model calls, whoever answers, and its tokens, judged from earlier runs.

The page, the evaluation and the command line all ask this.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from core.errors import InputError
from core.runs.request import RunRequest
from core.skills import methods_in_force
from core.skills.answer import ANSWER
from core.skills.answer_step_back import ANSWER_STEP_BACK
from core.skills.read import READ
from core.skills.synthesise import SYNTHESISE
from core.strategies import get_strategy
from core.strategies.costs import Forecast, Stage, forecast
from core.wording import rounded

if TYPE_CHECKING:
    from core.runs.backends import Backends
    from core.runs.store import RunStore

_ANSWERING = frozenset(skill.key for skill in (ANSWER, ANSWER_STEP_BACK, READ, SYNTHESISE))
"""Skills of the node `answer`: retrieval alone ends before it."""
JUDGED_RUNS = 20
"""How many of the newest finished runs are looked at."""


def run_forecast(backends: Backends, request: RunRequest) -> Forecast:
    """Rounds and calls of a run, played ones included. Blocks for a moment.

    Args:
        backends: Know what kind of model answers.
        request: The question, and which model answers it.

    Raises:
        InputError: A parameter or a method cannot be used, or the model cannot run the strategy.
    """
    strategy = get_strategy(request.strategy)
    kind = backends.kind(request.chat)
    if lacking := strategy.lacking(kind.builtin):
        raise InputError(lacking)
    methods = methods_in_force(strategy.skills, kind, request.methods)
    return forecast(stages_of(request), methods)


def stages_of(request: RunRequest) -> tuple[Stage, ...]:
    """The model work of a run: without its answer, where the search alone is wanted.

    Raises:
        InputError: A parameter cannot be used.
    """
    strategy = get_strategy(request.strategy)
    stages = strategy.stages(strategy.parse(request.params))
    return stages[:-1] if request.retrieval_only and stages[-1].skill in _ANSWERING else stages


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
        return rounded(self.input * calls), rounded(self.output * calls)


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
