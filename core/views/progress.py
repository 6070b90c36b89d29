"""What an import did, in words."""

from __future__ import annotations

from core.corpora.reports import IndexReport


def report_line(report: IndexReport) -> str:
    """One line; raw text."""
    documents = "1 document" if report.documents == 1 else f"{report.documents:,} documents"
    unchanged = f", {report.unchanged:,} unchanged" if report.unchanged else ""
    return f"{documents} indexed in {report.chunks:,} chunks{unchanged}, {report.seconds:.1f} s"
