"""An evaluation as it may have ended: one setting clearly better, one not, one that failed on a question."""

from __future__ import annotations

from datetime import UTC, datetime

from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.plan import Budget, Evaluation, GoldTrace, Outcomes, Pair, Result, Setting, Spec
from core.trace.artefacts import Answer

BASE, GOOD, SAME = "Dense", "Hybrid", "Keyword"
CHOICE, BOTH = "Who is older, Larry Cohen or George Marshall?", "Larry Cohen or George Marshall."


def with_budgets(outcomes: Outcomes) -> Outcomes:
    """The same with what each pair was given: the second setting finds the gold document in 8 passages, where plain
    retrieval with as many finds it for every fourth question."""
    done: dict[Pair, Result] = {}
    for (place, question), result in outcomes.done.items():
        easy = int(question[1:]) % 4 == 0
        plain = ("gold" if easy else "other",) * 8
        found = ("gold",) if easy or place == 1 else ()
        budget = Budget(given=8 if place == 1 else 6, found=found, plain=plain if place else None, depth=40)
        done[place, question] = result.model_copy(update={"budget": budget})
    return Outcomes(done, outcomes.failed)


def evaluation(
    text: str = "Who?",
    answer: str = "Larry Cohen",
    labels: tuple[str, str, str] = (BASE, GOOD, SAME),
    count: int = 40,
    unclear: int = 0,
) -> tuple[Evaluation, Outcomes]:
    """So many questions through three settings.

    Args:
        text: Of every question.
        answer: That the second setting gives; the right one is Larry Cohen.
        labels: Of the settings: the baseline, one that finds more, one that finds as much.
        count: How many questions, at least 4.
        unclear: So many of the baseline's answers cannot be judged: they name both options of their question.
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
        trail = GoldTrace(retrieved=("gold",), given=("gold",)) if i % 4 == 0 else GoldTrace()
        wrong = Answer(text="George Marshall")
        done[0, question.id] = Result(
            ranking=found, trail=trail, answer=wrong, calls=1, seconds=1.0, run=f"run-{i}"
        )
        if i < unclear:
            done[0, question.id] = done[0, question.id].model_copy(update={"answer": Answer(text=BOTH)})
        done[1, question.id] = Result(
            ranking=("gold",), trail=GoldTrace(retrieved=("gold",), given=("gold",), cited=("gold",)),
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
