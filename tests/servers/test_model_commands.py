"""Models as a user types them: listed, fetched, checked; and what a check changes for the questions after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

import core.cli.models
from core.models.choice import ChatChoice
from core.models.endpoint import ChatEndpoint
from core.models.reach import recommended
from core.services.chat import BUILTIN_CHAT, MODEL
from core.skills.checking import items as items_module
from core.skills.checking.items import items
from tests.bench import CORPUS, leave, open_bench
from tests.checked import rules
from tests.commands import core_here, parsed, scripted_endpoint
from tests.homes import Homes
from tests.hub import Hub, small_model
from tests.scripted import ScriptedServer
from tests.servers.test_ask import QUESTION


@pytest.fixture(scope="module")
def home(homes: Homes) -> Path:
    return homes.indexed()


def answer_of(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer among the artefacts of a question asked by the command."""
    return next(made for made in reversed(asked["artefacts"]) if made["kind"] == "answer")


def test_a_check_changes_the_questions_after_it(home: Path, scripted: ScriptedServer) -> None:
    asking = ("ask", QUESTION, "--strategy", "plain", "--corpus", CORPUS, "--json")
    here = scripted_endpoint(scripted)
    scripted.rules = rules(["answer"])
    before = parsed(core_here(home, *asking, **here))
    assert before["calls"] == 1
    found = parsed(core_here(home, "models", "check", "--json", **here))
    assert [one["key"] for one in found["probes"] if not one["passed"]] == ["answer"]
    assert (found["model"], found["methods"]["answer"], found["methods"]["reword"]) == (
        "scripted",
        "extractive",
        "model",
    )
    after = parsed(core_here(home, *asking, **here))
    assert after["calls"] == 0
    assert answer_of(after)["method"] == "extractive"
    picked = parsed(core_here(home, *asking, "--method", "answer=model", **here))
    assert answer_of(picked)["method"] == "model"
    told = core_here(home, "models", "check", **here)
    assert told.returncode == 0
    assert "Answer from the passages" in told.stdout
    assert "The best sentence" in told.stdout
    assert "There is no other way for: Think on" in told.stdout


def test_the_built_in_model_as_an_unknown_endpoint(homes: Homes, monkeypatch: pytest.MonkeyPatch) -> None:
    """llama.cpp itself, and a model that cannot do it; one probe, since all of them take a minute."""
    few = [probe for probe in items().probes if probe.key == "step_back"]
    monkeypatch.setattr(items_module, "items", lambda: items().model_copy(update={"probes": tuple(few)}))
    bench = open_bench(homes.new())
    running = bench.backends.supervisor.ensure(BUILTIN_CHAT)
    assert running.secret
    chat = ChatChoice(ChatEndpoint(f"{running.url}/v1", running.secret, MODEL))
    result = bench.backends.checks.start(chat).result(300)
    assert not any(probe.passed for probe in result.probes)
    kind = bench.backends.checks.kind(chat)
    assert not kind.builtin
    assert kind.cannot == {"step_back"}
    assert running.secret.get_secret_value() not in result.model_dump_json()
    bench.backends.checks.store.close()
    leave(bench)


def test_what_needs_no_check_and_what_is_not_there(home: Path, scripted: ScriptedServer) -> None:
    done = core_here(home, "models", "check")
    assert (done.returncode, "need no check" in done.stderr) == (1, True)
    done = core_here(home, "models", "check", "qwen3-4b", **scripted_endpoint(scripted))
    assert (done.returncode, "Fetch it first" in done.stderr) == (1, True)
    done = core_here(home, "models", "fetch", "gpt")
    assert (done.returncode, "No model “gpt” is recommended" in done.stderr) == (1, True)


def test_a_model_is_fetched_and_listed(homes: Homes, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"not really a model " * 1000
    model, hub, home = small_model(content), Hub(content), homes.new()
    monkeypatch.setattr(core.cli.models, "RECOMMENDED", (model,))
    monkeypatch.setattr(core.cli.models, "recommended", lambda name: recommended.recommended(name, [model]))
    template = hub.url + "/{repo_id}/resolve/{revision}/{filename}"
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    done = core_here(home, "models", "fetch", "small")
    assert (done.returncode, str(home / "models" / model.file) in done.stdout) == (0, True)
    listed = parsed(core_here(home, "models", "list", "--json"))
    assert [(one["name"], one["fetched"]) for one in listed["recommended"]] == [("small", True)]
    assert listed["files"][0]["file"] == model.file
    assert listed["files"][0]["problem"]  # it is none that llama.cpp could run
    assert "Apache-2.0" in core_here(home, "models", "list").stdout
    hub.close()
