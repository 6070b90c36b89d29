"""What an evaluation will take, as lines of its form: its forecast, how much of it the recording that plays covers, and
who does the rest, where nobody has said so yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.charts.evaluation_table import number
from core.errors import StoreError
from core.evaluation.datasets import DataSet
from core.evaluation.forecast import Covered, EvaluationForecast, covered, covered_sentence, forecast
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Setting
from core.jobs import Job
from core.models.chat_models import ChatModel
from core.runs.workbench import Workbench
from core.ui.evaluate.cached_results import BY_DATABASE
from core.ui.fixes.ticking import ticking
from core.ui.forms.covered import draw_choice
from core.ui.shell import session
from core.ui.shell.safe import literal
from core.wording import counted, duration

KEPT_SECONDS = 60.0
"""How long what was judged from earlier runs is used before the store is asked again."""
_HASHING = BY_DATABASE | {Setting: Setting.model_dump_json, ChatModel: hash}
_forecast = st.cache_data(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False, hash_funcs=_HASHING)(
    forecast
)


def forecast_line(
    bench: Workbench, settings: Sequence[Setting], questions: int, chat: ChatModel, *, only: bool
) -> str:
    """Runs, calls, tokens, time and cost; our own words. Where a recording plays, the last three are those of the new
    calls, see `draw_covered`.

    Args:
        chat: Which model answers.
        only: Whether the answer is left out.
    """
    found = forecast_of(bench, settings, questions, chat, only=only)
    if found is None:  # where it matters, the page says what is wrong with the store
        return "Forecast: not known now"
    return f"Forecast: {_words(found, costs=chat.play is None)}"


def forecast_of(
    bench: Workbench, settings: Sequence[Setting], questions: int, chat: ChatModel, *, only: bool
) -> EvaluationForecast | None:
    """The forecast with this model; None: the store cannot be read."""
    try:
        return _forecast(
            bench,
            tuple(settings),
            questions,
            retrieval_only=only,
            owners=session.owners(bench),
            chat=chat,
        )
    except StoreError:
        return None


def _words(found: EvaluationForecast, *, costs: bool) -> str:
    runs = counted(found.pairs, "run")
    if not found.calls_most:
        return f"{runs}, no model call, a few seconds"
    calls = counted(found.calls, "model call")
    if found.calls_most > found.calls:
        calls = f"{found.calls:,} to {counted(found.calls_most, 'model call')}"
    if not costs:  # who does what is new may need other numbers of calls, see `draw_covered`
        calls += " as recorded"
    return ", ".join([runs, calls, *(tokens_and_costs(found) if costs else [])])


def tokens_and_costs(found: EvaluationForecast) -> list[str]:
    """Tokens, time and cost, as far as they are known; Markdown of our own words."""
    if found.tokens_in is None or found.tokens_out is None:
        return ["tokens and time: no earlier run to judge from"]
    parts = [f"about {found.tokens_in:,} tokens sent and {found.tokens_out:,} written"]
    if found.seconds:
        parts.append(f"about {duration(found.seconds)}")
    if found.cost is not None:
        parts.append("free" if not found.cost else f"about {number('cost', found.cost)}".replace("$", "\\$"))
    return parts


def draw_covered(
    bench: Workbench,
    open_: Callable[[], DataSet],
    questions: tuple[str, int, int],
    settings: Sequence[Setting],
    chat: ChatModel,
    *,
    only: bool,
) -> bool:
    """Draw how much of it the recording that plays covers, if the settings ask a model; looked up in the background.

    Args:
        bench: Where the recording is.
        open_: Gives the data set with the questions; called in a thread.
        questions: Which these are: key of the data set, their number, and seed of the sample.
        settings: What they are put through.
        chat: Which model answers.
        only: Whether the answer is left out.

    Returns:
        Whether it may begin: nothing is new, or somebody has said who does what is.
    """
    if not any(asks_model(one, only) for one in settings):
        return True
    asked = [one.strategy for one in settings]
    if chat.play is None:
        if session.undecided(bench):
            _ask(bench, asked, "The recording does not cover this data set.")
            return False
        return True
    forecast = forecast_of(bench, settings, questions[1], chat, only=only)
    if forecast is None or not forecast.calls_most:
        return True
    job = glance(
        f"covered-{questions[0]}",
        (questions, tuple(settings), only, chat),
        lambda: Job(covered(bench, open_, settings, retrieval_only=only, chat=chat)),
    )
    found = _result(job)
    if chat.play.missing == "ask" and found and found.whole < max(1, found.questions):
        some = f"The recording covers {found.whole or 'none'} of the {found.questions} questions through every setting."
        _ask(bench, asked, some if found.questions else "The recording does not cover this data set.")
        return False

    def words(job: Job[Covered]) -> str:
        found = _result(job)
        if found is None:
            return "" if job.done else ":material/manage_search: Looking up what is recorded…"
        said = literal(covered_sentence(found, forecast.calls, chat))
        if found.new and chat.play and chat.play.missing == "endpoint":
            said += f" For these: {', '.join(tokens_and_costs(forecast.of_new(found.new)))}."
        return f":material/album: {said}"

    draw_glance(job, words)
    return chat.play.missing != "ask" or found is not None


def _result(job: Job[Covered]) -> Covered | None:
    return job.result() if job.done and not job.stopping and job.error() is None else None


def _ask(bench: Workbench, strategies: list[str], said: str) -> None:
    with st.container(border=True, key="not-covered-evaluation", gap="small"):
        st.markdown(f":material/new_label: **{said}**")
        draw_choice(bench, "evaluation", strategies)


J = TypeVar("J", bound=Job[Any])

AT_ONCE_SECONDS = 0.15
"""How long a page waits for the result, so that what is quick does not come in a second drawing."""
TICK_SECONDS = 0.5


def glance(key: str, asked: object, begin: Callable[[], J]) -> J:
    """The job for what is asked; where the form has changed, the former one is stopped.

    Args:
        key: Of the line, in this session.
        asked: What the result depends on.
        begin: Begins the work.
    """
    known, job = st.session_state.get(key, (None, None))
    if job is None or known != asked:
        if job is not None:
            job.stop()
        job = begin()
        st.session_state[key] = (asked, job)
        job.let_end(AT_ONCE_SECONDS)
    found: J = job
    return found


def draw_glance(job: J, words: Callable[[J], str]) -> None:
    """Draw the line, again and again until the job has ended; then the whole page redraws.

    Args:
        words: Markdown for the job as it is, under way or ended; empty: nothing is to be said.
    """
    ticking(None if job.done else TICK_SECONDS)(_line)(job, words, not job.done)


def _line(job: J, words: Callable[[J], str], ticks: bool) -> None:
    ended = job.done  # asked first: what ends meanwhile is seen by the next tick
    if said := words(job):
        st.caption(said)
    if ended and ticks:
        st.rerun()
