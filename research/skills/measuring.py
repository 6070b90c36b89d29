"""How good a method is at labelled cases: means, the area under the ROC curve, and how sure both are."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from core.evaluation.statistics import Interval, intervals

Half = Literal["tuning", "held-out"]
HALVES: tuple[Half, ...] = ("tuning", "held-out")
RESAMPLES = 2000
AUC = "AUC"


@dataclass(frozen=True)
class Seen:
    """What one use of a skill gave."""

    values: Mapping[str, float] = field(default_factory=dict)
    """Measure -> value, averaged over the cases that have it."""
    label: bool | None = None
    """What a grader should say; None: the case is none for a grader."""
    score: float = 0.0
    """How sure a grader is of yes; its verdict as 0 or 1 where it gives no number."""


class Outcome(BaseModel):
    """A case, the method that it was put through, and what became of it: figures alone, no text of a model or a set."""

    model_config = ConfigDict(frozen=True)

    task: str
    method: str
    model: str
    """Empty: the method asks none, so that its outcome holds beside any model."""
    prompt: str = ""
    """Beginning of the hash of the prompt's text: with another one it is measured again. Empty: there is none."""
    data: str
    group: str
    """What is drawn together when intervals are made, as the pairs of one question are."""
    place: int = 0
    """The case's place in its group, from 0."""
    half: Half
    values: dict[str, float] = {}
    label: bool | None = None
    score: float = 0.0
    """As of `Seen`, like the two before."""
    seconds: float
    calls: int
    unusable: int = 0
    """Number of times that the model's replies lacked the form asked for, so that the skill's other method did it."""
    failed: str = ""
    """Kind of the error that left the case without an outcome; empty: it has one."""
    cpu: float = 0.0
    """Processor seconds of the model's process on this machine."""
    own: float = 0.0
    """Processor seconds of this process: embeddings, searches."""

    @property
    def key(self) -> tuple[str, ...]:
        """Names the case, method and prompt, so that it is not measured again."""
        return *self.asked, self.prompt

    @property
    def asked(self) -> tuple[str, ...]:
        """The same, with whatever prompt."""
        return self.task, self.method, self.model, self.data, self.group, str(self.place)


def halves(groups: Iterable[str], seed: int) -> dict[str, Half]:
    """Groups in a random order that depends on nothing but their names and the seed, by turns in either half.

    The first so many of them are a sample, and a larger sample holds the smaller one.
    """
    order = sorted(set(groups))
    random.Random(seed).shuffle(order)
    return {group: HALVES[place % 2] for place, group in enumerate(order)}


def auc(labels: Sequence[bool], scores: Sequence[float]) -> float:
    """Area under the ROC curve: how often a random positive scores above a random negative, ties counting half.

    Args:
        labels: Of each case.
        scores: Of each case, in any unit.

    Returns:
        From 0 to 1, 0.5 being chance; NaN if all labels are the same.
    """
    return _auc(np.array(labels, dtype=bool), np.array(scores, dtype=float))


def _auc(labels: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    above, below = scores[labels], np.sort(scores[~labels])
    if not above.size or not below.size:
        return float("nan")
    wins = np.searchsorted(below, above, side="left") + np.searchsorted(below, above, side="right")
    return float(wins.sum() / 2 / above.size / below.size)


def auc_interval(outcomes: Sequence[Outcome], seed: int = 0, resamples: int = RESAMPLES) -> Interval | None:
    """The AUC with its percentile interval of 95 % over resampled groups; None without cases of both kinds."""
    judged = [one for one in outcomes if one.label is not None]
    if not judged:
        return None
    groups = sorted({one.group for one in judged})
    labels = np.array([bool(one.label) for one in judged])
    scores = np.array([one.score for one in judged])
    whole = _auc(labels, scores)
    if np.isnan(whole):
        return None
    members = [np.flatnonzero([one.group == group for one in judged]) for group in groups]
    drawn = np.random.default_rng(seed).integers(0, len(groups), (resamples, len(groups)))
    found = []
    for row in drawn:
        places = np.concatenate([members[place] for place in row])
        found.append(_auc(labels[places], scores[places]))
    low, high = np.nanquantile(found, [0.025, 0.975])
    return Interval(whole, float(low), float(high), len(groups))


def measures(outcomes: Sequence[Outcome], seed: int = 0) -> dict[str, Interval]:
    """Every measure of some outcomes: each group counts the same, however many cases it has; and the AUC."""
    by_group: dict[str, dict[str, list[float]]] = {}
    for one in outcomes:
        for key, value in one.values.items():
            by_group.setdefault(one.group, {}).setdefault(key, []).append(value)
    rows = {
        group: {key: sum(values) / len(values) for key, values in found.items()}
        for group, found in by_group.items()
    }
    keys = dict.fromkeys(key for row in rows.values() for key in row)
    made = {key: intervals({"": rows}, key, seed=seed, resamples=RESAMPLES)[""] for key in keys}
    area = auc_interval(outcomes, seed)
    return ({AUC: area} if area else {}) | made
