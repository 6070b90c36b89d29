"""How much of an evaluation the recording that plays covers, as a line of its form; and who does the rest, where nobody
has said so yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from core.evaluation.datasets import DataSet
from core.evaluation.forecast_recorded import Covered, CoveredJob, covered_sentence
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Setting
from core.models.choice import ChatChoice
from core.runs.workbench import Workbench
from core.ui.evaluate.forecast_line import forecast_of, tokens_and_costs
from core.ui.forms.covered import draw_choice
from core.ui.forms.glances import draw_glance, glance
from core.ui.shell import session
from core.ui.shell.safe import literal


def draw_covered(
    bench: Workbench,
    open_: Callable[[], DataSet],
    questions: tuple[str, int, int],
    settings: Sequence[Setting],
    chat: ChatChoice,
    *,
    only: bool,
) -> bool:
    """Draw it where a recording plays, and the settings ask a model; looked up in the background.

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
        lambda: CoveredJob(bench, open_, settings, retrieval_only=only, chat=chat),
    )
    found = _result(job)
    if chat.play.missing == "ask" and found and found.whole < max(1, found.questions):
        some = f"The recording covers {found.whole or 'none'} of the {found.questions} questions through every setting."
        _ask(bench, asked, some if found.questions else "The recording does not cover this data set.")
        return False

    def words(job: CoveredJob) -> str:
        found = _result(job)
        if found is None:
            return "" if job.done else ":material/manage_search: Looking up what is recorded…"
        said = literal(covered_sentence(found, forecast.calls, chat))
        if found.new and chat.play and chat.play.missing == "endpoint":
            said += f" For these: {', '.join(tokens_and_costs(forecast.of_new(found.new)))}."
        return f":material/album: {said}"

    draw_glance(job, words)
    return chat.play.missing != "ask" or found is not None


def _result(job: CoveredJob) -> Covered | None:
    return job.result() if job.done and not job.stopping and job.error() is None else None


def _ask(bench: Workbench, strategies: list[str], said: str) -> None:
    with st.container(border=True, key="not-covered-evaluation", gap="small"):
        st.markdown(f":material/new_label: **{said}**")
        draw_choice(bench, "evaluation", strategies)
