"""Whether the recording that a request plays covers it: looked up, so that it can be said before anything is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from core.models.recordings.covers import Cover, cover
from core.models.recordings.items import KeptRun
from core.runs.preparing import kept_run
from core.runs.request import RunRequest
from core.skills import methods_in_force
from core.strategies import get_strategy

if TYPE_CHECKING:
    from core.runs.workbench import Workbench


def as_noted(bench: Workbench, request: RunRequest, mark: str) -> KeptRun:
    """A request as a recording would note it. Blocks for a moment.

    Args:
        bench: Knows what kind of model answers.
        request: What is asked, and of whom.
        mark: Which documents are searched, see `core.retrieval.recorded.mark_of`; empty: none are.

    Raises:
        InputError: A parameter or a method cannot be used.
    """
    strategy = get_strategy(request.strategy)
    params = strategy.parse(request.params)
    kind = bench.backends.kind(request.chat)
    methods = methods_in_force(strategy.skills_with(params), kind, request.methods)
    own = strategy.retriever or request.retriever
    asked = replace(request, question=request.question.strip(), retriever=own)
    searches = strategy.retrieves and bool(request.corpus)
    return kept_run(asked.begun(strategy, params, ""), request.prompts, methods, mark if searches else "")


def covered(bench: Workbench, request: RunRequest, runs: Sequence[KeptRun], mark: str) -> Cover:
    """What a recording holds of a request. Blocks for a moment.

    Args:
        bench: Knows what kind of model answers.
        request: What is asked.
        runs: How questions were asked while the recording was made.
        mark: As of `as_noted`.

    Raises:
        InputError: A parameter or a method cannot be used.
    """
    return cover(runs, as_noted(bench, request, mark))
