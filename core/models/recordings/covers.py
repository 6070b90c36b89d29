"""Looks up whether a recording covers a question that is asked in a certain way, in what it noted of its runs, without
playing any."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from core.models.recordings.items import BUILDING, KeptRun


@dataclass(frozen=True)
class Cover:
    """The run that a recording holds of a question, or the reason why it holds none."""

    run: KeptRun | None = None
    """The run that was recorded in this way; None: none was."""
    reason: str = ""
    """Why none was, as a clause that ends with a full stop; empty: one was."""
    nearest: KeptRun | None = None
    """Where none was: the run of the same question, strategy and documents that differs in the fewest settings."""
    strategies: tuple[str, ...] = ()
    """Where none was: keys of the other strategies through which the same question was asked, with their defaults or
    not, in the order of the recording."""


def cover(runs: Sequence[KeptRun], request: KeptRun) -> Cover:
    """Look up how a question was asked while the recording was made; of the request, its key, its calls and its verdict
    do not count."""
    reason, alike = compared(runs, request)
    if not reason:
        return Cover(alike[0])
    same = [run for run in runs if run.question == request.question]
    near = [run for run in same if (run.strategy, run.mark) == (request.strategy, request.mark)]
    return Cover(
        reason=reason,
        nearest=min(near, key=lambda run: _differences(run, request), default=None),
        strategies=tuple(
            dict.fromkeys(
                run.strategy
                for run in same
                if run.strategy != request.strategy
                and (run.mark == request.mark or not run.mark or not request.mark)
            )
        ),
    )


def without_sources(run: KeptRun, names: Collection[str]) -> KeptRun:
    """A copy of a run without its documents, retriever, filter, graph and all parameters but these, for comparing runs
    whose calls depend on nothing else."""
    params = {name: value for name, value in run.params.items() if name in names}
    return run.model_copy(update={"params": params, "mark": "", "retriever": "", "where": (), "graph": ""})


def compared(runs: Iterable[KeptRun], request: KeptRun) -> tuple[str, Sequence[KeptRun]]:
    """Why a recording does not cover a request, as a clause; empty: it does, by the runs that follow.

    A parameter that a run does not know, since it is older, is taken to be the request's. What a run says of a skill
    that the strategy no longer has does not count.
    """
    alike = [run for run in runs if request.strategy != BUILDING or run.strategy == BUILDING]
    if request.strategy == BUILDING and not alike:
        return "no graph was built when it was recorded.", ()
    for fits, reason in _CONDITIONS.items():
        former, alike = alike, [run for run in alike if fits(run, request)]
        if not alike:
            return reason or f"it was recorded with {_settings(former, request)}.", ()
    return "", alike


def _same(*fields: str) -> Callable[[KeptRun, KeptRun], bool]:
    """Compares these fields of two runs."""
    values = attrgetter(*fields)
    return lambda run, request: bool(values(run) == values(request))


def changed(run: KeptRun, other: KeptRun) -> list[str]:
    """Names of the parameters that two runs of a strategy do not share, in the order of the alphabet."""
    names = run.params.keys() & other.params.keys()
    return sorted(name for name in names if run.params[name] != other.params[name])


def _settings(runs: Sequence[KeptRun], request: KeptRun) -> str:
    """The settings of the nearest runs, to follow “recorded with”: the values of the one parameter in which they differ
    from the request, or the names of several."""
    names = min((changed(run, request) for run in runs), key=len)
    if len(names) > 1:
        return f"other settings ({', '.join(names)})"
    (name,) = names
    values = {run.params[name]: None for run in runs if changed(run, request) == names}
    return f"{name} = {' or '.join(map(str, values))}"


def recorded_for_all(runs: Iterable[KeptRun]) -> frozenset[str]:
    """Questions that were asked through every strategy of which the recording holds anything: those with which one
    thing at a time can be changed and the answer kept."""
    strategies: dict[str, set[str]] = {}
    for run in runs:
        if run.strategy != BUILDING:
            strategies.setdefault(run.question, set()).add(run.strategy)
    every = set().union(*strategies.values())
    return frozenset(question for question, keys in strategies.items() if keys == every)


def _same_methods(run: KeptRun, request: KeptRun) -> bool:
    """True if the skills that are asked today were done by the same methods."""
    return all(run.methods.get(skill) == method for skill, method in request.methods.items())


def _differences(run: KeptRun, other: KeptRun) -> int:
    apart = (_SAME_PLACE, _same_methods, _same("edited"))
    return len(changed(run, other)) + sum(not same(run, other) for same in apart)


_SAME_PLACE = _same("retriever", "where", "graph")
_CONDITIONS: Mapping[Callable[[KeptRun, KeptRun], bool], str] = {
    _same("question"): "this question was not recorded.",
    _same("strategy"): "this question was recorded with other strategies only.",
    _same("mark"): "it was recorded with other documents, or they were cut otherwise.",
    _SAME_PLACE: "it was recorded with another retriever, filter or graph.",
    lambda run, request: not changed(run, request): "",
    _same_methods: "it was recorded with other methods of its steps.",
    _same("edited"): "it was recorded with other prompts.",
    lambda run, request: request.searched_only or not run.searched_only: "only its search was recorded.",
}
"""What a run and a request must share, in the order in which it is looked at, and the reason where no run does; empty:
the settings that differ."""
