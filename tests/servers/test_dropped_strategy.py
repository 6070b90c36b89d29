"""The four files of docs/add-a-strategy.md, dropped into a copy of the app, are a strategy everywhere: on the command
line, in its pages, notebooks and reports. Nothing else is changed there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench import CORPUS
from tests.commands import WAIT_SECONDS, environment_of, scripted_endpoint
from tests.homes import Homes
from tests.notebooks import Kernel
from tests.scripted import ScriptedServer

ROOT = Path(__file__).parents[2]
KEY, TITLE = "back-and-forth", "Back and forth"
QUESTION = "Who directed A Dangerous Age?"


def copy(folder: Path) -> None:
    """A copy of the app with the strategy dropped in."""
    for name in ("core", "pages", ".streamlit"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "app.py", folder)
    for name in ("data", "static"):
        (folder / name).symlink_to(ROOT / name)
    for path, text in example_files().items():
        assert not (folder / path).exists()
        (folder / path).write_text(text, encoding="utf-8")


def parsed_last(done: subprocess.CompletedProcess[str]) -> Any:
    """The JSON in the last line of what was printed: Streamlit says other things before it."""
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def example_files() -> dict[str, str]:
    """Path -> text of each file that the document shows under its path."""
    text = (ROOT / "docs" / "add-a-strategy.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## `(core/[^`]+)`\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    found: dict[str, str] = {}
    for path, section in sections:
        block = re.search(r"```\w+\n(.*?)```", section, re.DOTALL)
        assert block is not None, path
        found[path] = block[1]
    return found


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what is taken home of the run."""
    return tmp_path_factory.mktemp("taken")


@pytest.fixture(scope="module")
def places(
    homes: Homes, scripted_server: ScriptedServer, taken: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The printed JSON of `places_of_a_strategy`, run on the copy in a process of its own."""
    folder = tmp_path_factory.mktemp("copy")
    copy(folder)
    script = str(Path(__file__).parent / "places_of_a_strategy.py")
    words = ["--strategy", KEY, "--corpus", CORPUS, "--retriever", "keyword", "--param", "rrf_k=7", "--json"]
    done = subprocess.run(
        [sys.executable, script, KEY, str(taken), "ask", QUESTION, *words],
        cwd=folder,
        env=environment_of(homes.indexed())
        | scripted_endpoint(scripted_server)
        | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=4 * WAIT_SECONDS,
    )
    seen: dict[str, Any] = parsed_last(done)
    return seen


@pytest.fixture(scope="module")
def run(places: dict[str, Any]) -> dict[str, Any]:
    """A run of the strategy, asked on the command line."""
    done: dict[str, Any] = places["asked"]
    return done


def test_a_strategy_is_four_files_of_one_name() -> None:
    assert {str(Path(path).parent) for path in example_files()} == {
        "core/strategies",
        "core/strategies/tutorial",
        "core/strategies/lessons",
    }
    assert [Path(path).stem for path in example_files()] == ["back_and_forth"] * 4


def test_it_is_listed_and_asked_on_the_command_line(places: dict[str, Any], run: dict[str, Any]) -> None:
    listed = {item["key"]: item for item in places["listed"]}
    assert listed[KEY]["params"]["rrf_k"]["default"] == 60
    assert (run["strategy"], run["outcome"], run["calls"]) == (KEY, "finished", 1)
    assert {item["kind"] for item in run["artefacts"]} >= {"ranking", "fusion", "context"}
    assert run["context"][0]["title"] == "A Dangerous Age"


def test_it_is_asked_and_drawn_in_the_playground(places: dict[str, Any]) -> None:
    seen = places["playground"]
    assert "Search with the question and with its words reversed" in seen["offered"][TITLE]
    assert f"**{TITLE}**\n\n:material/thumb_up: **Helps:**" in seen["form"]
    assert "Done in" in seen["run"]


@pytest.mark.parametrize("page", ["compare", "evaluate"])
def test_it_is_set_beside_others(places: dict[str, Any], page: str) -> None:
    seen = places[page]
    assert TITLE in seen["strategies"]
    assert seen["settings"] == ["plain", "step-back", "hyde", KEY]
    new = "Back and forth: k = 60 or k = 1"
    assert seen["lineups"][-1] == new if page == "compare" else new not in seen["lineups"]


def test_it_is_taught(places: dict[str, Any]) -> None:
    seen = places["learn"]
    rewriting = seen["overview"].index("Multi-Query")  # the first that asks in several ways
    assert seen["overview"].index(TITLE) in range(rewriting, rewriting + 4)
    files = example_files()
    parts = re.split(r"\n*### .+\n+", files["core/strategies/lessons/back_and_forth.md"].strip())
    assert [part for part in parts if part not in seen["lesson"]] == []
    assert files["core/strategies/tutorial/back_and_forth.py"].strip() in [
        one.strip() for one in seen["code"]
    ]
    assert "Worked example" not in seen["lesson"]  # nobody has looked for one yet
    assert "That's right." in seen["revealed"]


def test_it_is_taken_home_as_a_notebook_that_gives_what_the_run_gave(
    taken: Path, run: dict[str, Any], kernel: Kernel
) -> None:
    result = kernel.run((taken / "run.ipynb").read_text(encoding="utf-8"))
    assert result["NOW"] == result["RUN"]
    assert result["RUN"]["ranking"] == [item["chunk"] for item in run["context"] if item["given"]]
    assert len(result["RUN"]["searches"]) == 2


@pytest.mark.usefixtures("places")
def test_it_is_taken_home_as_a_report(taken: Path) -> None:
    page = (taken / "run.html").read_text(encoding="utf-8")
    assert TITLE in page
    assert "Retrieve twice" in page
    assert "Ranked lists into one" in page  # the picture that it names
