"""Reading a sweep: an evaluation with a setting per value, some of whose results are recomputed from stored runs.

So metrics, statistics, tables, charts and files are those of any evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from core.errors import InputError, LoupeError
from core.evaluation.dataset_indexing import document_keys
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.failure_stages import gold_among
from core.evaluation.pair_budget import budget_from, relevant
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Evaluation, GoldTrace, Outcomes, Pair, Result, Setting, Sweep, format_value
from core.evaluation.ranking_scores import ranked_documents
from core.evaluation.sweeps import (
    CHUNK,
    label_of,
    parameter_of,
    recomputable,
    recomputable_parameters,
    recompute,
    same,
    title_of,
    with_value,
)
from core.runs.record import Record, record
from core.runs.sources.sources import Sources
from core.strategies import get_strategy
from core.trace.artefacts import EVAL_CUTOFF

REMARKS = {
    "n": "A recomputed value takes the first of the queries that were written. Asked for fewer, a model might write "
    "others.",
    CHUNK: (
        "The first 10 passages of a ranking are judged, each by its document. Several small chunks may come from one "
        "document, so fewer documents are seen: recall falls for that reason alone."
    ),
}
"""Remarks on the values of some parameters."""
CAUTION = "On other questions, expect a little less from the value that is best on these."


def swept_setting(evaluation: Evaluation, strategy: str = "") -> Setting:
    """The setting of an evaluation that a sweep starts from: the first, or that of the strategy with this key. Raises
    `InputError` if it was not evaluated."""
    settings = [setting for setting in evaluation.spec.settings if strategy in ("", setting.strategy)]
    if not settings:
        raise InputError(f"“{strategy}” is not among what was evaluated.")
    return settings[0]


def sweepable(evaluation: Evaluation) -> dict[str, tuple[str, ...]]:
    """Label of a setting -> keys of the parameters that can be swept from its stored runs."""
    spec = evaluation.spec
    return {
        setting.label: recomputable_parameters(setting.strategy)
        for setting in spec.settings
        if recomputable_parameters(setting.strategy)
        and asks_model(setting, spec.retrieval_only)  # otherwise no run is stored
    }


def read_sweep(
    sources: Sources, evaluation: Evaluation, outcomes: Outcomes, base: Setting, sweep: Sweep
) -> tuple[Evaluation, Outcomes]:
    """Every value of a sweep of one setting's parameter, as a setting with its outcomes. Blocks.

    A value with a setting in the evaluation is taken as it is; the others are recomputed from stored runs. A recomputed
    value has the cost of its run and no answer; then no value has one, since they could not be compared. The default is
    the baseline, or else the first value.

    Raises:
        InputError: A value was neither run nor can it be recomputed, or the documents are not indexed any more.
        StoreError: The catalogue cannot be read.
    """
    settings = evaluation.spec.settings
    targets = [with_value(base, sweep.parameter, value) for value in sweep.values]
    origins = [_source(settings, target) for target in targets]
    own = [same(settings[source], target) for source, target in zip(origins, targets, strict=True)]
    done: dict[Pair, Result] = {}
    failed: dict[Pair, str] = {}
    for place, source in enumerate(origins):
        done |= {
            (place, q): result for (at, q), result in outcomes.done.items() if at == source and own[place]
        }
        failed |= {(place, q): error for (at, q), error in outcomes.failed.items() if at == source}
    if not all(own):
        keys = _keys(sources, evaluation, base)
        for source in dict.fromkeys(origins):
            if values := {i: targets[i] for i, at in enumerate(origins) if at == source and not own[i]}:
                more = _recomputed_outcomes(sources, evaluation, outcomes, source, values, keys)
                done |= more.done
                failed |= more.failed
        if not evaluation.spec.retrieval_only:
            done = {pair: result if result.recomputed else _evidence(result) for pair, result in done.items()}
    labels = [target.label for target in targets]
    default = sweep.default
    if default is None:
        longest = sources.backends.embedder.max_tokens
        default = parameter_of(get_strategy(base.strategy), sweep.parameter, longest).default
    usual = label_of(sweep.parameter, default)
    spec = evaluation.spec.model_copy(
        update={
            "settings": tuple(
                settings[source].model_copy(update={"label": target.label}) if ours else target
                for source, ours, target in zip(origins, own, targets, strict=True)
            ),
            "baseline": usual if usual in labels else labels[0],
            "sweep": sweep.model_copy(update={"default": default}),
            "retrieval_only": evaluation.spec.retrieval_only or not all(own),
        }
    )
    return replace(evaluation, spec=spec), Outcomes(done, failed)


def without_recomputed(evaluation: Evaluation) -> Evaluation:
    """A stored sweep with the values that have runs of their own alone: for where the others cannot be recomputed."""
    spec = evaluation.spec
    if spec.sweep is None:
        return evaluation
    labels = {setting.label for setting in spec.settings}
    values = tuple(value for value in spec.sweep.values if label_of(spec.sweep.parameter, value) in labels)
    sweep = spec.sweep.model_copy(update={"values": values})
    return replace(evaluation, spec=spec.model_copy(update={"sweep": sweep}))


def recomputed_values(evaluation: Evaluation, outcomes: Outcomes) -> tuple[str, ...]:
    """Labels of the values of a sweep that were recomputed from stored runs."""
    places = {place for (place, _), result in outcomes.done.items() if result.recomputed}
    return tuple(setting.label for place, setting in enumerate(evaluation.spec.settings) if place in places)


def same_rankings(outcomes: Outcomes) -> bool:
    """True if every setting ranks alike for every question."""
    by_question: dict[str, set[tuple[str, ...]]] = {}
    for (_, question), result in outcomes.done.items():
        by_question.setdefault(question, set()).add(result.ranking)
    return bool(by_question) and all(len(rankings) == 1 for rankings in by_question.values())


def sweep_facts(evaluation: Evaluation, outcomes: Outcomes) -> dict[str, Any] | None:
    """A sweep, as it is read, in the JSON of its evaluation, beside the results of its values; None: it is
    none."""
    spec = evaluation.spec
    if spec.sweep is None:
        return None
    labels = [setting.label for setting in spec.settings]
    return {
        "strategy": spec.settings[0].strategy,
        "parameter": spec.sweep.parameter,
        "values": dict(zip(labels, spec.sweep.values, strict=True)),
        "default": spec.sweep.default,
        "recomputed": list(recomputed_values(evaluation, outcomes)),
        "same_rankings": same_rankings(outcomes),
    }


def sweep_sentences(evaluation: Evaluation, outcomes: Outcomes) -> tuple[str, ...]:
    """Sentences for readers of the results of a sweep; none where it is no sweep. Raw text."""
    spec = evaluation.spec
    if spec.sweep is None:
        return ()
    sweep, title = spec.sweep, title_of(spec.settings[0].strategy, spec.sweep.parameter)
    sentences = []
    if sweep.default is not None:
        sentences.append(f"The default of {title} is {format_value(sweep.default)}.")
    if recomputed := recomputed_values(evaluation, outcomes):
        sentences.append(
            f"Recomputed from stored runs, without a model call: {', '.join(recomputed)}. Their calls, tokens and "
            "seconds are those of the stored runs."
        )
    if same_rankings(outcomes):
        sentences.append(
            "Every value gives the same ranking for every question: the search does not tell them apart."
        )
    sentences += [REMARKS[sweep.parameter]] if sweep.parameter in REMARKS else []
    return (*sentences, CAUTION)


def _keys(sources: Sources, evaluation: Evaluation, base: Setting) -> Mapping[str, str]:
    """Id of a document in the corpus -> its id in the data set."""
    keys = document_keys(sources.corpora.catalogue, evaluation.spec.corpus_of(base).id)
    if not keys:
        raise InputError(
            f"The documents of “{evaluation.spec.dataset}” are no longer indexed, so nothing can be "
            "recomputed from its runs. Begin a new evaluation."
        )
    return keys


def _source(settings: tuple[Setting, ...], target: Setting) -> int:
    """The setting that a value's results come from: its own, or a setting that it can be recomputed from."""
    for fits in (same, recomputable):
        for place, setting in enumerate(settings):
            if fits(setting, target):
                return place
    raise InputError(
        f"{target.label} needs new searches or model calls, so it cannot be recomputed from the stored runs. "
        "Begin a new evaluation with it, or leave it out."
    )


def _recomputed_outcomes(
    sources: Sources,
    evaluation: Evaluation,
    outcomes: Outcomes,
    source: int,
    values: Mapping[int, Setting],
    keys: Mapping[str, str],
) -> Outcomes:
    """The outcomes of the values at these places, from the runs of the setting that is their source."""
    questions = {question.id: question for question in evaluation.questions}
    done: dict[Pair, Result] = {}
    failed: dict[Pair, str] = {}
    for (place, question), stored in outcomes.done.items():
        if place != source:
            continue
        try:
            run = record(sources.store.events(stored.run))
            done |= {
                (at, question): _recomputed(run, value, stored, keys, questions[question])
                for at, value in values.items()
            }
        except LoupeError as error:
            failed |= {(at, question): str(error) for at in values}
    return Outcomes(done, failed)


def _recomputed(
    run: Record, target: Setting, stored: Result, keys: Mapping[str, str], question: LabelledQuestion
) -> Result:
    evidence = recompute(run, target)
    ranked = ranked_documents(evidence, keys, relevant(question))[:EVAL_CUTOFF]
    trail = GoldTrace(
        retrieved=gold_among([hit.passage for hit in evidence.passages], question, keys),
        given=gold_among(evidence.given_passages, question, keys),
    )
    return _evidence(stored).model_copy(
        update={
            "ranking": tuple(dict.fromkeys(ranked)),
            "passages": len(ranked),
            "trail": trail,
            "budget": budget_from(question, evidence.given_passages, keys, stored.budget),
            "recomputed": True,
        }
    )


def _evidence(result: Result) -> Result:
    """A result without its answer, and with the cost of its run: if one value has no answers, those of the others
    cannot be compared."""
    trail = result.trail and result.trail.model_copy(update={"cited": (), "lost": ()})
    return result.model_copy(update={"answer": None, "supported": None, "trail": trail})
