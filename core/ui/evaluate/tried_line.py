"""How many calls of an evaluation are new to the recording that plays, as a line of its form."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.evaluation.datasets import DataSet
from core.evaluation.forecast_recorded import Trying, tried_sentence
from core.evaluation.plan import Setting
from core.runs.workbench import Workbench
from core.ui.evaluate.forecast_line import forecast_of, tokens_and_costs
from core.ui.forms.glances import draw_glance, glance
from core.ui.shell import session
from core.ui.shell.safe import literal


def draw_tried(
    bench: Workbench,
    open_: Callable[[], DataSet],
    questions: tuple[str, int, int],
    settings: Sequence[Setting],
    *,
    only: bool,
) -> None:
    """Draw it where a recording plays, and the settings ask a model; found out in the background.

    Args:
        open_: Gives the data set with the questions; called in a thread.
        questions: Which these are: key of the data set, their number, and seed of the sample.
        only: Whether the answer is left out.
    """
    chat, count = session.chat_for_work(bench), questions[1]
    forecast = forecast_of(bench, settings, count, only=only)
    if chat.play is None or forecast is None or not forecast.calls_most:
        return
    key = "tried-" + questions[0]
    job = glance(
        key,
        (questions, tuple(settings), only, chat),
        lambda: Trying(bench, open_, settings, retrieval_only=only, chat=chat),
    )

    def words(job: Trying) -> str:
        if not job.done:
            done, every = job.progress
            return (
                f":material/manage_search: Trying what is recorded: {done} of {every} runs" if every else ""
            )
        if job.stopping or job.error() is not None:
            return ""
        found = job.result()
        said = literal(tried_sentence(found, count, forecast.calls, chat))
        if found.new and chat.play and chat.play.missing == "endpoint":
            said += f" For these: {', '.join(tokens_and_costs(forecast.of_new(found.new)))}."
        return f":material/manage_search: {said}"

    draw_glance(job, words)
