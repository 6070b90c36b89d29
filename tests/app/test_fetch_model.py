"""Open models are fetched where somebody asks for it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.ui.shell import fetch_model
from tests.app.opening import click, drawn, has, keys, open_models
from tests.app.pages import NOWHERE, app, workbench
from tests.hub import Hub, small_model

CONTENT = b"a model " * 5000
MODEL = small_model(CONTENT, title="A *small* model")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    hub = Hub(CONTENT)
    template = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(fetch_model, "RECOMMENDED", (MODEL,))
    yield hub
    hub.close()


def test_a_model_is_fetched(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE) as bench:
        page = open_models(app())
        assert hub.asked == []  # nothing before a click
        hub.content = b"x" + CONTENT[1:]
        click(page, "fetch-small")
        first = bench.backends.downloads.job(MODEL)
        assert first is not None
        first.wait(60)
        assert has(drawn(page.run()), "its hash differs")
        hub.content = CONTENT
        click(page, "fetch-small")
        job = bench.backends.downloads.job(MODEL)
        assert job is not None
        assert hashlib.sha256(job.result(60).read_bytes()).hexdigest() == MODEL.sha256
        drawn(page.run())
        assert "fetch-small" not in keys(page)
        assert has(page, MODEL.file)


def test_only_the_teacher_fetches(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE, TEACHER_PASSWORD="right"):
        assert "fetch-small" not in keys(open_models(app(owner="a" * 32)))
