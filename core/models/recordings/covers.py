"""Looks up whether a recording covers a question that is asked in a certain way, in what it noted of its runs, without
playing any."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

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


def cover(runs: Sequence[KeptRun], asked: KeptRun) -> Cover:
    """Look it up.

    Args:
        runs: How questions were asked while the recording was made.
        asked: How it is asked now; its key, its calls and its verdict do not count.
    """
    reason, alike = compared(runs, asked)
    if not reason:
        return Cover(alike[0])
    same = [one for one in runs if one.question == asked.question]
    near = [one for one in same if (one.strategy, one.mark) == (asked.strategy, asked.mark)]
    return Cover(
        reason=reason,
        nearest=min(near, key=lambda one: _differences(one, asked), default=None),
        strategies=tuple(
            dict.fromkeys(
                one.strategy
                for one in same
                if one.strategy != asked.strategy
                and (one.mark == asked.mark or not one.mark or not asked.mark)
            )
        ),
    )


def as_asked(run: KeptRun, names: Collection[str]) -> KeptRun:
    """A copy of a run without its documents, retriever, filter, graph and all parameters but these, for comparing runs
    whose calls depend on nothing else."""
    params = {name: value for name, value in run.params.items() if name in names}
    return run.model_copy(update={"params": params, "mark": "", "retriever": "", "where": (), "graph": ""})


def compared(runs: Iterable[KeptRun], asked: KeptRun) -> tuple[str, Sequence[KeptRun]]:
    """Why a recording does not cover a question, as a clause, and the runs that are the most like it; the clause is
    empty where those were asked in the same way.

    What a run does not say, since it is older than a parameter, is taken to be as asked. What it says of a skill that
    the strategy no longer has does not count.
    """
    runs = list(runs)
    if asked.strategy == BUILDING:
        runs = [one for one in runs if one.strategy == BUILDING]
        if not runs:
            return "no graph was built when it was recorded.", ()
    known = [one for one in runs if one.question == asked.question]
    if not known:
        return "this question was not recorded.", ()
    known = [one for one in known if one.strategy == asked.strategy]
    if not known:
        return "this question was recorded with other strategies only.", ()
    alike = [one for one in known if one.mark == asked.mark]
    if not alike:
        return "it was recorded with other documents, or they were cut otherwise.", known
    known, alike = alike, [one for one in alike if _where(one) == _where(asked)]
    if not alike:
        return "it was recorded with another retriever, filter or graph.", known
    known, alike = alike, [one for one in alike if not changed(one, asked)]
    if not alike:
        return f"it was recorded with {_settings(known, asked)}.", known
    known, alike = alike, [one for one in alike if _same_methods(one, asked)]
    if not alike:
        return "it was recorded with other methods of its steps.", known
    known, alike = alike, [one for one in alike if one.edited == asked.edited]
    if not alike:
        return "it was recorded with other prompts.", known
    known, alike = alike, [one for one in alike if asked.searched_only or not one.searched_only]
    if not alike:
        return "only its search was recorded.", known
    return "", alike


def changed(one: KeptRun, other: KeptRun) -> list[str]:
    """Names of the parameters that two runs of a strategy do not share, in the order of the alphabet."""
    names = one.params.keys() & other.params.keys()
    return sorted(name for name in names if one.params[name] != other.params[name])


def _settings(runs: Sequence[KeptRun], asked: KeptRun) -> str:
    """The settings of the nearest runs, to follow “recorded with”: the values of the one parameter in which they differ
    from what is asked, or the names of several."""
    names = min((changed(one, asked) for one in runs), key=len)
    if len(names) > 1:
        return f"other settings ({', '.join(names)})"
    (name,) = names
    values = {one.params[name]: None for one in runs if changed(one, asked) == names}
    return f"{name} = {' or '.join(map(str, values))}"


def recorded_for_all(runs: Iterable[KeptRun]) -> frozenset[str]:
    """Questions that were asked through every strategy of which the recording holds anything: those with which one
    thing at a time can be changed and the answer kept."""
    found: dict[str, set[str]] = {}
    for run in runs:
        if run.strategy != BUILDING:
            found.setdefault(run.question, set()).add(run.strategy)
    every = set().union(*found.values())
    return frozenset(question for question, asked in found.items() if asked == every)


def _where(one: KeptRun) -> tuple[str, tuple[str, ...], str]:
    return one.retriever, one.where, one.graph


def _same_methods(one: KeptRun, asked: KeptRun) -> bool:
    """True if the skills that are asked today were done by the same methods."""
    return all(one.methods.get(skill) == method for skill, method in asked.methods.items())


def _differences(one: KeptRun, other: KeptRun) -> int:
    apart = (_where(one) != _where(other), not _same_methods(one, other), one.edited != other.edited)
    return len(changed(one, other)) + sum(apart)
