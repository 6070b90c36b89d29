"""`python -m core evaluate --sweep`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.errors import InputError
from core.evaluation.datasets import DataSet
from core.evaluation.plan import Evaluation, Outcomes, Setting, Sweep
from core.evaluation.runner import New
from core.evaluation.sweep_results import SweepResult, open_sweep, swept_setting
from core.evaluation.sweeps import check_values, new
from core.runs.workbench import Workbench


def sweep_of(bench: Workbench, base: Setting, words: str) -> Sweep:
    """The sweep that `NAME=VALUE,VALUE,...` asks for.

    Raises:
        InputError: There is no such parameter, or a value cannot be used.
    """
    name, equals, values = words.partition("=")
    if not equals or not values.strip(" ,"):
        raise InputError(f"--sweep takes NAME=VALUE,VALUE,..., but got '{words}'.")
    key = name.strip()
    given = [value for value in values.split(",") if value.strip()]
    return Sweep(parameter=key, values=check_values(base, key, given, bench.backends.embedder.max_tokens))


def new_sweep(
    bench: Workbench,
    arguments: argparse.Namespace,
    dataset: DataSet,
    settings: Sequence[Setting],
    seed: int | None,
) -> New:
    """The evaluation that a sweep needs.

    Raises:
        InputError: There is not one setting to sweep, or the sweep cannot be made.
    """
    if len(settings) != 1:
        raise InputError(
            "--sweep takes one strategy and one retriever. Sweep the retriever with `retriever=...`."
        )
    if arguments.baseline:
        raise InputError("The values of a sweep are compared with the default. Leave out --baseline.")
    return new(
        dataset,
        settings[0],
        sweep_of(bench, settings[0], arguments.sweep),
        bench.backends.embedder.max_tokens,
        seed=seed,
        retrieval_only=arguments.retrieval_only,
    )


def swept_of(
    bench: Workbench, evaluation: Evaluation, outcomes: Outcomes, arguments: argparse.Namespace
) -> SweepResult | None:
    """The sweep that is asked for, or that the evaluation was begun as; None: neither.

    Raises:
        InputError: A value was neither run nor can it be recomputed.
    """
    if not (arguments.sweep or evaluation.spec.sweep):
        return None
    base = swept_setting(evaluation, next(iter(arguments.strategy), ""))
    sweep = sweep_of(bench, base, arguments.sweep) if arguments.sweep else evaluation.spec.sweep
    return open_sweep(bench, evaluation, outcomes, base, sweep) if sweep else None


def facts(found: SweepResult) -> dict[str, Any]:
    """What the JSON says of a sweep beside the results of its values."""
    sweep = {
        "strategy": found.evaluation.spec.settings[0].strategy,
        "parameter": found.parameter.key,
        "values": dict(found.values),
        "default": found.parameter.default,
        "recomputed": [label for label in found.values if label in found.recomputed],
        "same_rankings": found.same_rankings,
    }
    return {"sweep": sweep}


def sweep_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of the table should know of a sweep; nothing where it is none."""
    sweep = told.get("sweep")
    if sweep is None:
        return
    if sweep["recomputed"]:
        yield (
            "Recomputed from stored runs, no model call; the cost is that of these runs: "
            f"{', '.join(sweep['recomputed'])}."
        )
    if sweep["same_rankings"]:
        yield f"Every value of {sweep['parameter']} gives the same ranking for every question."
