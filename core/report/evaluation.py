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
        """The left end of the bar from 0, and its width."""
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
    """Return an evaluation as one HTML text that needs nothing else; `prices` are US dollars per million tokens sent
    and written, by model name, and `baseline` is the label of a setting (empty: the evaluation's own).

    Raises:
        InputError: The baseline is not among the settings.
    """
    names = setting_names(evaluation)
    evaluation = with_titles(evaluation)
    spec = evaluation.spec
    base = names.get(baseline, baseline) or spec.baseline
    results = results_of(evaluation, outcomes, prices)
    scores, lost, best = results.scores, results.stages, results.best
    look = looks({setting.label: setting.strategy for setting in spec.settings})
    keys = present(scores)
    lead = [key for key in LEADING if key in keys]
    table = evaluation_table(scores, base, keys, best, spec.looks, in_order=spec.sweep is not None)
    # Charts in the order of the table's columns.
    scores = {row.strategy: scores[row.strategy] for row in table.rows if row.strategy in scores}
    lost = {name: lost[name] for name in scores if name in lost}
    return page(
        "evaluation.html",
        evaluation.title,
        {look_of.mark: look_of.colour for look_of in (*look.values(), *([ORACLE_LOOK] if best else []))},
        evaluation=evaluation,
        base=base,
        done=len(outcomes.done),
        findings=findings(scores, base, spec.looks),
        remarks=remarks(results, base),
        table=Drawing("evaluation", table.data(look)) if keys else None,
        table_aid=table.aid,
        charts=[_chart(scores, base, key, look, best, spec.looks) for key in (BEYOND, *lead) if key in keys],
        pareto=_pareto(scores, lead, keys, look, best),
        tiles=tiles(scores, lead[0], evaluation.questions, look) if lead else None,
        types=_types(evaluation, scores, lead),
        stages=_stages(lost, look),
        look=look,
        last_look=ORACLE_LOOK,
        questions=_questions(evaluation, outcomes, scores, lost, lead),
        failed=[
            (spec.settings[place].label, question, error)
            for (place, question), error in outcomes.failed.items()
        ],
        facts=facts(evaluation),
        settings=settings_rows(evaluation),
    )


def _chart(
    scores: Scores, base: str, key: str, look: Mapping[str, Look], best: Oracle | None, looks: int
) -> Chart:
    against = compare(scores, base, key, looks)
    means = intervals(scores, key) if not metric(key).against else {}
    if best and (top_mean := best.mean(key)):
        means[ORACLE] = top_mean
    reach = (
        max((abs(end) for gap in against for end in (gap.interval.low, gap.interval.high)), default=0) or 1
    )
    top = 1.0 if metric(key).share or not means else max(mean.high for mean in means.values()) or 1
    return Chart(
        metric(key),
        metric(key).against or base,
        [
            _span(
                key,
                gap.strategy,
                gap.interval,
                look,
                (-reach, reach),
                signed=True,
                verdict=f"{VERDICT_MARKS[gap.verdict]} {gap.verdict}",
            )
            for gap in against
        ],
        [_span(key, label, mean, look, (0.0, top)) for label, mean in means.items()],
    )


def _span(
    key: str,
    label: str,
    interval: Interval,
    look: Mapping[str, Look],
    axis: tuple[float, float],
    *,
    signed: bool = False,
    verdict: str = "",
) -> Span:
    def place(value: float) -> float:
        return 100 * (value - axis[0]) / (axis[1] - axis[0])

    mean, low, high = numbers(key, interval, signed=signed)
    ends = place(interval.mean), place(interval.low), place(interval.high)
    return Span(
        look.get(label, ORACLE_LOOK).mark, label, place(0.0), *ends, f"{mean} [{low}, {high}]", verdict
    )


def _pareto(
    scores: Scores, lead: Sequence[str], keys: Sequence[str], look: Mapping[str, Look], best: Oracle | None
) -> tuple[str, str, Sequence[tuple[str, str, float, float, str]]] | None:
    """Titles of both axes; letter and label of each setting, its place in percent, and its values in words. None:
    nothing differs in cost."""
    if not lead or len(scores) < 2:
        return None
    costs = {key: intervals(scores, key) for key in MAIN_COSTS if key in keys}
    paid = next((key for key in costs if any(mean.mean > 0 for mean in costs[key].values())), None)
    if paid is None:
        return None
    quality = intervals(scores, lead[0])
    if best and (both := best.both(lead[0], paid)):
        quality[ORACLE], costs[paid][ORACLE] = both
    most = max(mean.mean for mean in costs[paid].values())
    dots = [
        (
            look.get(label, ORACLE_LOOK).mark,
            label,
            4 + 90 * costs[paid][label].mean / most,
            92 - 84 * mean.mean,
            f"{number(lead[0], mean.mean)} {metric(lead[0]).title}, {number(paid, costs[paid][label].mean)} "
            f"{metric(paid).title.lower()} per question",
        )
        for label, mean in quality.items()
        if label in costs[paid]
    ]
    return metric(lead[0]).title, metric(paid).title, dots


def _types(
    evaluation: Evaluation, scores: Scores, lead: Sequence[str]
) -> Sequence[tuple[str, str, int, Mapping[str, str]]]:
    """Metric, type, number of questions, and the mean of each setting with its interval, and over how many questions
    if these are fewer."""
    types = {question.id: question.type for question in evaluation.questions}
    counts = Counter(types.values())
    if len(counts) < 2:
        return []
    rows = []
    for key in lead:
        for name, means in intervals_by_type(scores, key, types).items():
            texts = {}
            for label, interval in means.items():
                mean, low, high = numbers(key, interval)
                fewer = f" of {interval.questions}" if interval.questions < counts[name] else ""
                texts[label] = (
                    f"{mean} [{low}, {high}]{fewer}" if interval.questions > 1 else f"{mean}{fewer}"
                )
            rows.append((metric(key).title, name.replace("_", " ") or "no type", counts[name], texts))
    return rows


def _stages(
    lost: Mapping[str, Mapping[str, PairStage]], look: Mapping[str, Look]
) -> Sequence[tuple[str, str, str, Mapping[str, int]]]:
    """Stage, what it means, its colour, and how many questions of each setting ended there."""
    counted = {
        stage: {label: sum(pair.stage == stage for pair in by.values()) for label, by in lost.items()}
        for stage in stages_drawn(lost)
    }
    return [
        (stage, STAGES[stage], STAGE_LOOKS[stage][0], {label: counts.get(label, 0) for label in look})
        for stage, counts in counted.items()
    ]


def _questions(
    evaluation: Evaluation,
    outcomes: Outcomes,
    scores: Scores,
    lost: Mapping[str, Mapping[str, PairStage]],
    lead: Sequence[str],
) -> Iterator[tuple[str, str, Sequence[tuple[str, str, str, str]]]]:
    """Text and right answers of each question; per setting its mark, metrics, answer and where it failed."""
    for question in evaluation.questions:
        cells = []
        for place, setting in enumerate(evaluation.spec.settings):
            by = scores.get(setting.label, {}).get(question.id, {})
            parts = [f"{metric(key).title} {number(key, by[key])}" for key in lead if key in by]
            metrics = ", ".join([*parts, *(["cannot be judged"] if by.get("unclear") else [])])
            result = outcomes.done.get((place, question.id))
            answer = doubted(result.answer.text, result.answer) if result and result.answer else ""
            stage = lost.get(setting.label, {}).get(question.id)
            cells.append((setting.label, metrics, answer, stage.stage if stage else "not tried"))
        answers = "; ".join(question.answers)
        yield question.text, f"{answers}. {question.note}" if question.note else answers, cells


def tiles(
    scores: Scores, key: str, questions: Sequence[LabelledQuestion], look: Mapping[str, Look]
) -> dict[str, Any]:
    """The tiles of one metric that lies between 0 and 1: a row per setting, the questions hardest for all first.

    Widths and places are in percent; each row has the mark and the label of its setting.
    """
    texts = {question.id: question.text for question in questions}
    values = values_of(scores, key)
    order = hardest_first(values, descending=metric(key).good == "low")
    step = 100 / max(1, len(order))

    def row(by: Mapping[str, float]) -> list[dict[str, Any]]:
        return [
            {"x": place * step, "colour": shade(by[id_]), "text": f"{number(key, by[id_])}: {texts[id_]}"}
            for place, id_ in enumerate(order)
            if id_ in by
        ]

    rows = [(look[label].mark, label, row(by)) for label, by in values.items()]
    return {"metric": metric(key), "width": step * 0.94, "rows": rows}


def shade(value: float) -> str:
    """The colour of a value between 0 and 1, as `#rrggbb`."""
    for (start, first), (end, last) in pairwise(SCALE):
        if value <= end:
            part = (max(value, start) - start) / (end - start)
            pairs = zip(_channels(first), _channels(last), strict=True)
            return "#" + "".join(f"{round(low + part * (high - low)):02x}" for low, high in pairs)
    return SCALE[-1][1]


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
