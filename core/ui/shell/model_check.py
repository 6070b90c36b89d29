"""What the chosen model can do, as far as it was checked, and the offer to check it; it is never checked unasked."""

from __future__ import annotations

from concurrent.futures import CancelledError
from contextlib import suppress

import streamlit as st

from core.errors import LoupeError
from core.models.choice import ChatChoice
from core.runs.model_checks import CheckJob
from core.runs.workbench import Workbench
from core.skills import SKILLS
from core.skills.checking.items import items
from core.skills.checking.results import CheckResult
from core.ui.fixes.ticking import ticking
from core.ui.shell import session
from core.ui.shell.local_time import moment
from core.ui.shell.safe import literal
from core.wording import counted, duration

TICK_SECONDS = 0.5
UNEXPECTED = "The check ended with an unexpected error; the server's log says more. Nothing was changed."
_ERROR = "model-check-error"


def checking(bench: Workbench, chat: ChatChoice) -> None:
    """How far a check of this model is, while one goes on."""
    checks = bench.backends.checks
    with suppress(LoupeError):
        job = checks.job(chat)
        if job is not None and not job.done:
            st.caption("Finding out what the model can do")
            _watch_check(job, may=checks.may(chat, session.user(bench)))


def model_check(bench: Workbench, chat: ChatChoice) -> None:
    """What a model can do, or the offer to find out; nothing for one that is known, as the built-in one is, nor while a
    check goes on.

    Args:
        bench: What there is.
        chat: Which model is meant.
    """
    checks = bench.backends.checks
    try:
        if checks.mark(chat) is None:
            return
        job, result = checks.job(chat), checks.result(chat)
    except LoupeError:
        return  # whoever asks the model is told the same
    may = checks.may(chat, session.user(bench))
    if (not may and result is None) or (job is not None and not job.done):
        return
    title = f"What it can do: {_passed(result)}" if result else "What can it do?"
    with st.expander(
        title, key="model-check", icon=":material/fact_check:", expanded=bool(job and not result)
    ):
        if job is not None:
            _ended(job)
        if error := st.session_state.pop(_ERROR, ""):
            st.error(literal(error))
        if result is None:
            st.caption(
                "Nobody has checked this model yet, so it does every step. A check asks it questions with known "
                "answers; steps that it cannot do are then done by simpler methods."
            )
        else:
            _result(result)
        if may:
            _buttons(bench, chat, result)


def _passed(result: CheckResult) -> str:
    return f"{sum(one.passed for one in result.probes)} of {len(result.probes)}"


def _buttons(bench: Workbench, chat: ChatChoice, result: CheckResult | None) -> None:
    calls = counted(bench.backends.checks.calls, "call")
    if result is None:
        st.caption(f"About a minute, {calls}; longer on a slow machine.")
    st.button(
        "Check what it can" if result is None else "Check again",
        key="model-check-start",
        icon=":material/play_arrow:",
        width="stretch",
        on_click=_start,
        args=(bench, chat),
        help=f"{calls}, which cost what calls cost.",
    )
    if result is not None:
        st.button(
            "Let it do every step",
            key="model-check-forget",
            width="stretch",
            on_click=_forget,
            args=(bench, chat),
            help="Forgets the check. Single steps are chosen under “Parameters and methods”.",
        )


def _start(bench: Workbench, chat: ChatChoice) -> None:
    try:
        bench.backends.checks.start(chat, session.user(bench))
    except LoupeError as error:
        st.session_state[_ERROR] = str(error)


def _forget(bench: Workbench, chat: ChatChoice) -> None:
    try:
        bench.backends.checks.forget(chat, session.user(bench))
    except LoupeError as error:
        st.session_state[_ERROR] = str(error)


@ticking(TICK_SECONDS)
def _watch_check(job: CheckJob, *, may: bool) -> None:
    """How far it is, with a Stop button; the whole page redraws when it has ended, since methods may be others."""
    ended = job.done  # asked first: what ends meanwhile is seen by the next tick
    st.progress(min(1.0, job.share), text=literal(job.message))
    if may:
        st.button(
            "Stop", key="model-check-stop", icon=":material/stop:", disabled=job.stopping, on_click=job.stop
        )
    if ended:
        st.rerun()


def _ended(job: CheckJob) -> None:
    """Why there is no result, if there is none."""
    if error := job.error():
        st.error(literal(str(error)) if isinstance(error, LoupeError) else UNEXPECTED)
        return
    with suppress(CancelledError):
        job.result()
        return
    st.caption("Stopped. Nothing was changed.")


def _result(result: CheckResult) -> None:
    """What it can and what it cannot, and who does that then."""
    can = [literal(one.does) for one in result.probes if one.passed]
    cannot = [literal(one.does) for one in result.probes if not one.passed]
    said = f"**It can** {', '.join(can)}." if can else "**It can** do nothing of what was asked."
    if cannot:
        said += f"\n\n**It cannot** {', '.join(cannot)}. Simpler methods do these steps."
    st.caption(said)
    if result.version != items().version:
        st.caption("It was checked with earlier questions than today's: check it again.")
    with st.expander("Step by step", key="model-check-steps", icon=":material/list:"):
        _steps(result)


def _steps(result: CheckResult) -> None:
    """Each ability with what was right, and each step that another method does."""
    rows = sorted(result.probes, key=lambda one: one.passed)
    st.dataframe(
        {
            "It can": ["yes" if one.passed else "no" for one in rows],
            "What": [one.does for one in rows],
            "Right": [f"{one.right} of {one.asked}" for one in rows],
        },
        hide_index=True,
        key="model-check-abilities",
    )
    if replaced := list(result.replaced()):
        st.dataframe(
            {
                "Step": [SKILLS[key].title for key, _, _ in replaced],
                "Done by": [method.title for _, _, method in replaced],
            },
            hide_index=True,
            key="model-check-methods",
        )
    if helpless := result.helpless():
        titles = ", ".join(SKILLS[key].title for key in helpless)
        st.caption(literal(f"There is no other method for: {titles}. The model does them, and may fail."))
    st.caption(
        f"Checked on {moment(result.created, '%d %B %Y')} in {duration(result.seconds)}. Where too many were wrong, "
        "the rest was not asked. Whoever picks a method for a run, under “Parameters and methods”, has that one."
    )
