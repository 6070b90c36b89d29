"""The results of an evaluation so far, computed once for all sessions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.charts.evaluation_findings import Remark, findings, remarks
from core.charts.evaluation_settings import with_titles
from core.charts.evaluation_table import EvaluationTable, Look, evaluation_table, looks
from core.errors import LoupeError
from core.evaluation.plan import Evaluation, Outcomes, Sweep, text_hash
from core.evaluation.results import Results
from core.evaluation.results import results_of as compute
from core.evaluation.runner import evaluations_of
from core.evaluation.statistics import Difference, Interval, compare, intervals
from core.evaluation.sweep_results import read_sweep, without_recomputed
from core.runs.workbench import Workbench


@dataclass(frozen=True)
class OtherValues:
    """A sweep that is recomputed from the stored runs of an evaluation, in place of its settings."""

    place: int
    """Position of the setting that is swept, from 0."""
    sweep: Sweep


@dataclass(frozen=True)
class EvaluationResults(Results):
    """Results as the page shows them; not to be changed."""

    look: Mapping[str, Look]
    others: OtherValues | None = None
    """The sweep of its runs that this is; None: it is what was begun."""
    problem: str = ""
    """The reason why recomputed values of a sweep are missing; empty: none are."""

    @property
    def name(self) -> str:
        """A name for keys of widgets, different for each evaluation and each sweep of it."""
        mark = f"-{text_hash(repr(self.others))}" if self.others else ""
        return self.evaluation.id + mark


_Hashing = dict[str | type[Any], Callable[[Any], Any]]
BY_DATABASE: _Hashing = {Workbench: lambda bench: bench.settings.database}
_BY_EVALUATION: _Hashing = BY_DATABASE | {
    Evaluation: lambda stored: f"{stored.id} {stored.name} {stored.state} {stored.pinned}",
    OtherValues: repr,
}


def results_of(
    bench: Workbench, evaluation: str, others: OtherValues | None = None, *, recompute: bool = True
) -> EvaluationResults:
    """The evaluation with this id as it is now. Blocks for a moment, longer where stored runs are read.

    With `others`, a sweep of its stored runs is read in place of what was begun. Values of a sweep without runs of
    their own are recomputed, or left out without `recompute`.

    Raises:
        InputError: There is none.
        StoreError: It cannot be read.
    """
    store = evaluations_of(bench).store
    done, failed = store.counts([evaluation])[evaluation]
    stored, problem = store.get(evaluation), ""
    if recompute and (others or stored.spec.sweep):
        try:
            return _recomputed(bench, stored, done, failed, others)
        except LoupeError as error:
            problem = str(error)
    return replace(_as_run(bench, stored, done, failed), problem=problem)


# Both are kept by how many pairs are done and failed: what is done stays as it is.


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=_BY_EVALUATION)
def _as_run(bench: Workbench, evaluation: Evaluation, done: int, failed: int) -> EvaluationResults:
    outcomes = evaluations_of(bench).store.outcomes(evaluation.id)
    return _computed(bench, without_recomputed(evaluation), outcomes)


@st.cache_resource(max_entries=16, show_spinner="Recomputing from stored runs…", hash_funcs=_BY_EVALUATION)
def _recomputed(
    bench: Workbench, evaluation: Evaluation, done: int, failed: int, others: OtherValues | None
) -> EvaluationResults:
    spec, outcomes = evaluation.spec, evaluations_of(bench).store.outcomes(evaluation.id)
    base, sweep = (spec.settings[others.place], others.sweep) if others else (spec.settings[0], spec.sweep)
    if sweep is None:
        raise ValueError("only a sweep is recomputed")
    return _computed(bench, *read_sweep(bench, evaluation, outcomes, base, sweep), others)


def _computed(
    bench: Workbench, evaluation: Evaluation, outcomes: Outcomes, others: OtherValues | None = None
) -> EvaluationResults:
    results = compute(with_titles(evaluation), outcomes, bench.settings.model_prices)
    look = looks({setting.label: setting.strategy for setting in results.evaluation.spec.settings})
    return EvaluationResults(**vars(results), look=look, others=others)


_BY_STATE: _Hashing = {
    EvaluationResults: lambda shown: (
        f"{shown.name} {len(shown.outcomes.done)} {len(shown.outcomes.failed)} {shown.best is None}"
    )
}
"""Resampling many questions takes seconds: its results are kept as long as nothing more is done."""


@st.cache_resource(max_entries=64, show_spinner="Computing the differences…", hash_funcs=_BY_STATE)
def table_of(results: EvaluationResults, baseline: str, keys: tuple[str, ...]) -> EvaluationTable:
    """The table that leads with the differences."""
    spec = results.evaluation.spec
    return evaluation_table(
        results.scores, baseline, keys, results.best, spec.looks, in_order=spec.sweep is not None
    )


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=_BY_STATE)
def sentences_of(results: EvaluationResults, baseline: str) -> tuple[tuple[str, ...], dict[Remark, str]]:
    """The findings in sentences, and the remarks on them."""
    return findings(results.scores, baseline, results.evaluation.spec.looks), remarks(results, baseline)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_STATE)
def differences_of(results: EvaluationResults, baseline: str, key: str) -> tuple[Difference, ...]:
    """Every other setting against the baseline on one metric; see `core.evaluation.statistics.compare`."""
    return compare(results.scores, baseline, key, results.evaluation.spec.looks)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_STATE)
def means_of(results: EvaluationResults, key: str) -> dict[str, Interval]:
    """The mean of one metric for each setting."""
    return intervals(results.scores, key)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_STATE)
def best_of(results: EvaluationResults, key: str) -> Interval | None:
    """The mean of one metric for the best setting of each question."""
    return results.best.mean(key) if results.best else None
