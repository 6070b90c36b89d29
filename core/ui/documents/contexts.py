"""Whether a model writes a context for each chunk that is indexed: the choice, its prompt, and what it will take."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import streamlit as st

from core.errors import LoupeError
from core.runs.allowances import ONLY_THE_TEACHER_SPENDS
from core.runs.sources.context_forecast import ContextForecast, said_forecast
from core.runs.sources.context_writing import NEEDS_ENDPOINT, PROMPT, ContextOptions
from core.runs.workbench import Workbench
from core.skills.base import MODEL
from core.skills.situate import SITUATE
from core.ui.forms.prompts import edited_prompts, prompts_fold, prompts_in_use
from core.ui.shell import session
from core.ui.shell.safe import literal

NONE, WRITTEN = "None", "Written by the model"
HELP = (
    "One or two sentences that say what a chunk is about: whom “he” means, which year, which section. Vector and "
    "keywords of the chunk count them; answers are given the chunk alone. They help where chunks lean on what stands "
    "before them, and cost a model call for up to twelve chunks of a document. A document of one chunk needs none."
)
FORECAST_HELP = (
    "Tokens sent are those of the documents, counted as the embedding model does, with the prompt; written ones and "
    "time are judged by this model's earlier calls. Replies are kept: what is stopped or fails goes on from there."
)
_FORECASTS = "context-forecasts"


def contexts_choice(
    bench: Workbench, key: str, mark: Hashable, forecast: Callable[[str], ContextForecast] | None
) -> ContextOptions | None:
    """The choice; None: no contexts.

    Args:
        bench: Says which model there is.
        key: Ends the keys of the widgets.
        mark: The same as long as the forecast is.
        forecast: What it will take, by the name of the model; reads documents. None: none are chosen yet.
    """
    builtin = session.kind_for_work(bench).builtin
    may = bench.allowances.may_spend(session.user(bench), session.chat_for_work(bench))
    chosen = st.segmented_control(
        "Context for each chunk",
        [NONE, WRITTEN],
        default=NONE,
        required=True,
        key=f"contexts-{key}",
        help=HELP,
        disabled=builtin or not may,
    )
    if builtin or not may:
        st.caption(f":material/lock: {NEEDS_ENDPOINT if builtin else ONLY_THE_TEACHER_SPENDS}")
        return None
    if chosen != WRITTEN:
        return None
    used = prompts_in_use([SITUATE], {SITUATE.key: MODEL})
    prompts_fold(used)
    _forecast(bench, mark, forecast)
    return own_contexts(bench)


def own_contexts(bench: Workbench) -> ContextOptions:
    """How this session has contexts written: by its endpoint and its prompt."""
    used = prompts_in_use([SITUATE], {SITUATE.key: MODEL})
    return ContextOptions(session.chat_for_work(bench), edited_prompts(used).get(PROMPT, ""))


def _forecast(bench: Workbench, mark: Hashable, forecast: Callable[[str], ContextForecast] | None) -> None:
    if forecast is None:
        st.caption(":material/schedule: Choose files to see what it will take.")
        return
    model = session.chat_for_work(bench).name(bench.settings)
    kept: tuple[Hashable, ContextForecast] | None = st.session_state.get(_FORECASTS)
    if kept is None or kept[0] != (mark, model):
        try:
            with st.spinner("Counting…"):
                kept = ((mark, model), forecast(model))
        except LoupeError as error:
            st.warning(literal(str(error)))
            return
        st.session_state[_FORECASTS] = kept
    st.caption(f":material/schedule: {literal(said_forecast(kept[1]))}", help=FORECAST_HELP)
