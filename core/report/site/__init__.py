"""Lessons with their explorables, and the recorded runs, as static pages.

Each page is a file of its own that needs nothing else: it opens from a disk or from any web space, asks for nothing
anywhere, and its content policy lets nothing run but its own script.
"""

from core.report.site.writing import Page, pages, write

__all__ = ["Page", "pages", "write"]
