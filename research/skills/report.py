"""Tables of what was measured: each method beside the other ones, each model beside the other ones.

    python -m research.skills.report FILE ... [--task KEY ...] [--half tuning|held-out] [--kept-out]

Intervals are of 95 %, by the bootstrap over questions. A difference is over the cases that both methods have.
Seconds are those of processors, for a case: how long one takes depends on what else the machine does.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.evaluation.statistics import Interval
from core.skills.base import MODEL
from research.skills.keeping import outcomes_in
from research.skills.measuring import AUC, HALVES, Outcome, measures
from research.training.kept import kept_out

NO_MODEL = "no model"
FEWEST = 5
"""Questions from which an interval is given: drawn from fewer, it is far too narrow."""
UNUSABLE, FAILED, DIFFERENCE = "unusable", "failed", "difference"


def main() -> None:
    """Read and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--task", nargs="+", default=[])
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--kept-out", action="store_true", help="only what the built-in model never saw")
    arguments = parser.parse_args()
    chosen = [
        one
        for one in outcomes_in(*arguments.files)
        if (not arguments.task or one.task in arguments.task)
        and arguments.half in (None, one.half)
        and (not arguments.kept_out or kept_out(one.data, one.group))
    ]
    print(report(chosen, mains()))


def mains() -> dict[str, str]:
    """Task -> the measure by which its methods are compared."""
    from research.skills.tasks import TASKS

    return {task.key: task.main for task in TASKS}


def report(found: Sequence[Outcome], main: dict[str, str]) -> str:
    """Three tables in Markdown: values, differences, costs.

    Args:
        found: What was measured.
        main: Task -> its first measure.
    """
    parts = [values_table(found, main), differences_table(found, main), costs_table(found)]
    return "\n\n".join(parts)


def values_table(found: Sequence[Outcome], main: dict[str, str]) -> str:
    """A row for each task, measure and method; a column for each model."""
    models = _models(found)
    rows = []
    for task, first in main.items():
        of_task = [one for one in found if one.task == task]
        for measure in (first, AUC):
            for method in dict.fromkeys(one.method for one in of_task):
                cells = [
                    cell(
                        _measured(
                            [one for one in of_task if (one.method, one.model) == (method, model)], measure
                        )
                    )
                    for model in models
                ]
                if any(cells):
                    rows.append([task, measure, method, *cells])
    return table(["task", "measure", "method", *(model or NO_MODEL for model in models)], rows)


def differences_table(found: Sequence[Outcome], main: dict[str, str]) -> str:
    """A row for each task, model and method that could do the step in the place of the model's own judgement."""
    rows = []
    for task, first in main.items():
        of_task = [one for one in found if one.task == task]
        for model in filter(None, _models(found)):
            own = [one for one in of_task if (one.method, one.model) == (MODEL, model)]
            for method in dict.fromkeys(one.method for one in of_task if one.method != MODEL):
                other = [one for one in of_task if one.method == method and one.model in (model, "")]
                if own and other:
                    rows.append([task, model, method, *difference_cells(own, other, first)])
    head = [
        "task",
        "model",
        "beside",
        "own − other",
        "cases",
        UNUSABLE,
        FAILED,
        "processor s, own",
        "other",
    ]
    return table(head, rows)


def difference_cells(own: Sequence[Outcome], other: Sequence[Outcome], measure: str) -> list[str]:
    """The difference over the cases that both have, and how the model's own judgement fared on all it has."""
    before = {_case(one): one for one in other}
    both = [
        one.model_copy(
            update={"values": {DIFFERENCE: one.values[measure] - before[_case(one)].values[measure]}}
        )
        for one in own
        if measure in one.values and _case(one) in before and measure in before[_case(one)].values
    ]
    return [
        cell(_measured(both, DIFFERENCE), signed=True),
        str(len(own)),
        str(sum(one.unusable > 0 for one in own)),
        str(sum(bool(one.failed) for one in own)),
        f"{_mean(one.cpu + one.own for one in own):.1f}",
        f"{_mean(one.cpu + one.own for one in other):.1f}",
    ]


def costs_table(found: Sequence[Outcome]) -> str:
    """A row for each model: what measuring took."""
    rows = []
    for model in _models(found):
        own = [one for one in found if one.model == model]
        hours = sum(one.cpu + one.own for one in own) / 3600
        cells = [len(own), sum(one.calls for one in own), f"{sum(one.seconds for one in own) / 3600:.2f}"]
        rows.append([model or NO_MODEL, *map(str, cells), f"{hours:.2f}"])
    every = sum(one.cpu + one.own for one in found) / 3600
    rows.append(["together", str(len(found)), "", "", f"{every:.2f}"])
    return table(["model", "cases", "calls", "hours", "processor hours"], rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells as a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(found: Interval | None, *, signed: bool = False) -> str:
    """A value with its interval, unless it is of a few, and the number of questions; empty: there is none."""
    if found is None:
        return ""
    form = "+.2f" if signed else ".2f"
    interval = f" ({found.low:{form}} to {found.high:{form}})" if found.questions >= FEWEST else ""
    text = f"{found.mean:{form}}{interval}, {found.questions}"
    return text.replace("-", "−")


def _measured(found: Sequence[Outcome], measure: str) -> Interval | None:
    # Questions of two sets may share an id.
    return measures([one.model_copy(update={"group": f"{one.data} {one.group}"}) for one in found]).get(
        measure
    )


def _models(found: Iterable[Outcome]) -> list[str]:
    return sorted({one.model for one in found})


def _case(one: Outcome) -> tuple[str, str, int]:
    return one.data, one.group, one.place


def _mean(values: Iterable[float]) -> float:
    every = list(values)
    return sum(every) / len(every) if every else 0.0


if __name__ == "__main__":
    main()
