"""A comparison for a projector, by a component of our own: it never interprets text, and no key asks the server."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.charts.columns import Column
from core.drawings.presenter import presentation
from core.runs.budget import PlainRanking
from core.runs.gold import Gold
from core.ui.shell.assets import drawing


def draw_presenter(
    columns: Sequence[Column],
    gold: Sequence[Gold],
    question: str,
    key: str,
    plain: Sequence[PlainRanking] = (),
) -> None:
    """Question, prediction, one strategy after another, result: turned by keys, buttons or a clicker.

    Args:
        columns: The runs, each as far as it is.
        gold: Documents that hold the evidence; empty: nobody knows, and the class judges the answers.
        question: What they answer.
        key: Of the comparison: unique on the page, and what this browser keeps the votes by.
        plain: What plain retrieval finds for the question; empty: it was not searched.
    """
    data = asdict(presentation(columns, gold, question, plain)) | {"key": key}
    drawing("presenter")(data=data, key=f"presenter-{key}")
