"""The results of an evaluation: everything that is computed from its outcomes, for pages, reports, files and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from core.evaluation.failure_stages import PairStage, stage_of
from core.evaluation.measures import (
    PASSAGES,
    JudgedPair,
    Scores,
    beside_plain,
    metric,
    present,
    scores_of,
    unjudged,
)
from core.evaluation.oracle import Oracle, oracle_of
from core.evaluation.plan import Evaluation, Outcomes, Result
from core.evaluation.ranking_scores import means, ranking_scores
from core.evaluation.statistics import compare, intervals
from core.evaluation.sweep_results import sweep_facts
from core.strategies import get_strategy

Prices = Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Results:
    """An evaluation with everything that is computed from its outcomes; a sweep has a setting for each value."""

    evaluation: Evaluation
    outcomes: Outcomes
    scores: Scores
    stages: Mapping[str, Mapping[str, PairStage]]
    """Label of a setting -> id of a question -> where the pair ended."""
    best: Oracle | None
    """The best setting of each question; None: there is nothing to choose."""


def results_of(evaluation: Evaluation, outcomes: Outcomes, prices: Prices | None = None) -> Results:
    """Compute the results; a metric may change without a new run. Prices are US dollars per million tokens sent and
    written, by the model's name; without them no pair has a cost."""
    values, ends = scores(evaluation, outcomes, prices), stages(evaluation, outcomes)
    return Results(evaluation, outcomes, values, ends, oracle_of(evaluation, values))


def scores(evaluation: Evaluation, outcomes: Outcomes, prices: Prices | None = None) -> Scores:
    """The metrics of every pair that is done, see `results_of`."""
    price = (0.0, 0.0) if evaluation.spec.builtin else (prices or {}).get(evaluation.spec.model)
    questions = {question.id: question for question in evaluation.questions}
    by_label: dict[str, dict[str, Mapping[str, float]]] = {}
    for place, setting in enumerate(evaluation.spec.settings):
        mine = {question: result for (at, question), result in outcomes.done.items() if at == place}
        strategy = get_strategy(setting.strategy)
        searches = strategy.retrieves
        ranked: dict[str, dict[str, float]] = {}
        if searches and strategy.ranks(strategy.parse(setting.params)):
            rankings = {question: result.ranking for question, result in mine.items()}
            ranked = ranking_scores(rankings, {question: questions[question].gold for question in mine})
        by_label[setting.label] = {
            key: scores_of(JudgedPair(result, questions[key], setting, searches, ranked.get(key, {}), price))
            for key, result in mine.items()
        }
    return by_label


def stages(evaluation: Evaluation, outcomes: Outcomes) -> dict[str, dict[str, PairStage]]:
    """Label of a setting -> id of a question -> its stage; pairs that were not tried yet are left out."""
    questions = {question.id: question for question in evaluation.questions}
    by_label: dict[str, dict[str, PairStage]] = {setting.label: {} for setting in evaluation.spec.settings}
    for (place, question), result in outcomes.done.items():
        if result.trail is not None:
            setting = evaluation.spec.settings[place]
            searches = get_strategy(setting.strategy).retrieves
            by_label[setting.label][question] = stage_of(
                result.trail, result.answer, questions[question], result.supported, searches=searches
            )
    for place, question in outcomes.failed:
        gold = len(questions[question].gold)
        by_label[evaluation.spec.settings[place].label][question] = PairStage("run failed", gold)
    return by_label


def report(evaluation: Evaluation, outcomes: Outcomes, baseline: str = "") -> dict[str, Any]:
    """The results as one JSON object: the contract of `evaluate --json`. A sweep is given as it is read; an empty
    baseline is the evaluation's own. Raises `InputError` if the baseline is not among the settings."""
    spec = evaluation.spec
    baseline = baseline or spec.baseline
    per_question = scores(evaluation, outcomes)
    keys = [key for key in present(per_question) if metric(key).share or key == PASSAGES]
    around = {key: intervals(per_question, key) for key in keys}
    against = {key: compare(per_question, baseline, key, spec.looks) for key in keys}
    best = oracle_of(evaluation, per_question)
    unclear = unjudged(per_question)
    beside = beside_plain(per_question)
    strategies: dict[str, Any] = {}
    for place, setting in enumerate(spec.settings):
        label, averages = setting.label, means(per_question[setting.label].values())
        mine = [result for (at, _), result in outcomes.done.items() if at == place]
        strategies[label] = {
            "strategy": setting.strategy,
            "params": setting.params,
            "retriever": setting.retriever,
            "methods": setting.methods,
            "chunk_tokens": setting.chunk_tokens,
            "overlap_tokens": setting.overlap_tokens,
            "done": len(mine),
            "answers": sum("unclear" in values for values in per_question[label].values()),
            "cannot_be_judged": unclear.get(label, (0, 0))[0],
            "metrics": {key: value for key, value in averages.items() if key in keys},
            "intervals": {
                key: [ranges[label].low, ranges[label].high]
                for key, ranges in around.items()
                if label in ranges
            },
            "differences": {
                difference.metric: {
                    "to": difference.baseline,
                    **vars(difference.interval),
                    "p": difference.p_holm,
                    "verdict": difference.verdict,
                }
                for differences in against.values()
                for difference in differences
                if difference.strategy == label
            },
            "plain_with_as_many": asdict(beside[label]) if label in beside else None,
            **costs(mine),
        }
    swept = sweep_facts(evaluation, outcomes)
    return {
        "evaluation": evaluation.id,
        "dataset": spec.dataset,
        "dataset_key": spec.dataset_key,
        "questions": len(evaluation.questions),
        "seed": spec.seed,
        "retrieval_only": spec.retrieval_only,
        "model": spec.model,
        "recording": spec.playing.model_dump() if spec.playing else None,
        "adapter": spec.adapter,
        "embedding_model": spec.embedding_model,
        "version": spec.version,
        "baseline": baseline,
        "looks": spec.looks,
        "strategies": strategies,
        "oracle": _oracle(best, keys) if best else None,
        "failed": [
            {"strategy": spec.settings[place].label, "question": question, "error": error}
            for (place, question), error in outcomes.failed.items()
        ],
        **({"sweep": swept} if swept else {}),
    }


def costs(results: Sequence[Result]) -> dict[str, Any]:
    """The sums of what the results of a setting cost, and the mean number of passages that were judged."""
    return {
        "passages": sum(result.passages for result in results) / len(results) if results else 0.0,
        "calls": sum(result.calls for result in results),
        "played": sum(result.played for result in results),
        "replaced": sum(result.replaced for result in results),
        "tokens": {
            "input": sum(result.tokens_in for result in results),
            "output": sum(result.tokens_out for result in results),
            "known": all(result.tokens_known for result in results),
        },
        "seconds": round(sum(result.seconds for result in results), 3),
    }


def _oracle(best: Oracle, keys: Sequence[str]) -> dict[str, Any]:
    """The best setting of each question, chosen afterwards, and how far each setting is from it."""
    whole = {key: interval for key in keys if (interval := best.mean(key))}
    apart = {key: best.distances(key) for key in whole}
    return {
        "among": list(best.among),
        "routers": list(best.routers),
        "picked_by": best.lead,
        "picks": best.counts(),
        "metrics": {key: interval.mean for key, interval in whole.items()},
        "intervals": {key: [interval.low, interval.high] for key, interval in whole.items()},
        "distances": {
            label: {
                key: {"mean": ranges[label].mean, "low": ranges[label].low, "high": ranges[label].high}
                for key, ranges in apart.items()
                if label in ranges
            }
            for label in best.scores
        },
    }
