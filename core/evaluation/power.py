"""How many questions a difference needs to be told from chance, and how large one must be to be told by so many.

The power of a paired test by the normal approximation: n = ((z_a + z_b) * spread / difference)² + z_a² / 2. z_a is the
quantile of the corrected level, two-sided, and z_b that of the power; the last term corrects for small samples
(Guenther 1981, "Sample size formulas for normal theory t tests"). A forecast, no verdict: that comes from
`core.evaluation.statistics`.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from core.evaluation.statistics import LEVEL

POWER = 0.8
"""How often a difference of this size would be told."""
USUAL_SPREAD = 0.25
"""Standard deviation of the difference in recall per question, which three of four comparisons with plain retrieval do
not exceed (`docs/results.tsv`: 36 comparisons of 85 or 100 questions, median 0.18)."""
MOST = 1000
"""Above this number of questions, none is named."""
_NORMAL = NormalDist()


def questions_needed(difference: float, spread: float, comparisons: int = 1, looks: int = 1) -> int | None:
    """How many questions tell a difference from chance.

    Args:
        difference: Of the means.
        spread: Standard deviation of the difference per question, above 0.
        comparisons: How many strategies are compared with the baseline.
        looks: How often the questions have been looked at, this time included.

    Returns:
        None where there is no difference, or it needs more than `MOST`.
    """
    if not difference:
        return None
    level = _quantile(comparisons, looks)
    least = ((level + _NORMAL.inv_cdf(POWER)) * spread / difference) ** 2 + level**2 / 2
    found = max(math.ceil(least), fewest(comparisons, looks))
    return found if found <= MOST else None


def smallest_told(
    questions: int, spread: float = USUAL_SPREAD, comparisons: int = 1, looks: int = 1
) -> float | None:
    """The smallest difference that so many questions tell from chance.

    Returns:
        None where they tell none: a randomisation test of so few questions is never below the level, or the difference
        would be above 1.
    """
    level = _quantile(comparisons, looks)
    left = questions - level**2 / 2
    if questions < fewest(comparisons, looks) or left <= 0:
        return None
    found = (level + _NORMAL.inv_cdf(POWER)) * spread / math.sqrt(left)
    return found if found < 1 else None


def fewest(comparisons: int = 1, looks: int = 1) -> int:
    """The fewest questions with which a randomisation test can tell anything: with n that all differ in the same
    direction, its p-value is 2 / 2ⁿ."""
    return math.floor(1 + math.log2(comparisons * looks / (1 - LEVEL))) + 1


def _quantile(comparisons: int, looks: int) -> float:
    return _NORMAL.inv_cdf(1 - (1 - LEVEL) / (2 * max(1, comparisons) * max(1, looks)))
