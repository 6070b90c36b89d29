"""The draft of an evaluation and its cost, as lines of its form: the forecast, the part that the recording covers, and
the choice of a model for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.charts.evaluation_table import number
from core.errors import StoreError
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import DataSet, sample
from core.evaluation.forecast import Coverage, EvaluationForecast, coverage_of, coverage_sentence, forecast
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Setting, Sweep
from core.evaluation.runner import New
from core.evaluation.set_store import DataSetEntry
from core.evaluation.sweeps import new_sweep
from core.jobs import Job
from core.models.chat_models import ChatModel
from core.runs.workbench import Workbench
from core.strategies import strategies
from core.ui.evaluate.cached_results import BY_DATABASE
from core.ui.fixes.ticking import ticking
from core.ui.forms.covered import draw_choice
from core.ui.shell import session
from core.ui.shell.safe import literal
from core.wording import counted, duration

KEPT_SECONDS = 60.0
"""Seconds for which a forecast is used before the store is asked again."""
AT_ONCE_SECONDS = 0.15
"""Seconds that a page waits for a look-up, so that a quick one does not come in a second drawing."""
TICK_SECONDS = 0.5
NOT_COVERED = (
    "The recording does not cover this data set: its replies were made with other documents or settings."
)
_HASHING = BY_DATABASE | {Setting: Setting.model_dump_json, ChatModel: hash}
_forecast = st.cache_data(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False, hash_funcs=_HASHING)(
    forecast
)


@dataclass(frozen=True)
class Draft:
    """The choices of the form."""

    data: DataSetEntry
    count: int
    """Questions."""
    seed: int
    settings: Sequence[Setting]
    """Settings that are run."""
    only: bool
    """True if only the search is judged."""
    chat: ChatModel
    baseline: str = ""
    """Label of a setting; empty: that of the default of a sweep."""
    base: Setting | None = None
    """The setting whose parameter is varied, with `sweep`."""
    sweep: Sweep | None = None
    problem: str = ""
    """The reason why it cannot begin; empty: none is known yet."""

    @property
    def asks(self) -> bool:
        """True if a setting asks a model."""
        return any(asks_model(setting, self.only) for setting in self.settings)

    @property
    def comparisons(self) -> int:
        """Number of settings that search and are compared with the baseline."""
        if self.sweep:
            return len(self.sweep.values) - 1
        known = strategies()
        return sum(s.label != self.baseline and known[s.strategy].retrieves for s in self.settings)

    def dataset(self, bench: Workbench) -> DataSet:
        """The data set with the questions of the sample; blocks while it is read."""
        return sample(data_sets_of(bench).open(self.data.id), self.count, self.seed)

    def new(self, bench: Workbench) -> New:
        """The evaluation with the questions of the sample."""
        dataset = self.dataset(bench)
        if self.base and self.sweep:
            return new_sweep(dataset, self.base, self.sweep, seed=self.seed, retrieval_only=self.only)
        return New(dataset, tuple(self.settings), self.seed, self.only, self.baseline)


def forecast_line(bench: Workbench, draft: Draft) -> str:
    """Runs, calls, tokens, time and cost; our own words. Where a recording plays, the last three are those of the new
    calls, see `draw_covered`."""
    estimate = _forecast_of(bench, draft)
    if estimate is None:  # where it matters, the page says what is wrong with the store
        return "Forecast: unknown at the moment"
    runs = counted(estimate.pairs, "run")
    if not estimate.calls_most:
        return f"Forecast: {runs}, no model call, a few seconds"
    calls = counted(estimate.calls, "model call")
    if estimate.calls_most > estimate.calls:
        calls = f"{estimate.calls:,} to {counted(estimate.calls_most, 'model call')}"
    if draft.chat.play:  # who does what is new may need other numbers of calls, see `draw_covered`
        return f"Forecast: {runs}, {calls} as recorded"
    return f"Forecast: {', '.join([runs, calls, *_tokens_and_costs(estimate)])}"


def _forecast_of(bench: Workbench, draft: Draft) -> EvaluationForecast | None:
    """The forecast; None: the store cannot be read."""
    settings, owners = tuple(draft.settings), session.owners(bench)
    try:
        return _forecast(
            bench, settings, draft.count, retrieval_only=draft.only, owners=owners, chat=draft.chat
        )
    except StoreError:
        return None


def _tokens_and_costs(estimate: EvaluationForecast) -> list[str]:
    """Tokens, time and cost, as far as they are known; Markdown of our own words."""
    if estimate.tokens_in is None or estimate.tokens_out is None:
        if estimate.seconds:
            return [f"about {duration(estimate.seconds)} on this machine"]
        return ["tokens and time unknown: there is no earlier run to judge by"]
    parts = [f"about {estimate.tokens_in:,} tokens sent and {estimate.tokens_out:,} written"]
    if estimate.seconds:
        parts.append(f"about {duration(estimate.seconds)}")
    if estimate.cost is not None:
        price = number("cost", estimate.cost).replace("$", "\\$")
        parts.append(f"about {price}" if estimate.cost else "free")
    return parts


def draw_covered(bench: Workbench, draft: Draft) -> bool:
    """Draw how much of it the recording that plays covers, if the settings ask a model; looked up in the background.

    Returns:
        True if it may begin: nothing is new, or somebody has said who does what is.
    """
    play = draft.chat.play
    if not draft.asks or (play is None and not session.undecided(bench)):
        return True
    if play is None:
        _ask(bench, draft, NOT_COVERED)
        return False
    estimate = _forecast_of(bench, draft)
    if estimate is None or not estimate.calls_most:
        return True
    job = _lookup(bench, draft)
    coverage = _result(job)
    if play.missing == "ask" and coverage and coverage.whole < max(1, coverage.questions):
        part = f"{coverage.whole} of the {coverage.questions} questions"
        sentence = f"The recording covers {part} through every setting."
        _ask(bench, draft, sentence if coverage.whole else NOT_COVERED)
        return False

    def line(ticks: bool) -> None:
        ended = job.done  # asked first: what ends meanwhile is seen by the next tick
        if latest := _result(job):
            text = literal(coverage_sentence(latest, estimate.calls, draft.chat))
            if latest.new and play.missing == "endpoint":
                text += f" For these: {', '.join(_tokens_and_costs(estimate.of_new(latest.new)))}."
            st.caption(f":material/album: {text}")
        elif not ended:
            st.caption(":material/manage_search: Looking up what is recorded…")
        if ended and ticks:
            st.rerun()

    # Again and again until the job has ended; then the whole page redraws.
    ticking(None if job.done else TICK_SECONDS)(line)(not job.done)
    return play.missing != "ask" or coverage is not None


def _lookup(bench: Workbench, draft: Draft) -> Job[Coverage]:
    """The job that looks up what is recorded; where the form has changed, the former one is stopped."""
    key = f"covered-{draft.data.id}"
    inputs = (draft.count, draft.seed, tuple(draft.settings), draft.only, draft.chat)
    earlier, former = st.session_state.get(key, (None, None))
    if former is not None and earlier == inputs:
        job: Job[Coverage] = former
        return job
    if former is not None:
        former.stop()
    settings, only = draft.settings, draft.only
    job = Job(
        coverage_of(bench, lambda: draft.dataset(bench), settings, retrieval_only=only, chat=draft.chat)
    )
    st.session_state[key] = (inputs, job)
    job.wait(AT_ONCE_SECONDS)
    return job


def _result(job: Job[Coverage]) -> Coverage | None:
    return job.result() if job.done and not job.stopping and job.error() is None else None


def _ask(bench: Workbench, draft: Draft, sentence: str) -> None:
    with st.container(border=True, key="not-covered-evaluation", gap="small"):
        st.markdown(f":material/new_label: **{sentence}**")
        draw_choice(bench, "evaluation", [setting.strategy for setting in draft.settings])
