"""The forecast of a run: the line beside Ask, and below it, where that is minutes, what would make the run shorter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.errors import InputError, StoreError
from core.models.chat_models import ChatModel
from core.models.endpoint import is_here
from core.models.recordings.covers import Cover
from core.runs.forecast import (
    JUDGED_RUNS,
    PastTokens,
    Saving,
    call_seconds,
    run_forecast,
    savings,
    similar_tokens,
    time_sentence,
)
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.strategies import get_strategy
from core.strategies.costs import Forecast, unknown
from core.ui.forms.params import param_key
from core.ui.shell import address, session
from core.wording import counted, time_span

FORECAST_HELP = (
    "Calls of one round run at the same time. The usual and the largest number of calls and rounds are counted from "
    "the strategy's graph and the chosen methods, without retries. Tokens are estimated from your newest finished "
    f"runs of this strategy with this model, at most {JUDGED_RUNS}: the median per call, sent and written, times the "
    "expected calls. For a model on this machine, the time follows from the speed of its newest calls; for a "
    "strategy that it has not run yet, the tokens per call are taken from the recording that comes with the app."
)
JUDGED_SECONDS = 60.0
"""How long what was judged from earlier runs is used before the store is asked again."""
LONG_SECONDS = 60.0
"""From here on a run is long enough to say what would make it shorter."""
_PAST = "past-tokens"


@dataclass(frozen=True)
class RunOutlook:
    """The expected cost of a run."""

    line: str = ""
    """In our own words; empty: nothing is known."""
    forecast: Forecast | None = None
    """With its time; None: that is not known."""
    seconds: Callable[[str], float] = unknown
    """The seconds of a call of a skill."""


def forecast_of(bench: Workbench, request: RunRequest, cover: Cover | None) -> RunOutlook:
    """Return the cost of a run in model calls, time and tokens. It is empty for parameters that cannot be used, and
    where the built-in model may take over, which needs other calls than those recorded; `cover` is the part of it that
    the recording that plays holds."""
    play = request.chat.play
    if play and cover and cover.run is None and play.missing != "endpoint":
        return RunOutlook()
    if cover and cover.run and cover.run.calls is not None:
        calls = cover.run.calls
        return RunOutlook(f"{counted(calls, 'model call')}, as recorded" if calls else "no model calls")
    past = None if play else _past(bench, request)
    try:
        seconds = call_seconds(bench.backends, request.chat, past) if past else None
        forecast = run_forecast(bench.backends, request, seconds or unknown)
    except (InputError, StoreError):  # where it matters, the page says what is wrong with the store
        return RunOutlook()
    if not forecast.calls_most:
        return RunOutlook(f"no model calls. {_instead(bench, request)}")
    if not forecast.calls_expected:
        return RunOutlook(f"usually no model calls, at most {forecast.calls_most}")
    line = f"{counted(forecast.calls_expected, 'model call')} in {counted(forecast.rounds, 'round')}"
    if forecast.calls_most > forecast.calls_expected:
        line = f"usually {line}, at most {forecast.calls_most} in {forecast.rounds_most}"
    if past is None:
        return RunOutlook(line)
    tokens = _tokens(past.own, forecast.calls_expected)
    if seconds is None:
        return RunOutlook(f"{line}; {tokens}{_unmeasured(bench, request.chat)}")
    time = time_sentence(forecast, seconds.speed)
    return RunOutlook("; ".join([time, line, *([tokens] if past.own.runs else [])]), forecast, seconds)


def draw_savings(bench: Workbench, request: RunRequest, outlook: RunOutlook) -> None:
    """Draw, below a forecast of minutes, which parameters save most of them, as buttons that set these."""
    forecast = outlook.forecast
    if forecast is None or forecast.seconds_most < LONG_SECONDS:
        return
    found, strategy = savings(bench.backends, request, outlook.seconds), get_strategy(request.strategy)
    if not found:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="savings"):
        st.caption(":material/hourglass_top: Shorter with:", width="content")
        for saving in found:
            field = strategy.params.model_fields[saving.name]
            st.button(
                _label(field.title or saving.name, saving),
                key=f"save-{saving.name}",
                on_click=st.session_state.__setitem__,
                args=(param_key(strategy, saving.name), saving.value),
                help=field.description,
            )


def _label(title: str, saving: Saving) -> str:
    """The parameter with its lower value, and the time that this saves."""
    value = "off" if saving.value is False else str(saving.value)
    saved = time_span(saving.usual, saving.most).removeprefix("about ")
    if saving.usual < 1:
        saved = f"up to {time_span(saving.most, saving.most).removeprefix('about ')}"
    return f"{title}: {value} ({saved} less)"


def _instead(bench: Workbench, request: RunRequest) -> str:
    """Return the reason why no model is asked."""
    if bench.backends.kind(request.chat).builtin:
        return "The built-in model is too small here; simpler methods are used"
    return "Other methods do every step, see “Parameters and methods”"


def _unmeasured(bench: Workbench, chat: ChatModel) -> str:
    """Return why no time is said of a model of this machine; empty of any other, and of the built-in one, which answers
    within seconds."""
    if chat.is_builtin(bench.settings) or not is_here(chat.server(bench.settings)):
        return ""
    return "; time not known yet: the first question measures it"


def _past(bench: Workbench, request: RunRequest) -> PastTokens:
    """Return the tokens of earlier runs; the store is asked again when strategy or model are others, a run has ended,
    and once a minute."""
    chat, strategy = request.chat, request.strategy
    builtin, model = chat.is_builtin(bench.settings), chat.name(bench.settings)
    run = address.read_param(address.RUN)
    job = bench.launcher.job(run) if run else None
    before = st.session_state.get(_PAST)
    ended = run if job is None or job.stored else before[0][-1] if before else None

    def read() -> PastTokens:
        try:
            return similar_tokens(bench.store, session.owners(bench), strategy, model, builtin=builtin)
        except StoreError:  # where it matters, the page says what is wrong with the store
            return PastTokens(0)

    return session.recall(_PAST, (strategy, builtin, model, ended), read, JUDGED_SECONDS)


def _tokens(past: PastTokens, calls: int) -> str:
    if not past.runs:
        return "tokens unknown: no earlier run to judge from"
    sent, written = past.of(calls)
    return (
        f"about {sent:,} tokens sent and {written:,} written, judged from {counted(past.runs, 'earlier run')}"
    )
