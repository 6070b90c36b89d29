"""The machinery of a run, folded: timeline, every model call with its exact messages, methods, totals."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.runs.record import Call, Record
from core.skills import SKILLS
from core.ui.safe import literal
from core.ui.theme import reading_aid
from core.views.timeline import timeline


def draw_totals(record: Record) -> None:
    """Calls, rounds, tokens, seconds, each with how it is counted."""
    totals = record.totals
    unsure = "" if totals.tokens_known else "≥ "
    with st.grid(4, min_column_width=72, gap="small"):
        st.metric("Model calls", totals.calls, help="Calls sent to the chat model, failed tries included.")
        st.metric(
            "Rounds", totals.rounds,
            help="The longest chain of calls that had to wait for one another. With a call of latency L, "
            "the run cannot be faster than rounds × L.",
        )  # fmt: skip
        st.metric(
            "Tokens", f"{unsure}{totals.tokens_in + totals.tokens_out:,}",
            help=f"As the endpoint counted them: {totals.tokens_in:,} read and {totals.tokens_out:,} written."
            + ("" if totals.tokens_known else " For some calls it did not say."),
        )  # fmt: skip
        st.metric(
            "Seconds", f"{totals.seconds:.2f}",
            help=f"From the question to the last event. For {totals.model_seconds:.2f} s at least one model "
            "call was under way; the rest is searching and our own work.",
        )  # fmt: skip


def draw_machinery(record: Record, titles: Mapping[str, str], key: str) -> None:
    """Everything behind the cards; drawn only while it is unfolded.

    Args:
        record: The run so far.
        titles: Node -> what it is called on screen.
        key: Unique on the page and stable between redraws.
    """
    calls = record.calls
    fold = st.expander(
        f"Under the hood: timeline, methods, model calls ({len(calls)})",
        icon=":material/build:",
        key=f"machinery-{key}",
        on_change="rerun",
    )
    if not fold.open:
        return
    with fold:
        st.plotly_chart(
            timeline(record, titles),
            key=f"timeline-{key}",
            config={"displayModeBar": False},
            alt="When each step and each model call ran",
        )
        reading_aid(
            "Bars above one another ran at the same time; a bar that begins where another ends waited for it."
        )
        _methods(record)
        _prompts(record, key)
        st.markdown("**Model calls**")
        if not calls:
            st.caption("No model was asked in this run.")
        for number, call in enumerate(calls, 1):
            _call(call, number, key)


def _methods(record: Record) -> None:
    chosen = record.started.methods if record.started else {}
    lines = []
    for key, method in chosen.items():
        skill = SKILLS.get(key)
        title = next((m.title for m in skill.methods if m.key == method), method) if skill else method
        lines.append(f"- {literal(skill.title if skill else key)}: {literal(title)}")
    if lines:
        st.markdown("\n".join(["**Methods used**", "", *lines]))


def _prompts(record: Record, key: str) -> None:
    """The prompts of the run, those that a user changed marked."""
    for name, text in (record.started.prompts if record.started else {}).items():
        skill = SKILLS.get(name.partition(".")[0])
        changed = skill is not None and skill.prompts().get(name) not in (None, text)
        label = (
            f"Prompt: {literal(skill.title if skill else name)}{', changed for this run' if changed else ''}"
        )
        with st.expander(label, key=f"prompt-{key}-{name}"):
            st.code(text, language=None, wrap_lines=True)


def _call(call: Call, number: int, key: str) -> None:
    skill = SKILLS.get(call.skill)
    took = "under way" if call.end is None else f"{call.end - call.start:.2f} s"
    written = (
        "not counted"
        if call.usage.output is None
        else f"{call.usage.input or 0} → {call.usage.output} tokens"
    )
    label = f"{number}. {literal(skill.title if skill else call.skill)} · {took} · {written} · {call.state}"
    with st.expander(label, key=f"call-{key}-{number}"):
        st.caption(f"Model {literal(call.model)}, method {literal(call.method)}")
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
