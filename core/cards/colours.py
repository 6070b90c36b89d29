"""Colours that mean something, from the Okabe-Ito palette: told apart with every common colour blindness."""

from __future__ import annotations

SERIES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9")
"""One line of a chart each; always with a label as well."""

QUIET = "#8A949E"
"""What is there for comparison only; readable on white and on near-black."""

MODEL_TIME = "#CC79A7"
PLAYED_TIME = "#E69F00"
STEP_TIME = "#56B4E9"
FAILED = "#C0392B"
