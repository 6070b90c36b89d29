"""Question by question: tiles and failures; one click leads to the runs of a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from core.charts.evaluation_grid import failure_chart, failures, gold_kept, heat_map, stages_drawn
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.failure_stages import STAGES, Outcome
from core.runs.workbench import Workbench
from core.ui.evaluate.cached_results import EvaluationResults
from core.ui.evaluate.question_results import draw_question
from core.ui.shell.listing import listing
from core.ui.shell.theme import draw_chart, reading_aid

NOTHING_FAILED = (
    "Where it failed is not drawn: no answer was judged, and no question is known to have lost all of its evidence "
    "before one."
)


def draw_tiles(bench: Workbench, found: EvaluationResults, key: str) -> None:
    """A tile per question and setting; the one that is chosen opens below."""
    texts = {question.id: question.text for question in found.evaluation.questions}
    st.markdown("### Question by question")
    event = st.plotly_chart(
        heat_map(found.scores, key, texts, found.look),
        key=f"tiles-{found.name}-{key}",
        config={"displayModeBar": False},
        on_select="rerun",
        selection_mode="points",
        alt="A tile for each question and setting",
    )
    reading_aid(
        "A column is one question, the hardest for all on the left; the lighter a tile, the higher the value. Click a "
        "tile to see what became of the question and to open its runs."
    )
    if cell := _chosen(event["selection"]["points"], found):
        draw_question(bench, found, cell, key, "tile")


def _chosen(points: Sequence[Mapping[str, object]], found: EvaluationResults) -> tuple[str, str] | None:
    """Id of the question and label of the setting that the browser says was clicked, if there is such a tile."""
    custom = points[0].get("customdata") if points else None
    if not isinstance(custom, Sequence) or len(custom) != 2:
        return None
    question, label = str(custom[0]), str(custom[1])
    return (question, label) if question in found.scores.get(label, {}) else None


def draw_failures(bench: Workbench, found: EvaluationResults) -> None:
    """How many questions were lost at which step, and which ones."""
    if not any(found.stages.values()):
        return
    if not stages_drawn(found.stages):
        st.caption(f":material/info: {NOTHING_FAILED}")
        return
    st.markdown("### Where it failed")
    draw_chart(
        failure_chart(found.stages, found.look),
        f"stages-{found.name}",
        "How many questions failed at which step",
        "Each question counts once, at the first step where it went wrong: the search, the choice of what is given to "
        "the answer, its use, the answer itself.",
    )
    if rows := failures(found.stages, found.evaluation.questions):
        _failures(bench, found, rows)


def _failures(
    bench: Workbench, found: EvaluationResults, rows: Sequence[tuple[LabelledQuestion, str, Outcome]]
) -> None:
    stages = [stage for stage in STAGES if any(outcome.stage == stage for *_, outcome in rows)]
    wanted = st.pills(
        "Only",
        stages,
        format_func=str.capitalize,
        key=f"stage-{found.name}",
        help="Show only what failed at this step.",
    )
    shown = [row for row in rows if wanted in (None, row[2].stage)]
    if wanted:
        st.caption(STAGES[wanted])
    place = listing(
        f"failures-{found.name}-{wanted}",
        {
            "Question": [question.text for question, *_ in shown],
            "Setting": [label for _, label, _ in shown],
            "Where it failed": [outcome.stage for *_, outcome in shown],
            "Gold documents": [gold_kept(outcome) for *_, outcome in shown],
        },
        alt="Questions that failed",
        hint="Click one to see what became of it and to open its runs.",
        config={
            "Question": st.column_config.Column(width=430),
            "Setting": st.column_config.Column(width=170),
            "Where it failed": st.column_config.Column(width=190),
        },
    )
    if place is not None:
        question, label, _ = shown[place]
        draw_question(bench, found, (question.id, label), "", "failure")


def failed_runs(found: EvaluationResults) -> None:
    """Runs that ended with an error; they are tried again with Continue."""
    failed = found.outcomes.failed
    if not failed:
        return
    texts = {question.id: question.text for question in found.evaluation.questions}
    settings = found.evaluation.spec.settings
    with st.expander(
        f"{len(failed)} failed: they count in no metric until they are tried again", icon=":material/error:"
    ):
        # Cells of a data frame are drawn as text, so nothing needs escaping here.
        st.dataframe(
            [
                {"Setting": settings[place].label, "Question": texts[question], "Why": error}
                for (place, question), error in failed.items()
            ],
            hide_index=True,
            key=f"failed-{found.name}",
            alt="Failed runs",
        )
