"""Reports: a run, a comparison, an evaluation or a graph as one HTML text that needs nothing else. No Streamlit here.

A report is made of the same views as the page, and drawn by the same scripts (`core.drawings`). It loads
nothing, and its policy lets no script run but its own.
"""

from __future__ import annotations

from core.report.comparison import comparison_report, stored_comparison
from core.report.evaluation import evaluation_report
from core.report.network import network_report
from core.report.run import run_report, stored_report

__all__ = [
    "comparison_report",
    "evaluation_report",
    "network_report",
    "run_report",
    "stored_comparison",
    "stored_report",
]
