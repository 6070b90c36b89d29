"""Reading a sweep: every value as a setting with its outcomes, some of them recomputed from stored runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.errors import InputError, LoupeError
from core.evaluation.dataset_indexing import document_keys
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.pair_budget import budget_from, relevant
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Budget, Evaluation, Outcomes, Pair, Result, Setting, Sweep, Value
from core.evaluation.ranking_scores import documents_of
from core.evaluation.recomputation import recomputable, recomputable_parameters, recompute, same
from core.evaluation.sweeps import Parameter, label_of, parameter_of, with_value
from core.runs.record import Record, record
from core.runs.workbench import Workbench
from core.strategies import get_strategy
from core.strategies.nodes import EVAL_CUTOFF


@dataclass(frozen=True)
class SweepResult:
    """A sweep, read as an evaluation with a setting per value."""

    parameter: Parameter
    values: Mapping[str, Value]
    """Label -> value, in the order of the values."""
    baseline: str
    """Label of the default, or of the first value if the default is not swept."""
    evaluation: Evaluation
    """Evaluation with one setting per value."""
    outcomes: Outcomes
    recomputed: frozenset[str]
    """Labels of the values that were recomputed from stored runs: evidence only, and no model call."""

    @property
    def has_default(self) -> bool:
        """Whether the default is among the values."""
        return self.values[self.baseline] == self.parameter.default

    @property
    def same_rankings(self) -> bool:
        """Whether every value ranks alike for every question."""
        seen: dict[str, set[tuple[str, ...]]] = {}
        for (_, question), result in self.outcomes.done.items():
            seen.setdefault(question, set()).add(result.ranking)
        return bool(seen) and all(len(rankings) == 1 for rankings in seen.values())


def swept_setting(evaluation: Evaluation, strategy: str = "") -> Setting:
    """The setting of an evaluation that a sweep starts from.

    Args:
        strategy: Key of the strategy; empty: that of the first setting.

    Raises:
        InputError: The strategy was not evaluated.
    """
    found = [one for one in evaluation.spec.settings if strategy in ("", one.strategy)]
    if not found:
        raise InputError(f"“{strategy}” is not among what was evaluated.")
    return found[0]


def sweepable(evaluation: Evaluation) -> dict[str, tuple[str, ...]]:
    """What can be swept from the stored runs of an evaluation: label of a setting -> keys of parameters."""
    spec = evaluation.spec
    return {
        one.label: recomputable_parameters(one.strategy)
        for one in spec.settings
        if recomputable_parameters(one.strategy)
        and asks_model(one, spec.retrieval_only)  # otherwise no run is stored
    }


def open_sweep(
    bench: Workbench, evaluation: Evaluation, outcomes: Outcomes, base: Setting, sweep: Sweep
) -> SweepResult:
    """Every value of a sweep with its outcomes; reads stored runs for values without runs of their own. Blocks.

    A value with a setting in the evaluation is taken as it is. A recomputed value has the cost of the run that it
    was recomputed from, and no answer.

    Args:
        base: The setting of the evaluation whose parameter is swept.

    Raises:
        InputError: A value was neither run nor can it be recomputed, or the documents are not indexed any more.
        StoreError: The catalogue cannot be read.
    """
    parameter = parameter_of(get_strategy(base.strategy), sweep.parameter, bench.backends.embedder.max_tokens)
    settings = evaluation.spec.settings
    wanted = [with_value(base, sweep.parameter, value) for value in sweep.values]
    sources = [_source(settings, one) for one in wanted]
    own = [same(settings[source], one) for source, one in zip(sources, wanted, strict=True)]
    done: dict[Pair, Result] = {}
    failed: dict[Pair, str] = {}
    for place, source in enumerate(sources):
        done |= {
            (place, q): result for (at, q), result in outcomes.done.items() if at == source and own[place]
        }
        failed |= {(place, q): error for (at, q), error in outcomes.failed.items() if at == source}
    questions = {one.id: one for one in evaluation.questions}
    keys = {} if all(own) else _keys(bench, evaluation, base)
    for source in dict.fromkeys(sources):
        places = [place for place, at in enumerate(sources) if at == source and not own[place]]
        for (at, question), result in outcomes.done.items() if places else ():
            if at != source:
                continue
            try:
                run = record(bench.store.events(result.run))
                found = {
                    place: _result(run, wanted[place], result, keys, questions[question]) for place in places
                }
            except LoupeError as error:
                failed |= {(place, question): str(error) for place in places}
            else:
                done |= {(place, question): one for place, one in found.items()}
    if not all(own):
        done = {pair: _evidence(one, one.ranking, one.passages, one.budget) for pair, one in done.items()}
    labels = [one.label for one in wanted]
    default = label_of(sweep.parameter, parameter.default)
    baseline = default if default in labels else labels[0]
    recomputed = frozenset(label for label, ours in zip(labels, own, strict=True) if not ours)
    spec = evaluation.spec.model_copy(
        update={
            "settings": tuple(
                settings[source].model_copy(update={"label": one.label}) if ours else one
                for source, ours, one in zip(sources, own, wanted, strict=True)
            ),
            "baseline": baseline,
            "sweep": sweep,
            "retrieval_only": evaluation.spec.retrieval_only or bool(recomputed),
        }
    )
    return SweepResult(
        parameter,
        dict(zip(labels, sweep.values, strict=True)),
        baseline,
        replace(evaluation, spec=spec),
        Outcomes(done, failed),
        recomputed,
    )


def _keys(bench: Workbench, evaluation: Evaluation, base: Setting) -> Mapping[str, str]:
    """Id of a document in the corpus -> its id in the data set."""
    known = document_keys(bench.corpora.catalogue, evaluation.spec.corpus_of(base).id)
    if not known:
        raise InputError(
            f"The documents of “{evaluation.spec.dataset}” are not indexed any more, so that nothing can be "
            "recomputed. Begin a new sweep."
        )
    return known


def _source(settings: tuple[Setting, ...], wanted: Setting) -> int:
    """The setting that a value's results come from: its own, or a setting that it can be recomputed from."""
    for fits in (same, recomputable):
        for place, setting in enumerate(settings):
            if fits(setting, wanted):
                return place
    raise InputError(
        f"{wanted.label} needs new searches or model calls, so it cannot be recomputed from the stored runs. "
        "Begin a new sweep with it, or leave it out."
    )


def _result(
    run: Record, wanted: Setting, stored: Result, keys: Mapping[str, str], question: LabelledQuestion
) -> Result:
    evidence = recompute(run, wanted)
    ranked = documents_of(evidence, keys, relevant(question))[:EVAL_CUTOFF]
    budget = budget_from(
        question, [one.passage for one in evidence.passages if one.given], keys, stored.budget
    )
    return _evidence(stored, tuple(dict.fromkeys(ranked)), len(ranked), budget)


def _evidence(result: Result, ranking: tuple[str, ...], passages: int, budget: Budget | None) -> Result:
    """A result without its answer: if one value has no answers, those of the others cannot be compared."""
    kept = {"calls", "rounds", "tokens_in", "tokens_out", "tokens_known", "seconds", "run"}
    kept |= {"played", "stood_in", "replaced", "free_in", "free_out"}
    return Result(ranking=ranking, passages=passages, budget=budget, **result.model_dump(include=kept))
