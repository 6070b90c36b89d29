"""What every page begins with."""

from __future__ import annotations

import streamlit as st

from core.runs.workbench import Workbench
from core.ui.shell import session
from core.ui.shell.assets import asset
from core.ui.shell.sidebar import sidebar


def framed() -> Workbench:
    """The process's workbench; the page has its theme and its sidebar."""
    bench = session.workbench()
    st.html(f"<style>{asset('page.css')}</style>")  # our own text only
    sidebar(bench)
    return bench
