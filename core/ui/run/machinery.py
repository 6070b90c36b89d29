"""The machinery of a run, folded: timeline, methods, and every model call with its exact messages."""

from __future__ import annotations

import streamlit as st

from core.cards.models import NOT_USED, methods_chosen, prompts_chosen
from core.cards.recorded import ICON, call_mark, call_source
from core.charts.timeline import reading, timeline
from core.runs.record import Call, Record
from core.skills import skill_title
from core.ui.shell.safe import literal
from core.ui.shell.widgets import draw_chart


def draw_machinery(record: Record, key: str) -> None:
    """Everything behind the cards; drawn only while it is unfolded."""
    calls = record.calls
    before = sum(call.inherited for call in calls)
    taken = f", and {before} before the change" if before else ""
    fold = st.expander(
        f"Under the hood: timeline, methods, model calls ({len(calls) - before}{taken})",
        icon=":material/build:",
        key=f"machinery-{key}",
        on_change="rerun",
    )
    if not fold.open:
        return
    with fold:
        draw_chart(
            timeline(record), f"timeline-{key}", "When each step and each model call ran", reading(record)
        )
        _methods(record)
        _prompts(record, key)
        st.markdown("**Model calls**")
        if not calls:
            st.caption("No model was asked in this run.")
        for number, call in enumerate(calls, 1):
            _call(call, number, key)


def _methods(record: Record) -> None:
    chosen = methods_chosen(record)
    if chosen:
        lines = (
            f"- {literal(one.skill)}: {literal(one.method)}{'' if one.used else f' :gray[({NOT_USED})]'}"
            for one in chosen
        )
        st.markdown("\n".join(["**Methods**", "", *lines]))


def _prompts(record: Record, key: str) -> None:
    """The prompts of the run, those that are not the app's present ones marked."""
    for prompt in prompts_chosen(record):
        changed = ", not the app's present one" if prompt.changed else ""
        changed += "" if prompt.used else f", {NOT_USED}"
        with st.expander(f"Prompt: {literal(prompt.title)}{changed}", key=f"prompt-{key}-{prompt.key}"):
            st.code(prompt.text, language=None, wrap_lines=True)


def _call(call: Call, number: int, key: str) -> None:
    took = "under way" if call.end is None else f"{call.end - call.start:.2f} s"
    written = (
        "not counted"
        if call.usage.output is None
        else f"{call.usage.input or 0} → {call.usage.output} tokens"
    )
    told = f" · :material/{ICON}: {mark}" if (mark := call_mark(call)) else ""
    label = f"{number}. {literal(skill_title(call.skill))} · {took} · {written} · {call.state}{told}"
    with st.expander(label, key=f"call-{key}-{number}"):
        st.caption(f"Model {literal(call.model)}, method {literal(call.method)}{literal(call_source(call))}")
        for message in call.messages:
            st.caption(f"{message.role} message")
            st.code(message.content, language=None, wrap_lines=True)
        st.caption("Output")
        st.code(call.output or " ", language=None, wrap_lines=True)
        if call.error:
            st.error(literal(call.error))
        if call.retry:
            st.caption(f"Tried again after {call.retry.wait:.1f} s: {literal(call.retry.reason)}")
        if call.sampling:
            st.caption("Sampling, as sent")
            st.json(call.sampling, expanded=1)
