"""Scores of different kinds on one scale, so that they can be added."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values with mean 0 and standard deviation 1; zeros where all are the same."""
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)
