"""An evaluation question by question: a tile per question and strategy, and where the runs failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil

import plotly.graph_objects as go

from core.cards.texts import FAILED, QUIET, plain, wrapped
from core.charts.evaluation_charts import AROUND_PX, LEGEND_ABOVE, LEGEND_PX, strategy_rows
from core.charts.evaluation_table import Look, number
from core.charts.styling import FONT
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.failure_stages import STAGES, PairStage, Stage
from core.evaluation.measures import Scores, metric
from core.evaluation.statistics import values_of

WITH_NUMBERS = 20
"""Up to this number of questions, each tile has room for its value."""
SCALE = ((0.0, "#35456C"), (0.5, "#7D7C78"), (1.0, "#FEE838"))
"""Cividis without its darkest part, which a dark page would swallow; its lightness alone tells values apart."""
STAGE_LOOKS: Mapping[Stage, tuple[str, str]] = {
    "run failed": (FAILED, "x"),
    "wrong from memory": ("#C49A5A", "x"),
    "no gold passage retrieved": ("#D55E00", "/"),
    "retrieved but not given": ("#E69F00", "\\"),
    "lost at refining": ("#8C5A2B", "\\"),
    "abstained": ("#A6A15E", "|"),
    "given but not used": ("#F0E442", "|"),
    "used but wrong": ("#CC79A7", "-"),
    "wrong, gold passages not known": ("#7A5195", "+"),
    "unsupported": ("#56B4E9", "."),
    "right": ("#009E73", ""),
    "not judged": (QUIET, ""),
}
"""Colour and pattern of each stage."""


def heat_map(scores: Scores, key: str, texts: Mapping[str, str], look: Mapping[str, Look]) -> go.Figure:
    """A tile per question and strategy, the questions that are hardest for all first; no tile: no value.

    Each tile's `customdata` is the id of its question and the label of its strategy. `texts`: id of a question -> its
    text.
    """
    values = values_of(scores, key)
    order = hardest_first(values, descending=metric(key).good == "low")
    tiles = [
        (place, row, id_, strategy, values[strategy][id_])
        for row, strategy in enumerate(values)
        for place, id_ in enumerate(order)
        if id_ in values[strategy]
    ]
    known = metric(key)
    figure = go.Figure()
    # Bars and not a heat map trace: only these can be clicked.
    figure.add_bar(
        x=[place for place, *_ in tiles],
        y=[0.9] * len(tiles),
        base=[row - 0.45 for _, row, *_ in tiles],
        width=0.94 if len(order) <= 200 else 1,
        customdata=[[id_, strategy] for *_, id_, strategy, _ in tiles],
        marker={
            "color": [value for *_, value in tiles],
            "colorscale": SCALE,
            "cmin": -1 if known.against else 0,
            "cmax": 1 if known.share else max((value for *_, value in tiles), default=1) or 1,
            "line": {"width": 0},
            "colorbar": {
                "title": {"text": plain(known.title), "side": "top", "font": {"size": FONT}},
                "tickfont": {"size": FONT},
                "thickness": 14,
                "orientation": "h",
                "len": 0.9,
                "y": -0.3,
                "yanchor": "top",
            },
        },
        text=[f"{value:.2f}".rstrip("0").rstrip(".") for *_, value in tiles]
        if len(order) <= WITH_NUMBERS
        else None,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        hovertext=[
            f"<b>{plain(strategy)}</b>: {number(key, value)}<br>{wrapped(texts.get(id_, id_))}"
            for *_, id_, strategy, value in tiles
        ],
        hoverinfo="text",
    )
    strategy_rows(figure, list(values), look, 46, rest=170)
    # Where a tile is too narrow for its number.
    figure.update_layout(uniformtext={"minsize": FONT, "mode": "hide"})
    figure.update_xaxes(title=f"{len(order)} questions, hardest first", showticklabels=False, showgrid=False)
    figure.update_yaxes(showgrid=False)
    return figure


OF_SEARCH: frozenset[Stage] = frozenset(
    ("run failed", "no gold passage retrieved", "retrieved but not given")
)
"""Stages that are told without an answer."""
UNJUDGED: Stage = "not judged"


def stages_drawn(outcomes: Mapping[str, Mapping[str, PairStage]]) -> tuple[Stage, ...]:
    """The stages at which any question ended, in their order. Where no answer was judged at all, what became of the
    others is not known, and they are left out."""
    there = {pair.stage for pairs in outcomes.values() for pair in pairs.values()}
    unknown = {UNJUDGED} if there <= OF_SEARCH | {UNJUDGED} else set()
    return tuple(stage for stage in STAGES if stage in there - unknown)


def failure_chart(outcomes: Mapping[str, Mapping[str, PairStage]], look: Mapping[str, Look]) -> go.Figure:
    """Draw how many questions ended at which stage, a bar per strategy; told apart by pattern as well as by colour."""
    figure = go.Figure()
    stages = stages_drawn(outcomes)
    for stage in stages:
        explained = STAGES[stage]
        counts = [sum(pair.stage == stage for pair in pairs.values()) for pairs in outcomes.values()]
        colour, pattern = STAGE_LOOKS[stage]
        figure.add_bar(
            x=counts,
            y=list(range(len(outcomes))),
            orientation="h",
            name=stage.capitalize(),
            marker={
                "color": colour,
                "pattern": {
                    "shape": pattern,
                    "fillmode": "overlay",
                    "fgcolor": "#17212B",
                    "fgopacity": 0.45,
                    "size": 7,
                    "solidity": 0.2,
                },
            },
            text=[f"<b>{count}</b>" if count else "" for count in counts],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            insidetextfont={"color": "#17212B"},
            customdata=[[strategy, stage] for strategy in outcomes],
            hovertext=[
                f"<b>{plain(strategy)}</b><br>{count} of {len(pairs)} questions: {stage}<br>{wrapped(explained)}"
                for (strategy, pairs), count in zip(outcomes.items(), counts, strict=True)
            ],
            hoverinfo="text",
        )
    legend_px = max(LEGEND_PX, 12 + 23 * ceil(len(stages) / 2))  # two stages fit beside one another
    strategy_rows(figure, list(outcomes), look, 46, rest=AROUND_PX - LEGEND_PX + legend_px)
    figure.update_layout(LEGEND_ABOVE | {"margin_t": legend_px}, barmode="stack", showlegend=True)
    figure.update_xaxes(title="Questions (number)")
    return figure


def hardest_first(values: Mapping[str, Mapping[str, float]], *, descending: bool) -> list[str]:
    """Ids of all questions by the mean over the strategies that have a value."""
    by_id: dict[str, list[float]] = {}
    for by_question in values.values():
        for id_, value in by_question.items():
            by_id.setdefault(id_, []).append(value)
    return sorted(by_id, key=lambda id_: sum(by_id[id_]) / len(by_id[id_]), reverse=descending)


def failures(
    outcomes: Mapping[str, Mapping[str, PairStage]], questions: Sequence[LabelledQuestion]
) -> list[tuple[LabelledQuestion, str, PairStage]]:
    """Every pair that failed: question, label of the strategy and stage, by question and then by strategy."""
    return [
        (question, strategy, pair)
        for question in questions
        for strategy, by_question in outcomes.items()
        if (pair := by_question.get(question.id)) and pair.stage not in ("right", "not judged")
    ]


def gold_kept(pair: PairStage) -> str:
    """Say how many gold documents came how far; empty: none is known."""
    if not pair.gold:
        return ""
    return f"Of {pair.gold} gold: {pair.retrieved} retrieved, {pair.given} given, {pair.cited} cited."
