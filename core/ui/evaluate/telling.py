"""What an evaluation will be able to tell, as a line of its form."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.charts.evaluation_verdict import beforehand, paired_spread
from core.errors import LoupeError
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import sample
from core.evaluation.evaluations import evaluations_of
from core.evaluation.measures import LEADING
from core.evaluation.plan import Setting
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate.cached_results import BY_DATABASE, results_of
from core.ui.shell import session

KEPT_SECONDS = 20.0
"""How long what was found of earlier evaluations is used before the store is asked again."""


def draw_telling(
    bench: Workbench, data: str, count: int, seed: int, settings: Sequence[Setting], baseline: str
) -> None:
    """Draw the line.

    Args:
        data: Key of the data set.
        count: Number of questions.
        seed: Of the sample.
        baseline: Label of the setting that the others are compared with.
    """
    known = strategies()
    compared = sum(one.label != baseline and known[one.strategy].retrieves for one in settings)
    try:
        looks, spread = _earlier(bench, data, count, seed, session.user(bench).owner)
    except LoupeError:  # where it matters, the page says what is wrong with the store or the data set
        return
    if said := beforehand(count, compared, looks + 1, spread):
        st.caption(f":material/straighten: {said}")


@st.cache_data(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False, hash_funcs=BY_DATABASE)
def _earlier(bench: Workbench, data: str, count: int, seed: int, owner: str) -> tuple[int, float | None]:
    """How often these questions were looked at before, and how much questions differed the last time."""
    store = evaluations_of(bench).store
    last = store.last_judged(data, owner)
    if last is None:
        return 0, None
    found = results_of(bench, last)
    spec = found.evaluation.spec
    spread = None if spec.sweep else paired_spread(found.scores, spec.baseline, LEADING[0])
    drawn = sample(data_sets_of(bench).open(data), count, seed)
    return store.looks(data, [one.id for one in drawn.questions], owner), spread
