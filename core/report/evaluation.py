"""The report of an evaluation: what was found, with everything that is needed to judge it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from core.cards.parts import Drawing
from core.cards.texts import doubted
from core.charts.evaluation_findings import findings, remarks
from core.charts.evaluation_grid import SCALE, STAGE_LOOKS, hardest_first, stages_drawn
from core.charts.evaluation_settings import facts, setting_names, settings_rows, with_titles
from core.charts.evaluation_table import (
    MAIN_COSTS,
    ORACLE_LOOK,
    VERDICT_MARKS,
    Look,
    evaluation_table,
    looks,
    number,
    numbers,
)
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.failure_stages import STAGES, PairStage
from core.evaluation.measures import BEYOND, LEADING, Metric, Scores, metric, present
from core.evaluation.oracle import ORACLE, Oracle
from core.evaluation.plan import Evaluation, Outcomes
from core.evaluation.results import Prices, results_of
from core.evaluation.statistics import Interval, compare, intervals, intervals_by_type, values_of
from core.report.page import page


@dataclass(frozen=True)
class Span:
    """A number with its interval on an axis; places are in percent of the axis."""

    mark: str
    """Letter of the setting, by which the report knows its colour."""
    label: str
    zero: float
    x: float
    low: float
    high: float
    text: str
    verdict: str = ""

    @property
    def bar(self) -> tuple[float, float]:
        """Where the bar from 0 begins, and its width."""
        return min(self.zero, self.x), abs(self.x - self.zero)


@dataclass(frozen=True)
class Chart:
    """One metric: the differences to the baseline and the means, if it is no difference itself."""

    metric: Metric
    to: str
    """Name of the baseline, or of what else the differences are to."""
    differences: Sequence[Span]
    means: Sequence[Span]


def evaluation_report(
    evaluation: Evaluation, outcomes: Outcomes, prices: Prices | None = None, baseline: str = ""
) -> str:
    """An evaluation as one HTML text that needs nothing else.

    Args:
        prices: Model name -> US dollars per million tokens sent and written.
        baseline: Label of a setting; empty: the evaluation's own.

    Raises:
        InputError: The baseline is not among the settings.
    """
    names = setting_names(evaluation)
    evaluation = with_titles(evaluation)
    spec = evaluation.spec
    base = names.get(baseline, baseline) or spec.baseline
    results = results_of(evaluation, outcomes, prices)
    found, lost, best = results.scores, results.stages, results.best
    look = looks({setting.label: setting.strategy for setting in spec.settings})
    keys = present(found)
    lead = [key for key in LEADING if key in keys]
    table = evaluation_table(found, base, keys, best, spec.looks, in_order=spec.sweep is not None)
    # Charts in the order of the table's columns.
    found = {row.strategy: found[row.strategy] for row in table.rows if row.strategy in found}
    lost = {name: lost[name] for name in found if name in lost}
    return page(
        "evaluation.html",
        evaluation.title,
        {one.mark: one.colour for one in (*look.values(), *([ORACLE_LOOK] if best else []))},
        evaluation=evaluation,
        base=base,
        done=len(outcomes.done),
        findings=findings(found, base, spec.looks),
        remarks=remarks(results, base),
        table=Drawing("evaluation", table.data(look)) if keys else None,
        table_aid=table.aid,
        uncertain=table.uncertain,
        charts=[_chart(found, base, key, look, best, spec.looks) for key in (BEYOND, *lead) if key in keys],
        pareto=_pareto(found, lead, keys, look, best),
        tiles=tiles(found, lead[0], evaluation.questions, look) if lead else None,
        types=_types(evaluation, found, lead),
        stages=_stages(lost, look),
        look=look,
        last_look=ORACLE_LOOK,
        questions=_questions(evaluation, outcomes, found, lost, lead),
        failed=[
            (spec.settings[place].label, question, error)
            for (place, question), error in outcomes.failed.items()
        ],
        facts=facts(evaluation),
        settings=settings_rows(evaluation),
    )


def _chart(
    found: Scores, base: str, key: str, look: Mapping[str, Look], best: Oracle | None, looks: int
) -> Chart:
    against = compare(found, base, key, looks)
    means = intervals(found, key) if not metric(key).against else {}
    if best and (top_mean := best.mean(key)):
        means[ORACLE] = top_mean
    reach = (
        max((abs(end) for one in against for end in (one.interval.low, one.interval.high)), default=0) or 1
    )
    top = 1.0 if metric(key).share or not means else max(one.high for one in means.values()) or 1
    return Chart(
        metric(key),
        metric(key).against or base,
        [
            _span(
                key,
                one.strategy,
                one.interval,
                look,
                (-reach, reach),
                signed=True,
                verdict=f"{VERDICT_MARKS[one.verdict]} {one.verdict}",
            )
            for one in against
        ],
        [_span(key, label, one, look, (0.0, top)) for label, one in means.items()],
    )


def _span(
    key: str,
    label: str,
    found: Interval,
    look: Mapping[str, Look],
    axis: tuple[float, float],
    *,
    signed: bool = False,
    verdict: str = "",
) -> Span:
    def place(value: float) -> float:
        return 100 * (value - axis[0]) / (axis[1] - axis[0])

    mean, low, high = numbers(key, found, signed=signed)
    ends = place(found.mean), place(found.low), place(found.high)
    return Span(
        look.get(label, ORACLE_LOOK).mark, label, place(0.0), *ends, f"{mean} [{low}, {high}]", verdict
    )


def _pareto(
    found: Scores, lead: Sequence[str], keys: Sequence[str], look: Mapping[str, Look], best: Oracle | None
) -> tuple[str, str, Sequence[tuple[str, str, float, float, str]]] | None:
    """Titles of both axes; letter and label of each setting, its place in percent, and its values in words. None:
    nothing differs in cost."""
    if not lead or len(found) < 2:
        return None
    costs = {key: intervals(found, key) for key in MAIN_COSTS if key in keys}
    paid = next((key for key in costs if any(one.mean > 0 for one in costs[key].values())), None)
    if paid is None:
        return None
    quality = intervals(found, lead[0])
    if best and (both := best.both(lead[0], paid)):
        quality[ORACLE], costs[paid][ORACLE] = both
    most = max(one.mean for one in costs[paid].values())
    dots = [
        (
            look.get(label, ORACLE_LOOK).mark,
            label,
            4 + 90 * costs[paid][label].mean / most,
            92 - 84 * one.mean,
            f"{number(lead[0], one.mean)} {metric(lead[0]).title}, {number(paid, costs[paid][label].mean)} "
            f"{metric(paid).title.lower()} per question",
        )
        for label, one in quality.items()
        if label in costs[paid]
    ]
    return metric(lead[0]).title, metric(paid).title, dots


def _types(
    evaluation: Evaluation, found: Scores, lead: Sequence[str]
) -> Sequence[tuple[str, str, int, Mapping[str, str]]]:
    """Metric, type, number of questions, and the mean of each setting with its interval, and over how many questions
    if these are fewer."""
    types = {question.id: question.type for question in evaluation.questions}
    counts = Counter(types.values())
    if len(counts) < 2:
        return []
    rows = []
    for key in lead:
        for name, means in intervals_by_type(found, key, types).items():
            texts = {}
            for label, one in means.items():
                mean, low, high = numbers(key, one)
                fewer = f" of {one.questions}" if one.questions < counts[name] else ""
                texts[label] = f"{mean} [{low}, {high}]{fewer}"
            rows.append((metric(key).title, name.replace("_", " ") or "no type", counts[name], texts))
    return rows


def _stages(
    lost: Mapping[str, Mapping[str, PairStage]], look: Mapping[str, Look]
) -> Sequence[tuple[str, str, str, Mapping[str, int]]]:
    """Stage, what it means, its colour, and how many questions of each setting ended there."""
    counted = {
        stage: {label: sum(one.stage == stage for one in by.values()) for label, by in lost.items()}
        for stage in stages_drawn(lost)
    }
    return [
        (stage, STAGES[stage], STAGE_LOOKS[stage][0], {label: counts.get(label, 0) for label in look})
        for stage, counts in counted.items()
    ]


def _questions(
    evaluation: Evaluation,
    outcomes: Outcomes,
    found: Scores,
    lost: Mapping[str, Mapping[str, PairStage]],
    lead: Sequence[str],
) -> Iterator[tuple[str, str, Sequence[tuple[str, str, str, str]]]]:
    """Text and right answers of each question; per setting its mark, metrics, answer and where it failed."""
    for question in evaluation.questions:
        cells = []
        for place, setting in enumerate(evaluation.spec.settings):
            by = found.get(setting.label, {}).get(question.id, {})
            parts = [f"{metric(key).title} {number(key, by[key])}" for key in lead if key in by]
            said = ", ".join([*parts, *(["cannot be judged"] if by.get("unclear") else [])])
            result = outcomes.done.get((place, question.id))
            answer = doubted(result.answer.text, result.answer) if result and result.answer else ""
            stage = lost.get(setting.label, {}).get(question.id)
            cells.append((setting.label, said, answer, stage.stage if stage else "not tried"))
        answers = "; ".join(question.answers)
        yield question.text, f"{answers}. {question.note}" if question.note else answers, cells


def tiles(
    found: Scores, key: str, questions: Sequence[LabelledQuestion], look: Mapping[str, Look]
) -> dict[str, Any]:
    """The tiles of one metric that lies between 0 and 1: a row per setting, the questions hardest for all first.

    Widths and places are in percent; each row has the mark and the label of its setting.
    """
    texts = {question.id: question.text for question in questions}
    values = values_of(found, key)
    order = hardest_first(values, descending=metric(key).good == "low")
    step = 100 / max(1, len(order))

    def row(by: Mapping[str, float]) -> list[dict[str, Any]]:
        return [
            {"x": place * step, "colour": shade(by[one]), "text": f"{number(key, by[one])}: {texts[one]}"}
            for place, one in enumerate(order)
            if one in by
        ]

    rows = [(look[label].mark, label, row(by)) for label, by in values.items()]
    return {"metric": metric(key), "width": step * 0.94, "rows": rows}


def shade(value: float) -> str:
    """The colour of a value between 0 and 1, as `#rrggbb`."""
    for (start, first), (end, last) in pairwise(SCALE):
        if value <= end:
            part = (max(value, start) - start) / (end - start)
            pairs = zip(_channels(first), _channels(last), strict=True)
            return "#" + "".join(f"{round(one + part * (other - one)):02x}" for one, other in pairs)
    return SCALE[-1][1]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
