"""Whole pages under AppTest: the app's own script, without server and browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.runs.workbench import Workbench, get_workbench
from core.settings import get_settings
from core.ui.shell.models import Option
from tests.homes import DATABASE, furnish

APP = Path(__file__).parents[2] / "app.py"
NOWHERE = {
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "CHAT_MODEL": "none",
    "CHROMA_URL": "http://127.0.0.1:9",
    "NEO4J_URI": "bolt://127.0.0.1:9",
}
"""Backends that are set, so that no local one is started, and are not there."""


@contextmanager
def workbench(patch: pytest.MonkeyPatch, home: Path, **environment: str) -> Iterator[Workbench]:
    """The workbench of the pages that are drawn meanwhile, on a home and with settings from the environment.

    A new home is furnished: to put the gallery and the recording into its database takes longer than a page.
    """
    if "DATABASE_URL" not in environment and not (home / DATABASE).exists():
        home.mkdir(exist_ok=True)
        furnish(home)
    for name, value in {"RAG_LOUPE_HOME": str(home), **environment}.items():
        patch.setenv(name, value)
    get_settings.cache_clear()
    get_workbench.cache_clear()
    yield get_workbench()
    for thread in threading.enumerate():
        if thread.name.startswith("rag-loupe-warm"):
            thread.join()  # what it imports changes the environment, which the next test reads
    get_settings.cache_clear()
    get_workbench.cache_clear()


def app(path: str = "", owner: str = "", model: Option | str = "", **query: str) -> AppTest:
    """A page that was drawn without an exception.

    Args:
        path: File of the page, as `pages/runs.py`; empty: the Playground.
        owner: Whose browser it is; empty: somebody's who is new.
        model: That was chosen, empty: none.
        query: Of the address.
    """
    page = unfolded(AppTest.from_file(str(APP), default_timeout=60), query.get("run", ""))
    if owner:
        page.session_state["owner"] = owner
    if model:
        page.session_state["model-chosen"] = model
    for name, value in query.items():
        page.query_params[name] = value
    if path:
        page.switch_page(path)  # before anything is drawn: no other page need be
    page.run()
    assert not page.exception
    return page


def unfolded(page: AppTest, run: str = "") -> AppTest:
    """The page with its popovers open, and the form of its run: what is in them is drawn only then."""
    page.session_state["model-line"] = page.session_state["options"] = True
    if run:
        page.session_state[f"form-of-{run}"] = True
    return page


def picked(page: AppTest, strategy: str) -> AppTest:
    """The page with this strategy chosen: its picker is a drawing, which puts the choice there."""
    page.session_state["strategy"] = strategy
    return page.run()


def drawn_when_done(page: AppTest, bench: Workbench, seconds: float = 60) -> AppTest:
    """The page after the runs that it began have ended."""
    for job in list(bench.launcher._jobs.values()):
        job.result(seconds)
    run = page.query_params.get("run", "")
    unfolded(page, run if isinstance(run, str) else run[0]).run()
    assert not page.exception
    return page


def forecast(page: AppTest) -> str:
    """The line that says what it will take."""
    return next(one.value for one in page.caption if "Forecast" in one.value)


def said(page: AppTest) -> str:
    """Everything that the page says in words, without the marks that keep it literal."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "error", "warning", "info", "success")
    items: list[Any] = [item for kind in kinds for item in page.get(kind)]
    lines = [*(item.label for item in page.expander), *(str(item.value) for item in items)]
    return "\n".join(lines).replace("\\", "")
