"""The four files of docs/add-a-strategy.md, dropped into a copy of the app, are a strategy everywhere: on the command
line, in its pages, notebooks and reports. Nothing else is changed there."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.bench import CORPUS
from tests.commands import WAIT_SECONDS, environment_of, parsed, scripted_endpoint
from tests.homes import Homes
from tests.notebooks import Kernel
from tests.scripted import ScriptedServer

ROOT = Path(__file__).parents[2]
KEY, TITLE = "back-and-forth", "Back and forth"
QUESTION = "Who directed A Dangerous Age?"


class Copy:
    """A copy of the app with the strategy dropped in, used by processes of their own."""

    def __init__(self, folder: Path, home: Path, server: ScriptedServer) -> None:
        self.root = folder
        self._environment = environment_of(home) | scripted_endpoint(server) | {"PYTHONPATH": str(folder)}
        for name in ("core", "pages", ".streamlit"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy(ROOT / "app.py", folder)
        for name in ("data", "static"):
            (folder / name).symlink_to(ROOT / name)
        for path, text in example_files().items():
            assert not (folder / path).exists()
            (folder / path).write_text(text, encoding="utf-8")

    def core(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run one command."""
        return self._run("-m", "core", *words)

    def pages(self, run: str) -> dict[str, dict[str, Any]]:
        """What every page shows of the strategy, and the Playground of a run."""
        seen: dict[str, dict[str, Any]] = parsed_last(
            self._run(str(Path(__file__).parent / "pages_of_a_strategy.py"), KEY, run)
        )
        return seen

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=4 * WAIT_SECONDS,
        )


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
def copy(homes: Homes, scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"), homes.indexed(), scripted_server)


@pytest.fixture(scope="module")
def run(copy: Copy) -> dict[str, Any]:
    """A run of the strategy, asked on the command line."""
    words = ["--strategy", KEY, "--corpus", CORPUS, "--retriever", "keyword", "--param", "rrf_k=7"]
    done: dict[str, Any] = parsed(copy.core("ask", QUESTION, *words, "--json"))
    return done


@pytest.fixture(scope="module")
def pages(copy: Copy, run: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return copy.pages(run["run"])


@pytest.fixture(scope="module")
def kernel(scripted_server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with Kernel(scripted_server, tmp_path_factory.mktemp("notebooks")) as kernel:
        yield kernel


def test_a_strategy_is_four_files_of_one_name() -> None:
    assert {str(Path(path).parent) for path in example_files()} == {
        "core/strategies",
        "core/strategies/tutorial",
        "core/strategies/lessons",
    }
    assert [Path(path).stem for path in example_files()] == ["back_and_forth"] * 4


def test_it_is_listed_and_asked_on_the_command_line(copy: Copy, run: dict[str, Any]) -> None:
    listed = {item["key"]: item for item in parsed(copy.core("strategies", "--json"))["strategies"]}
    assert listed[KEY]["params"]["rrf_k"]["default"] == 60
    assert (run["strategy"], run["outcome"], run["calls"]) == (KEY, "finished", 1)
    assert {item["kind"] for item in run["artefacts"]} >= {"ranking", "fusion", "context"}
    assert run["context"][0]["title"] == "A Dangerous Age"


def test_it_is_asked_and_drawn_in_the_playground(pages: dict[str, dict[str, Any]]) -> None:
    seen = pages["playground"]
    assert TITLE in seen["offered"]
    assert "Search with the question and with its words reversed" in seen["form"]
    assert "Done in" in seen["run"]


@pytest.mark.parametrize("page", ["compare", "evaluate"])
def test_it_is_set_beside_others(pages: dict[str, dict[str, Any]], page: str) -> None:
    seen = pages[page]
    assert TITLE in seen["strategies"]
    assert seen["settings"] == ["plain", "step-back", "hyde", KEY]
    new = "Back and forth: k = 60 or k = 1"
    assert seen["lineups"][-1] == new if page == "compare" else new not in seen["lineups"]


def test_it_is_taught(pages: dict[str, dict[str, Any]]) -> None:
    seen = pages["learn"]
    rewriting = seen["overview"].index("**Multi-Query**")  # the first that asks in several ways
    assert seen["overview"].index(f"**{TITLE}**") in range(rewriting, rewriting + 4)
    files = example_files()
    idea, _, more = files["core/strategies/lessons/back_and_forth.md"].strip().partition("\n\n")
    assert idea in seen["lesson"]
    assert more in seen["lesson"]  # below the explorable, where there is one
    assert files["core/strategies/tutorial/back_and_forth.py"].strip() in [
        one.strip() for one in seen["code"]
    ]
    assert "Worked example" not in seen["lesson"]  # nobody has looked for one yet
    assert "You predicted it." in seen["revealed"]


def test_it_is_taken_home_as_a_notebook_that_gives_what_the_run_gave(
    copy: Copy, run: dict[str, Any], kernel: Kernel, tmp_path: Path
) -> None:
    book = tmp_path / "run.ipynb"
    assert copy.core("runs", "export", run["run"], "--output", str(book)).returncode == 0
    result = kernel.run(book.read_text(encoding="utf-8"))
    assert result["NOW"] == result["RUN"]
    assert result["RUN"]["ranking"] == [item["chunk"] for item in run["context"] if item["given"]]
    assert len(result["RUN"]["searches"]) == 2


def test_it_is_taken_home_as_a_report(copy: Copy, run: dict[str, Any], tmp_path: Path) -> None:
    report = tmp_path / "run.html"
    assert copy.core("runs", "export", run["run"], "--output", str(report)).returncode == 0
    page = report.read_text(encoding="utf-8")
    assert TITLE in page
    assert "Retrieve twice" in page
