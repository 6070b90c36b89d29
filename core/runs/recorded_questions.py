"""A question as a recording notes it: so it is found again, before anything is asked and when it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.models.recordings.items import KeptRun
from core.models.recordings.keys import digest
from core.retrieval.defaults import Default
from core.retrieval.kinds import RETRIEVERS
from core.runs.request import RunRequest
from core.skills import methods_in_force
from core.skills.base import builtin_prompt
from core.strategies import get_strategy
from core.trace.events import RunStarted

if TYPE_CHECKING:
    from core.skills.model_kind import ModelKind


def kept_run(
    started: RunStarted,
    prompts: Mapping[str, str],
    methods: Mapping[str, str],
    mark: str,
    dense_share: float | None = None,
) -> KeptRun:
    """How a question is asked, as a recording notes it.

    Args:
        started: First event of the run.
        prompts: Prompts that were given, which may be as they come with the app.
        methods: Method of each skill.
        mark: What is searched, see `core.retrieval.recorded.mark_of`; empty: nothing is.
        dense_share: Weight of the dense scores; None: none are added up.
    """
    how: dict[str, Any] = {
        "question": started.question,
        "strategy": started.strategy,
        "params": started.params,
        "corpus": started.corpus or "",
        "mark": mark,
        "retriever": started.retriever or "",
        "where": started.where,
        "graph": started.graph or "",
        "methods": dict(methods),
        "edited": tuple(sorted(key for key, text in prompts.items() if text != builtin_prompt(key))),
    }
    if dense_share is not None:
        how["dense_share"] = dense_share
    if started.retrieval_only:
        how["searched_only"] = True
    return KeptRun(key=digest("run", how), **how)


def recorded_share(
    runs: Iterable[KeptRun], started: RunStarted, mark: str, dense_share: float
) -> float | None:
    """The weight with which a recording holds this question's searches; today's where it holds none.

    Args:
        runs: How questions were asked while it was made.
        started: Of the run.
        mark: What is searched, see `core.retrieval.recorded.mark_of`.
        dense_share: Today's weight of the dense scores.
    """
    asked = started.question, started.retriever, mark
    known = [run.dense_share for run in runs if (run.question, run.retriever, run.mark) == asked]
    return dense_share if not known or dense_share in known else known[0]


def as_noted(kind: ModelKind, request: RunRequest, mark: str) -> KeptRun:
    """A request as a recording would note it.

    Args:
        kind: What kind of model answers.
        request: The question, and how it is asked.
        mark: The documents that are searched, see `core.retrieval.recorded.mark_of`; empty: none are.

    Raises:
        InputError: A parameter or a method cannot be used.
    """
    strategy = get_strategy(request.strategy)
    params = strategy.parse(request.params)
    methods = methods_in_force(strategy.skills_with(params), kind, request.methods)
    own = strategy.retriever or request.retriever
    as_begun = replace(request, question=request.question.strip(), retriever=own)
    searches = strategy.retrieves and bool(request.corpus)
    return kept_run(as_begun.begun(strategy, params, ""), request.prompts, methods, mark if searches else "")


def recorded_default(
    name: str, runs: Iterable[KeptRun], strategy: str, *, mark: str = "", questions: Collection[str] = ()
) -> Default | None:
    """The retriever with which most of a recording's runs of a strategy searched, with the sentence that says so.

    Args:
        name: Of the recording.
        runs: How questions were asked while it was made.
        strategy: Key of the strategy.
        mark: Documents that are searched, see `core.retrieval.recorded.mark_of`; empty: whichever.
        questions: That are asked; none: whichever.

    Returns:
        None: it holds no such run.
    """
    known = Counter(
        run.retriever
        for run in runs
        if run.strategy == strategy
        and run.retriever in RETRIEVERS
        and (not mark or run.mark == mark)
        and (not questions or run.question in questions)
    )
    if not known:
        return None
    ((kind, _),) = known.most_common(1)
    return Default(kind, why=f"The recording “{name}” was made with {kind} search of these documents.")
