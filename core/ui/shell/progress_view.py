"""How far an import is, and what it did, in words."""

from __future__ import annotations

from core.corpora.reports import IndexReport
from core.wording import counted


def report_line(report: IndexReport) -> str:
    """One line; raw text."""
    unchanged = f", {report.unchanged:,} unchanged" if report.unchanged else ""
    documents = counted(report.documents, "document")
    return f"{documents} indexed in {report.chunks:,} chunks{unchanged}, {report.seconds:.1f} s"


def progress_line(message: str, rate: float | None, left: float | None) -> str:
    """One line; raw text.

    Args:
        message: What is being done.
        rate: Chunks per second; None: not known yet.
        left: Seconds left; None: not known yet.
    """
    speed = (
        f" · {rate:.0f} chunks/s" if rate and rate >= 1 else f" · {60 * rate:.0f} chunks/min" if rate else ""
    )
    return f"{message}{speed}{_left(left)}"


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 60:
        return f" · about {max(5, 5 * round(seconds / 5))} s left"
    if seconds < 3600:
        return f" · about {round(seconds / 60)} min left"
    return f" · about {seconds / 3600:.1f} h left"
