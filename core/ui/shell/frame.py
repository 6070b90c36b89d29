"""What every page begins with."""

from __future__ import annotations

from core.runs.workbench import Workbench
from core.ui.shell import session, theme
from core.ui.shell.sidebar import sidebar


def framed() -> Workbench:
    """The process's workbench; the page has its theme and its sidebar."""
    bench = session.workbench()
    theme.apply()
    sidebar(bench)
    return bench
