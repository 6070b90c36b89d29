"""An evaluation as it may have ended: one setting clearly better, one not, one that failed on a question."""

from __future__ import annotations

from datetime import UTC, datetime

from core.evaluation.datasets import LabelledQuestion
from core.evaluation.plan import Evaluation, Outcomes, Pair, Result, Setting, Spec, Trail
from core.trace.artefacts import Answer

BASE, GOOD, SAME = "Dense", "Hybrid", "Keyword"


def evaluation(
    text: str = "Who?",
    answer: str = "Larry Cohen",
    labels: tuple[str, str, str] = (BASE, GOOD, SAME),
    count: int = 40,
) -> tuple[Evaluation, Outcomes]:
    """So many questions through three settings.

    Args:
        text: Of every question.
        answer: That the second setting gives; the right one is Larry Cohen.
        labels: Of the settings: the baseline, one that finds more, one that finds as much.
        count: How many questions, at least 4.
    """
    questions = tuple(
        LabelledQuestion(
            f"q{i}", f"{text} {i}", "bridge" if i % 2 else "comparison", ("Larry Cohen",), {"gold": 1}
        )
        for i in range(count)
    )
    done: dict[Pair, Result] = {}
    for i, question in enumerate(questions):
        found = ("gold", "other") if i % 4 == 0 else ("other",)
        trail = Trail(retrieved=("gold",), given=("gold",)) if i % 4 == 0 else Trail()
        wrong = Answer(text="George Marshall")
        done[0, question.id] = Result(
            ranking=found, trail=trail, answer=wrong, calls=1, seconds=1.0, run=f"run-{i}"
        )
        done[1, question.id] = Result(
            ranking=("gold",), trail=Trail(retrieved=("gold",), given=("gold",), cited=("gold",)),
            answer=Answer(text=answer), supported=True, calls=2, tokens_in=100, tokens_out=10, seconds=2.0,
        )  # fmt: skip
        done[2, question.id] = Result(ranking=found, trail=trail, answer=wrong, calls=1, seconds=1.0)
    del done[2, "q3"]
    spec = Spec(
        dataset="Set",
        dataset_key="k",
        corpus="Data set: Set",
        corpus_id="c",
        corpus_version=1,
        settings=tuple(
            Setting(label=label, strategy=key)
            for label, key in zip(labels, ("plain", "multi-query", "hyde"), strict=True)
        ),
        seed=7,
        baseline=labels[0],
        model="scripted",
    )
    made = Evaluation("id", "me", datetime(2026, 1, 2, tzinfo=UTC), spec, questions, "finished")
    return made, Outcomes(done, {(2, "q3"): "The endpoint refused."})
