"""What a page says of a database server that is not there."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.app.opening import has, opened
from tests.app.pages import NOWHERE, said, workbench


@pytest.mark.parametrize("path", ["pages/playground.py", "pages/runs.py", "pages/evaluate.py"])
def test_a_database_that_does_not_answer_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        database = {"DATABASE_URL": f"postgresql://loupe:hunter2@{address}/db"}
        with workbench(monkeypatch, tmp_path, **NOWHERE, **database):
            page = opened(path)
    assert has(page, "does not accept a connection")
    assert "hunter2" not in said(page)
    assert "hunter2" not in caplog.text
