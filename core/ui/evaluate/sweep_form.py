"""What a new sweep is made of: a data set, a strategy, one of its parameters, and the values."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.corpora.splitting import SMALLEST_CHUNK
from core.errors import LoupeError
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.dataset_indexing import to_index
from core.evaluation.datasets import sample
from core.evaluation.default_retriever import default_of
from core.evaluation.evaluations import ONLY_THE_TEACHER, may_evaluate
from core.evaluation.plan import Setting, Sweep, Value
from core.evaluation.recomputation import recomputable_parameters
from core.evaluation.recorded_set import RECORDED
from core.evaluation.runner import New
from core.evaluation.sweeps import (
    CHUNK,
    OVERLAP,
    RETRIEVER,
    Parameter,
    check_values,
    format_value,
    new,
    parameters,
)
from core.models.choice import ChatChoice
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.skills.model_kind import ModelKind
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.ui.evaluate.covered_line import draw_covered
from core.ui.evaluate.forecast_line import forecast_line
from core.ui.evaluate.form import QUESTIONS, data_set_choice
from core.ui.evaluate.jobs import SWEEP, begin, chat_for
from core.ui.evaluate.noted import draw_noted, noted
from core.ui.forms.params import methods_form, params_form
from core.ui.forms.prompts import edited_prompts, prompts_in_use
from core.ui.forms.retriever_choice import retriever_choice
from core.ui.shell import session
from core.ui.shell.safe import literal
from core.wording import counted

SEED = 0
FIRST = ("k", RETRIEVER)
"""Parameters that a form begins with, if there are any: how many passages a search brings moves the evidence."""


def sweep_form(bench: Workbench) -> None:
    """The form; when it is sent, the sweep comes onto the page."""
    most = bench.backends.embedder.max_tokens
    with st.container(border=True, key="sweep-form"):
        with st.grid(3, min_column_width=240, vertical_alignment="bottom"):
            data = data_set_choice(bench, "sweep-data", last=RECORDED)
            strategy = _strategy()
            parameter = _parameter(strategy, most)
        st.caption(literal(parameter.help))
        values = values_choice(parameter, parameter.suggested, f"sweep-values-{strategy.key}-{parameter.key}")
        with st.grid(3, min_column_width=240, vertical_alignment="bottom"):
            count = st.number_input(
                "Questions",
                1,
                data.questions,
                min(QUESTIONS, data.questions),
                key=f"sweep-count-{data.name}",
                help="A sample, always the same one for the same number.",
            )
            retriever = strategy.retriever or "dense"
            if strategy.choosable and parameter.key != RETRIEVER:
                usual = default_of(bench, data.key, strategy.key, chat_for(bench, data.key))
                retriever = retriever_choice("sweep-retriever", usual)
            only = st.toggle(
                "Retrieval only",
                True,
                key="sweep-only",
                help="Judge the evidence and leave the answer out: fewer model calls, often none.",
            )
        chat = chat_for(bench, data.key)
        base = _base(bench.backends.kind(chat), strategy, parameter, retriever, most)
        try:
            chosen = check_values(base, parameter.key, values, most)
            what = new(
                sample(dataset := data_sets_of(bench).open(data.key), count, SEED),
                base,
                Sweep(parameter=parameter.key, values=chosen),
                most,
                seed=SEED if count < len(dataset.questions) else None,
                retrieval_only=only,
            )
            settled = _forecast(bench, what, chat)
        except LoupeError as error:
            st.warning(literal(str(error)), icon=":material/info:")
            what, settled = None, False
        draw_noted()
        may = may_evaluate(bench.settings, session.user(bench))
        if not may:
            st.warning(ONLY_THE_TEACHER, icon=":material/lock:")
        st.button(
            "Start the sweep",
            type="primary",
            key="sweep-start",
            icon=":material/play_arrow:",
            disabled=what is None or not may or not settled,
            on_click=_start,
            args=(bench, what, chat),
        )


def values_choice(parameter: Parameter, suggested: Sequence[Value], key: str) -> list[str]:
    """The values, as words: those that are suggested to begin with, and of numbers any others."""
    options = [format_value(value) for value in suggested]
    return st.multiselect(
        "Values",
        options,
        default=options,
        key=key,
        accept_new_options=parameter.numeric,
        placeholder="Choose at least two" + (", or write one of your own" if parameter.numeric else ""),
        help=f"The default is {format_value(parameter.default)}: the others are compared with it.",
    )


def _strategy() -> AnyStrategy:
    found = {key: one for key, one in strategies().items() if one.retrieves}
    most = max(found, key=lambda key: len(recomputable_parameters(key)))
    chosen = st.selectbox(
        "Strategy",
        list(found),
        index=list(found).index(most),
        format_func=lambda key: found[key].title,
        key="sweep-strategy",
        persist_state="session",
    )
    return found[chosen]


def _parameter(strategy: AnyStrategy, most: int) -> Parameter:
    found = parameters(strategy, most)
    first = next((place for place, key in enumerate(found) if key in FIRST), 0)
    chosen = st.selectbox(
        "Parameter",
        list(found),
        index=first,
        format_func=lambda key: found[key].title,
        key=f"sweep-parameter-{strategy.key}",
    )
    return found[chosen]


def _base(kind: ModelKind, strategy: AnyStrategy, parameter: Parameter, retriever: str, most: int) -> Setting:
    """The setting whose parameter is swept."""
    with st.popover("Everything else", icon=":material/tune:", key="sweep-settings"):
        st.caption("The same for every value.")
        params = params_form(strategy, "sweep-", without=parameter.key)
        # Whatever the parameter that is swept may come to use.
        methods = methods_form(strategy.skills, kind, "sweep-")
        size = None if parameter.key == CHUNK else _tokens("Chunk size (tokens)", SMALLEST_CHUNK, most, CHUNK)
        overlap = None if parameter.key == OVERLAP else _tokens("Overlap (tokens)", 0, most // 2, OVERLAP)
    prompts = prompts_in_use((SKILLS[key] for key in strategy.skills), methods)
    return Setting(
        label=strategy.key,
        strategy=strategy.key,
        params=params,
        retriever=retriever,
        methods=methods,
        prompts=edited_prompts(prompts),
        chunk_tokens=size,
        overlap_tokens=overlap,
    )


def _tokens(label: str, low: int, high: int, key: str) -> int | None:
    return st.number_input(label, low, high, None, key=f"sweep-{key}", placeholder="The usual one")


def _forecast(bench: Workbench, what: New, chat: ChatChoice) -> bool:
    """What it will take; whether it may begin, see `draw_covered`."""
    count = len(what.dataset.questions)
    lines = [forecast_line(bench, what.settings, count, chat, only=what.retrieval_only) + "."]
    values = len(what.sweep.values) if what.sweep else 0
    if spared := values - len(what.settings):
        lines.append(
            f"**{spared} of {values} values {'is' if spared == 1 else 'are'} recomputed "
            "from stored runs, with no model call.**"
        )
    if sizes := to_index(what.dataset, what.settings, bench.corpora):
        times = f", in {sizes} sizes of chunks" if sizes > 1 else ""
        documents = counted(
            len(what.dataset.documents), "document of the data set is", "documents of the data set are"
        )
        lines.append(f"The {documents} indexed first{times}, which may take some minutes.")
    st.markdown(f":material/speed: {' '.join(lines)}")
    questions = (f"sweep-{what.dataset.key}", count, what.seed or 0)
    return draw_covered(bench, lambda: what.dataset, questions, what.settings, chat, only=what.retrieval_only)


def _start(bench: Workbench, what: New, chat: ChatChoice) -> None:
    with noted():
        st.session_state[SWEEP] = begin(bench, what, chat)
