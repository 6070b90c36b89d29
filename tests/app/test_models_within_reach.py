"""The dialog of models: servers on this machine, model files, and why one of them does not answer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.models import host as model_host
from core.models.chat_models import FileModel
from core.models.host import ModelStatus
from core.models.reach.files import FOLDER
from core.runs.workbench import Workbench
from core.services import local_model
from core.services.gguf_header import read_header
from core.ui.shell import host, models
from core.ui.shell.models import BUILTIN_OPTION, Option
from tests.app.drawings import until
from tests.app.opening import click, drawings, drawn, harmless, has, keys, open_models, use_model
from tests.app.pages import NOWHERE, app, drawn_when_done, picked, unfolded, workbench
from tests.commands import until as came
from tests.gguf_files import write_gguf
from tests.scripted import ScriptedServer

CHAT, VECTORS = "qwen3:4b", "nomic-embed-text"
HOSTILE = "![x](https://example.org/a.png) <b>*bold*</b>"
NO_ENDPOINT = {name: url for name, url in NOWHERE.items() if name not in ("OPENAI_BASE_URL", "CHAT_MODEL")}


@contextmanager
def listening_to(address: str) -> Iterator[None]:
    """As if the server had been started with this address."""
    before = st.get_option("server.address")
    st.config.set_option("server.address", address)
    yield
    st.config.set_option("server.address", before)


@pytest.fixture(autouse=True)
def another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted server runs in the test's own process, whose ports are never asked."""
    monkeypatch.setattr(model_host, "listening_ports", list)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer) -> Iterator[Workbench]:
    """With a server that says that it is Ollama."""
    scripted.listed = dict.fromkeys([VECTORS, CHAT, HOSTILE], "library")
    with workbench(monkeypatch, tmp_path, **NOWHERE, LOCAL_MODEL_PORTS=str(scripted.port)) as bench:
        yield bench


def file(bench: Workbench, name: str, architecture: str = "llama") -> Path:
    return write_gguf(bench.settings.rag_loupe_home / FOLDER / name, architecture)


@pytest.mark.over_http
def test_a_server_on_this_machine_is_found_offered_and_used(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    page = app(owner="me")
    assert scripted.list_requests == 0, "nothing is asked before the dialog is opened"
    open_models(page)
    assert has(page, f"Server on this machine, port {scripted.port}; 3 models")
    box = page.selectbox(key=f"models-{scripted.port}")
    assert box.options == [CHAT, HOSTILE, VECTORS]
    assert harmless(page)
    assert scripted.requests == [], "no model is asked before somebody chooses it"
    use_model(page, Option("local", CHAT, scripted.port))
    assert "look-again" not in keys(page), "the dialog is closed"
    came(lambda: bool(scripted.requests))
    drawn(picked(page, "closed-book"))
    page.text_area(key="question").set_value("Why?")
    click(page, "ask")
    drawn_when_done(page, bench)
    assert has(page, "Done in")
    assert {one["body"]["model"] for one in scripted.requests} == {CHAT}
    assert all(one["headers"]["authorization"] == "Bearer none" for one in scripted.requests)


@pytest.mark.over_http
def test_another_model_of_a_server_is_chosen_and_its_name_stays_text(
    bench: Workbench, scripted: ScriptedServer
) -> None:
    page = open_models(app(owner="me"))
    drawn(page.selectbox(key=f"models-{scripted.port}").set_value(HOSTILE).run())
    use_model(page, Option("local", HOSTILE, scripted.port))
    came(lambda: bool(scripted.requests))
    assert scripted.requests[0]["body"]["model"] == HOSTILE
    until(page, "Ollama on this machine")
    assert harmless(page)
    open_models(page)
    assert harmless(page)
    assert has(page, "in use")


@pytest.mark.over_http
@pytest.mark.parametrize("named_alike", [False, True], ids=["alone", "beside a file of its name"])
def test_a_server_that_is_gone_stays_chosen_and_the_reason_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer, named_alike: bool
) -> None:
    scripted.key, scripted.listed = "asks for one", {CHAT: "library"}
    around = NO_ENDPOINT | {"BUILTIN_MODEL_FILE": str(tmp_path / CHAT)} if named_alike else NOWHERE
    with workbench(monkeypatch, tmp_path, **around, LOCAL_MODEL_PORTS=str(scripted.port)) as bench:
        page = open_models(app(owner="me"))
        use_model(page, Option("local", CHAT, scripted.port))
        until(page, "wants a key, and none was given")
        scripted.listed = {}
        bench.backends.models.servers.forget()
        open_models(page)
        assert not has(page, "Server on this machine")
        assert has(unfolded(page).run(), "wants a key, and none was given")
        assert "start-again" in keys(page)


@pytest.mark.parametrize("address", ["0.0.0.0", "", "192.0.2.7", "::"])
def test_no_server_is_asked_where_the_app_listens_beyond_this_machine(
    bench: Workbench, scripted: ScriptedServer, address: str
) -> None:
    with listening_to(address):
        page = open_models(app(owner="me"))
        click(page, "look-again")
        assert "endpoint-url" in keys(page, "text_input")
        assert not has(page, "Ollama")
    assert scripted.list_requests == 0


def test_the_app_does_not_ask_itself(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_host, "listening_ports", lambda: [scripted.port])
    assert has(open_models(app(owner="me")), "No model server found")
    assert scripted.list_requests == 0


def test_what_listens_counts_not_only_what_was_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening_to("127.0.0.1"):
        monkeypatch.setattr(host, "listening_addresses", lambda: ["127.0.0.1", "::1"])
        assert host.listens_to_itself()
        monkeypatch.setattr(host, "listening_addresses", lambda: ["127.0.0.1", "0.0.0.0"])
        assert not host.listens_to_itself()


def test_who_may_not_type_any_address_has_no_server_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> None:
    ports = {"LOCAL_MODEL_PORTS": str(scripted.port)}
    with workbench(monkeypatch, tmp_path, **NOWHERE, **ports, TEACHER_PASSWORD="right") as bench:
        path = file(bench, "small.gguf")
        page = open_models(app(owner="a" * 32))
        assert scripted.list_requests == 0
        assert has(page, "Only the teacher can start it on this server.")
        unfolded(page).run().text_input(key="teacher-password").set_value("right")
        click(page, "teacher-sign-in")
        assert has(open_models(page), "Server on this machine")
        assert not has(page, "Only the teacher can start it")
        assert has(page, path.name)


def test_what_is_wrong_with_a_file_is_a_sentence(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    file(bench, "vectors.gguf", "bert")
    broken = file(bench, "broken.gguf")
    os.truncate(broken, 50)
    small = file(bench, "small.gguf")
    page = open_models(app(owner="me"))
    assert has(page, "The file vectors.gguf is an embedding model")
    assert has(page, "The file broken.gguf is not whole: it ends within its header.")
    assert has(page, "File on this machine: A small model, Q4_K_M, ")
    offered = {key for key in keys(page) if key.startswith("use-")}
    with monkeypatch.context() as patch:
        patch.setattr(local_model, "memory_left", lambda: 10**8)
        drawn(page.run())
        assert has(page, "The file small.gguf needs")
        assert len(offered) == 1 + len({key for key in keys(page) if key.startswith("use-")})
    use_model(drawn(page.run()), Option("file", small.name))
    until(page, "llama.cpp cannot load the file small.gguf")
    small.unlink()
    drawn(page.run())
    assert has(page, "The file small.gguf is no longer there.")
    assert "start-again" in keys(page)


def test_a_reload_keeps_a_file_and_no_endpoint_and_a_file_that_is_gone_is_named(
    bench: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reloaded(value: str) -> AppTest:
        monkeypatch.setattr(type(st.context), "cookies", property(lambda _: {models.COOKIE: value}))
        return drawn(app(owner="me"))

    def kept(page: AppTest) -> str:
        return next(str(one["value"]) for one in drawings(page, "value") if one["name"] == models.COOKIE)

    monkeypatch.setattr(FileModel, "start", lambda model, host: None)
    path = file(bench, "möwe *1*.gguf")
    page = app(owner="me")
    assert not [one for one in drawings(page, "value") if one["name"] == models.COOKIE]
    use_model(page, Option("file", path.name))
    cookie = kept(page)
    assert cookie.isalnum()
    page = reloaded(cookie)
    assert has(page, "möwe *1*.gguf")
    path.unlink()
    assert has(reloaded(cookie), "The file möwe *1*.gguf is no longer there.")
    use_model(page, Option("local", CHAT, scripted.port))
    assert kept(page) == ""
    local = Option("local", CHAT, scripted.port).to_cookie().encode().hex()
    for made_up in ("", "never written", "ff", local):
        assert reloaded(made_up).session_state["model-chosen"] is None


def test_the_name_of_a_file_stays_text(bench: Workbench) -> None:
    path = file(bench, "*a* <b> :red[x] `y`.gguf")
    page = open_models(app(owner="me"))
    assert has(page, read_header(path).title)
    assert harmless(page)


def test_what_is_configured_answers_until_something_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.gguf"
    with workbench(monkeypatch, tmp_path, **NO_ENDPOINT, BUILTIN_MODEL_FILE=str(path)):
        page: AppTest = app(owner="me")
        until(page, "The file mine.gguf is no longer there")
        assert "start-again" in keys(page)
        use_model(page, BUILTIN_OPTION)
        assert has(page, "SmolLM2 135M, built in")


def test_who_is_no_teacher_uses_a_file_only_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE, TEACHER_PASSWORD="right") as bench:
        path = file(bench, "small.gguf")
        running = [ModelStatus(path.name, False, "ready", "")]
        real = FileModel.status
        monkeypatch.setattr(
            FileModel, "status", lambda model, host: running[0] if running else real(model, host)
        )
        monkeypatch.setattr(FileModel, "start", lambda model, host: None)
        page = app(owner="a" * 32)
        use_model(page, Option("file", path.name))
        assert has(page, path.name)
        running.clear()
        drawn(page.run())
        assert not has(page, path.name)
