"""The forecast of an evaluation in words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.charts.differences import number
from core.errors import StoreError
from core.evaluation.forecast import EvaluationForecast, forecast
from core.evaluation.plan import Setting
from core.models.choice import ChatChoice
from core.runs.workbench import Workbench
from core.ui.evaluate.cached_results import BY_DATABASE
from core.ui.shell import session
from core.wording import counted, duration

KEPT_SECONDS = 60.0
"""How long what was judged from earlier runs is used before the store is asked again."""
_HASHING = BY_DATABASE | {Setting: Setting.model_dump_json, ChatChoice: hash}
_forecast = st.cache_data(ttl=KEPT_SECONDS, max_entries=200, show_spinner=False, hash_funcs=_HASHING)(
    forecast
)


def forecast_line(
    bench: Workbench, settings: Sequence[Setting], questions: int, chat: ChatChoice, *, only: bool
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
    bench: Workbench, settings: Sequence[Setting], questions: int, chat: ChatChoice, *, only: bool
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
