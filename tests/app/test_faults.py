"""What a page does not catch is in the log of the home, as what the command line does not catch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.logs import LOG, keep_log
from core.settings import get_settings

KEY = "server-key-of-the-tests"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("RAG_LOUPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    get_settings.cache_clear()
    yield tmp_path / "home"
    get_settings.cache_clear()


def broken_page() -> None:
    import os

    raise ZeroDivisionError(f"drawn with {os.environ['OPENAI_API_KEY']}")


def test_a_page_that_breaks_is_in_the_log(home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    AppTest.from_string("").run()  # Streamlit reads its settings, as it does before the app's first page
    keep_log()
    shown = AppTest.from_function(broken_page).run()
    assert len(shown.exception) == 1
    kept = (home / LOG).read_text(encoding="utf-8")
    assert "Uncaught app execution" in kept
    assert "ZeroDivisionError: drawn with •••" in kept
    assert KEY not in kept + "".join(capfd.readouterr())
