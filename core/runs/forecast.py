"""What a run will cost in model calls, whoever answers: the page, the evaluation and the command line all ask this."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import InputError
from core.runs.request import RunRequest
from core.skills import methods_in_force
from core.skills.answer import ANSWER
from core.skills.answer_step_back import ANSWER_STEP_BACK
from core.skills.read import READ
from core.skills.synthesise import SYNTHESISE
from core.strategies import get_strategy
from core.strategies.costs import Forecast, forecast

if TYPE_CHECKING:
    from core.runs.workbench import Workbench

_ANSWERING = frozenset(skill.key for skill in (ANSWER, ANSWER_STEP_BACK, READ, SYNTHESISE))
"""Skills of the node `answer`: retrieval alone ends before it."""


def run_forecast(bench: Workbench, request: RunRequest) -> Forecast:
    """Rounds and calls of a run, played ones included. Blocks for a moment.

    Args:
        bench: Knows what kind of model answers.
        request: What is asked, and of whom.

    Raises:
        InputError: A parameter or a method cannot be used, or the model cannot run the strategy.
    """
    strategy = get_strategy(request.strategy)
    kind = bench.backends.kind(request.chat)
    if lacking := strategy.lacking(kind.builtin):
        raise InputError(lacking)
    methods = methods_in_force(strategy.skills, kind, request.methods)
    stages = strategy.stages(strategy.parse(request.params))
    if request.retrieval_only and stages[-1].skill in _ANSWERING:
        stages = stages[:-1]
    return forecast(stages, methods)
