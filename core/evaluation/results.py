"""What an evaluation found: metrics per question, means with intervals, differences to the baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.evaluation.answers import answer_scores
from core.evaluation.budget import both, budget_scores
from core.evaluation.datasets import LabelledQuestion
from core.evaluation.evidence import evidence_scores, means
from core.evaluation.failures import Outcome, crashed, outcome
from core.evaluation.measures import PASSAGES, Scores, metric, present
from core.evaluation.plan import Evaluation, Outcomes, Result
from core.evaluation.statistics import compared, intervals
from core.evaluation.unjudged import unjudged
from core.strategies import get_strategy

Prices = Mapping[str, tuple[float, float]]


def scores(evaluation: Evaluation, outcomes: Outcomes, prices: Prices | None = None) -> Scores:
    """The metrics of every pair that is done, computed from what is kept of it: a metric may change without a new run.

    Args:
        evaluation: With its questions.
        outcomes: What became of its pairs.
        prices: Model name -> US dollars per million tokens sent and written; without the model's, nothing has a cost.
    """
    price = (0.0, 0.0) if evaluation.spec.builtin else (prices or {}).get(evaluation.spec.model)
    questions = {question.id: question for question in evaluation.questions}
    gold = {question.id: question.gold for question in evaluation.questions}
    found: dict[str, dict[str, Mapping[str, float]]] = {}
    for place, setting in enumerate(evaluation.spec.settings):
        mine = {question: result for (at, question), result in outcomes.done.items() if at == place}
        judged: dict[str, dict[str, float]] = {}
        if get_strategy(setting.strategy).retrieves:
            rankings = {question: result.ranking for question, result in mine.items()}
            judged = evidence_scores(rankings, {question: gold[question] for question in mine})
            for question, result in mine.items():
                told = budget_scores(result.budget, questions[question], setting)
                judged[question] = told | judged.get(question, {})
        found[setting.label] = {
            question: judged.get(question, {}) | _of(result, questions[question], price)
            for question, result in mine.items()
        }
    return found


def stages(evaluation: Evaluation, outcomes: Outcomes) -> dict[str, dict[str, Outcome]]:
    """Label of a setting -> id of a question -> where it failed, or that it did not; pairs not tried yet are left out.

    Args:
        evaluation: With its questions.
        outcomes: What became of its pairs.
    """
    questions = {question.id: question for question in evaluation.questions}
    found: dict[str, dict[str, Outcome]] = {setting.label: {} for setting in evaluation.spec.settings}
    for (place, question), result in outcomes.done.items():
        if result.trail is not None:
            setting = evaluation.spec.settings[place]
            found[setting.label][question] = outcome(
                result.trail,
                result.answer,
                questions[question],
                result.supported,
                searches=get_strategy(setting.strategy).retrieves,
            )
    for place, question in outcomes.failed:
        found[evaluation.spec.settings[place].label][question] = crashed(questions[question])
    return found


def _of(result: Result, question: LabelledQuestion, price: tuple[float, float] | None) -> dict[str, float]:
    """The metrics of an answer, and what it cost."""
    answered: dict[str, float] = {}
    if result.answer is not None:
        answered = answer_scores(result.answer, question.answers, question.text)
    if result.supported is not None and not answered.get("abstained"):
        answered["supported"] = float(result.supported)
    tokens = {"tokens": float(result.tokens_in + result.tokens_out)} if result.tokens_known else {}
    if price is not None and (result.tokens_known or not any(price)):
        tokens["cost"] = (result.tokens_in * price[0] + result.tokens_out * price[1]) / 1e6
    return {
        **answered,
        "calls": float(result.calls),
        "rounds": float(result.rounds),
        **tokens,
        "seconds": result.seconds,
    }


def report(evaluation: Evaluation, outcomes: Outcomes, baseline: str = "") -> dict[str, Any]:
    """The results as one JSON object: the contract of `evaluate --json`.

    Args:
        evaluation: With its questions.
        outcomes: What became of its pairs.
        baseline: Label of a setting; empty: the evaluation's own.

    Raises:
        InputError: The baseline is not among the settings.
    """
    spec = evaluation.spec
    baseline = baseline or spec.baseline
    per_question = scores(evaluation, outcomes)
    keys = [key for key in present(per_question) if metric(key).share or key == PASSAGES]
    around = {key: intervals(per_question, key) for key in keys}
    against = {key: compared(per_question, baseline, key) for key in keys}
    unclear = unjudged(per_question)
    held = both(per_question)
    strategies: dict[str, Any] = {}
    for place, setting in enumerate(spec.settings):
        label = setting.label
        mine = [result for (at, _), result in outcomes.done.items() if at == place]
        strategies[label] = {
            "strategy": setting.strategy,
            "params": setting.params,
            "retriever": setting.retriever,
            "methods": setting.methods,
            "chunk_tokens": setting.chunk_tokens,
            "overlap_tokens": setting.overlap_tokens,
            "done": len(mine),
            "answers": sum("unclear" in one for one in per_question[label].values()),
            "cannot_be_judged": unclear.get(label, (0, 0))[0],
            "metrics": {
                key: value for key, value in means(per_question[label].values()).items() if key in keys
            },
            "intervals": {
                key: [found[label].low, found[label].high] for key, found in around.items() if label in found
            },
            "differences": {
                one.metric: {
                    "to": one.baseline,
                    "mean": one.interval.mean,
                    "low": one.interval.low,
                    "high": one.interval.high,
                    "p": one.p_holm,
                    "verdict": one.verdict,
                    "questions": one.interval.questions,
                }
                for found in against.values()
                for one in found
                if one.strategy == label
            },
            "plain_with_as_many": asdict(held[label]) if label in held else None,
            "passages": sum(result.passages for result in mine) / len(mine) if mine else 0.0,
            "calls": sum(result.calls for result in mine),
            "tokens": {
                "input": sum(result.tokens_in for result in mine),
                "output": sum(result.tokens_out for result in mine),
                "known": all(result.tokens_known for result in mine),
            },
            "seconds": round(sum(result.seconds for result in mine), 3),
        }
    return {
        "evaluation": evaluation.id,
        "dataset": spec.dataset,
        "dataset_key": spec.dataset_key,
        "questions": len(evaluation.questions),
        "seed": spec.seed,
        "retrieval_only": spec.retrieval_only,
        "model": spec.model,
        "adapter": spec.adapter,
        "embedding_model": spec.embedding_model,
        "version": spec.version,
        "baseline": baseline,
        "strategies": strategies,
        "failed": [
            {"strategy": spec.settings[place].label, "question": question, "error": error}
            for (place, question), error in outcomes.failed.items()
        ],
    }
