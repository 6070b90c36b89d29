"""What an evaluation found so far, computed once for everybody who looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from core.evaluation.evaluations import evaluations_of
from core.evaluation.failures import Outcome
from core.evaluation.measures import Scores
from core.evaluation.plan import Evaluation, Outcomes
from core.evaluation.results import scores, stages
from core.runs.workbench import Workbench
from core.views.evaluation import Look, looks


@dataclass(frozen=True)
class Found:
    """An evaluation with everything that is computed from its outcomes; not to be changed."""

    evaluation: Evaluation
    outcomes: Outcomes
    scores: Scores
    stages: Mapping[str, Mapping[str, Outcome]]
    look: Mapping[str, Look]


def found_of(bench: Workbench, evaluation: str) -> Found:
    """The evaluation with this id as it is now. Blocks for a moment.

    Raises:
        InputError: There is none.
        StoreError: It cannot be read.
    """
    store = evaluations_of(bench).store
    done, failed = store.counts([evaluation])[evaluation]
    return _found(bench, store.get(evaluation), done, failed)


@st.cache_resource(
    max_entries=16,
    show_spinner=False,
    hash_funcs={
        Workbench: lambda bench: bench.settings.database,
        Evaluation: lambda one: f"{one.id} {one.name} {one.state} {one.pinned}",
    },
)
def _found(bench: Workbench, evaluation: Evaluation, done: int, failed: int) -> Found:
    """Kept by how many pairs are done and failed: what is done stays as it is."""
    outcomes = evaluations_of(bench).store.outcomes(evaluation.id)
    found = scores(evaluation, outcomes, bench.settings.model_prices)
    keys = {setting.label: setting.strategy for setting in evaluation.spec.settings}
    return Found(evaluation, outcomes, found, stages(evaluation, outcomes), looks(keys))
