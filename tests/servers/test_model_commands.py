"""Models as a user types them: listed, fetched; and what it changes how capable one is."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import constants

import core.cli.models
from core.models.reach import recommended
from tests.bench import CORPUS
from tests.commands import core_here, parsed, scripted_endpoint
from tests.homes import Homes
from tests.hub import Hub, small_model
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer
from tests.scripted.prompts import asked
from tests.servers.test_ask import QUESTION


@pytest.fixture(scope="module")
def home(homes: Homes) -> Path:
    return homes.indexed()


def test_a_small_model_is_asked_less(home: Path, scripted: ScriptedServer) -> None:
    scripted.listed = {"scripted": "scripted", "some-1.5b": "scripted"}
    asking = ("ask", QUESTION, "--strategy", "self-rag", "--corpus", CORPUS, "--json")
    here = scripted_endpoint(scripted)
    small_one = here | {"CHAT_MODEL": "some-1.5b"}
    assert set(graders(parsed(core_here(home, *asking, **here)))) == {"model"}
    small = parsed(core_here(home, *asking, **small_one))  # by its name
    assert graders(small) == ["short", "mixed", "embedding"]
    assert small["methods"]["answer"] == "short"
    assert small["replaced"] == 0
    said = parsed(core_here(home, *asking, "--capable", "capable", **small_one))
    assert set(graders(said)) == {"model"}
    tiny = parsed(core_here(home, *asking, "--capable", "tiny", **here))
    assert (graders(tiny), tiny["methods"]["answer"]) == (["embedding", "mixed", "embedding"], "extractive")
    picked = parsed(
        core_here(home, *asking, "--capable", "tiny", "--method", "grade_use=model", **here)
    )  # whoever picks one has it
    assert graders(picked) == ["embedding", "mixed", "model"]


def graders(run: dict[str, Any]) -> list[str]:
    """Methods of the graders of relevance, support and use."""
    return [run["methods"][f"grade_{what}"] for what in ("relevance", "support", "use")]


def test_an_evaluation_knows_small_models_and_counts_what_cannot_be_used(
    homes: Homes, scripted: ScriptedServer, tmp_path: Path
) -> None:
    folder, home = small_data_set(tmp_path / "small", questions=1), homes.new()
    evaluating = ("evaluate", "--dataset", str(folder), "--strategy", "self-rag", "--json")
    here = scripted_endpoint(scripted)
    done = core_here(home, *evaluating, "--capable", "small", **here)
    assert done.returncode == 0, done.stderr
    assert not {"grade_support", "grade_use"} & {
        sender.skill for sent in scripted.requests for sender in asked(sent["body"]["messages"])
    }
    assert json.loads(done.stdout)["strategies"]["self-rag"]["replaced"] == 0

    scripted.script(Rule(skill="grade_support", reply="I would rather not."))
    done = core_here(home, *evaluating, "--output", str(tmp_path / "every.csv"), **here)
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)["strategies"]["self-rag"]["replaced"]
    assert counted > 0
    rows = list(csv.DictReader((tmp_path / "every.csv").open(encoding="utf-8")))
    assert [row["other methods"] for row in rows if row["setting"] == "self-rag"] == [str(counted)]


def test_what_cannot_be_said_of_a_model_or_fetched_is_refused(home: Path, scripted: ScriptedServer) -> None:
    done = core_here(home, "ask", QUESTION, "--strategy", "plain", "--capable", "small")
    assert (done.returncode, "the built-in model and recordings are known" in done.stderr) == (1, True)
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
