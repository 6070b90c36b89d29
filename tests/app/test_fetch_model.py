"""A model is checked where somebody asks for it, and steps that it cannot do are done by other methods from then on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants

from core.models.choice import AS_CONFIGURED
from core.skills.checking.items import items
from core.ui.shell import fetch_model
from tests.app.opening import cells, click, drawn, harmless, has, keys, open_models
from tests.app.pages import NOWHERE, app, workbench
from tests.checked import rules
from tests.embedder import word_counts
from tests.hub import Hub, small_model
from tests.scripted import Rule, ScriptedServer

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


def test_a_check_is_asked_for_and_changes_methods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> None:
    own = {**NOWHERE, "OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted"}
    with workbench(monkeypatch, tmp_path, **own) as bench:
        bench.backends.__dict__["embedder"] = word_counts()
        page = app()
        page.session_state["strategy"] = "rag-fusion"
        drawn(page.run())
        widget = "method-search_queries-endpoint"
        assert {widget, "method-answer-endpoint"} <= keys(page, "selectbox")
        assert has(page, "Nobody has checked this model yet")
        assert has(page, f"About a minute, {items().calls} calls")
        asked = len(scripted.requests)

        scripted.rules = rules(["reword", "tools"])
        click(page, "model-check-start")
        job = bench.backends.checks.job(AS_CONFIGURED)
        assert job is not None
        second = bench.backends.checks.start(AS_CONFIGURED)
        assert second is job or job.done  # two browsers see the same one; where it has ended, it begins anew
        second.result(60)
        drawn(page.run())
        assert has(page, "**It cannot** reword questions, call tools. Simpler methods do these steps.")
        assert has(page, "**It can** judge relevance, judge support")
        (shown,) = (found for one in page.dataframe if "Done by" in (found := cells(one.value)))
        assert shown["Done by"][shown["Step"].index("Choose tools")] == "The nearest example"
        assert harmless(page)
        assert len(scripted.requests) > asked
        # The default is another one now, and whoever picks a method has it.
        assert f"{widget}-checked" in keys(page, "selectbox")
        assert page.selectbox(key=f"{widget}-checked").value == "sampled"
        assert page.selectbox(key="method-answer-endpoint").value == "model"
        kind = bench.backends.checks.kind(AS_CONFIGURED)
        assert {"reword", "search_queries", "choose_tool", "route"} <= kind.cannot

        click(page, "model-check-forget")
        assert page.selectbox(key=widget).value == "model"
        assert bench.backends.checks.kind(AS_CONFIGURED).cannot == frozenset()


def test_a_check_that_fails_says_why_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> None:
    own = {**NOWHERE, "OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted"}
    with workbench(monkeypatch, tmp_path, **own) as bench:
        bench.backends.__dict__["embedder"] = word_counts()
        page = app()
        scripted.rules = [Rule(status=401, reply="no")]
        click(page, "model-check-start")
        job = bench.backends.checks.job(AS_CONFIGURED)
        assert job is not None
        job.let_end(60)
        drawn(page.run())
        assert has(page, "key")
        assert bench.backends.checks.result(AS_CONFIGURED) is None
        scripted.rules = [Rule(fault="hang")]
        job = bench.backends.checks.start(AS_CONFIGURED)
        job.stop(60)
        assert job.done
        assert has(drawn(page.run()), "Stopped. Nothing was changed.")


def test_who_may_have_the_server_s_model_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE, TEACHER_PASSWORD="right"):
        page = app(owner="a" * 32)
        assert "model-check-start" not in keys(page)
        page.text_input(key="teacher-password").set_value("right")
        assert "model-check-start" in keys(click(page, "teacher-sign-in"))


def test_the_built_in_model_is_not_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_model = {
        name: value for name, value in NOWHERE.items() if name not in ("OPENAI_BASE_URL", "CHAT_MODEL")
    }
    with workbench(monkeypatch, tmp_path, **without_model):
        assert "model-check-start" not in keys(app(model="built-in"))


def test_a_model_is_fetched(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE) as bench:
        page = open_models(app())
        assert hub.asked == []  # nothing before a click
        hub.content = b"x" + CONTENT[1:]
        click(page, "fetch-small")
        first = bench.backends.downloads.job(MODEL)
        assert first is not None
        first.let_end(60)
        assert has(drawn(page.run()), "its hash is another one")
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
