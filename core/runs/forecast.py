"""What a run will cost in model calls, whoever answers: the page, the evaluation and the command line all ask this."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from core.errors import InputError
from core.models.choice import BUILTIN
from core.runs.rehearsal import Rehearsal
from core.runs.request import RunRequest, kind_of_model
from core.skills import SKILLS, methods_in_force
from core.skills.answer import ANSWER
from core.skills.answer_step_back import ANSWER_STEP_BACK
from core.skills.read import READ
from core.skills.synthesise import SYNTHESISE
from core.strategies import get_strategy
from core.strategies.costs import Forecast, forecast, forecast_played

if TYPE_CHECKING:
    from core.runs.workbench import Workbench

_ANSWERING = frozenset(skill.key for skill in (ANSWER, ANSWER_STEP_BACK, READ, SYNTHESISE))
"""Skills of the node `answer`: retrieval alone ends before it."""


def run_forecast(bench: Workbench, request: RunRequest, rehearsal: Rehearsal | None = None) -> Forecast:
    """Rounds and calls of a run, played ones included. Blocks for a moment.

    Args:
        bench: Knows what kind of model answers.
        request: What is asked, and of whom.
        rehearsal: How far the recording goes that it plays; None: it plays none, or nobody knows yet, and the run is
            taken to be recorded whole.

    Raises:
        InputError: A parameter or a method cannot be used, or the model cannot run the strategy.
    """
    strategy, play = get_strategy(request.strategy), request.chat.play
    kind = bench.backends.checks.kind(request.chat)
    if lacking := strategy.lacking(kind.builtin):
        raise InputError(lacking)
    methods = methods_in_force(strategy.skills, kind, request.methods)
    stages = strategy.stages(strategy.parse(request.params))
    if request.retrieval_only and stages[-1].skill in _ANSWERING:
        stages = stages[:-1]
    if play is None or rehearsal is None:
        return forecast(stages, methods)
    played = Counter(rehearsal.calls)
    if not rehearsal.missing or play.missing == "fail":
        return forecast_played(stages, methods, played, None)
    if play.missing == "endpoint":
        return forecast_played(stages, methods, played, methods)
    if not SKILLS[rehearsal.missing].builtin:
        return forecast_played(
            stages, methods, played, None
        )  # nobody can do this step, so the run ends there
    chat = replace(request.chat, play=None, endpoint=None, file="", model=BUILTIN)
    able = [skill for skill in methods if SKILLS[skill].builtin]
    others = methods | methods_in_force(able, kind_of_model(bench.settings, chat), {})
    return forecast_played(stages, methods, played, others)
